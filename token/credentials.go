package token

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/internal/redact"
	"github.com/weboffice-go/weboffice/signing"
)

// DefaultAttempts is how often a [ClientCredentials] asks for one token.
const DefaultAttempts = 3

// ClientCredentialsConfig says where tokens are issued, and to whom.
// [NewClientCredentials] takes a copy of it.
type ClientCredentialsConfig struct {
	// Required. The whole address of the token endpoint, {auth_url}, such as
	// "https://openapi.example.com/oauth2/token" (protocol 2.11, public reference
	// 7.2).
	URL string

	// Required. What each app proves itself with, by the app_id of the callback.
	Clients map[string]Client

	// Its struct is copied and stays as it is. If nil, a client with Go's default
	// transport. Redirects are not followed, and where its Timeout is zero,
	// DefaultAttemptTimeout bounds each attempt.
	HTTPClient *http.Client

	// How often one token is asked for, at most: again after a failure of the
	// network, a 5xx and a 429, and after nothing else. If zero, DefaultAttempts.
	Attempts int

	Logger *slog.Logger     // Attempts that failed and are repeated, at Warn. If nil, nothing is logged.
	Now    func() time.Time // Dates each question, from which expires_in counts. If nil, time.Now.
}

// Client is an app at the token endpoint. It prints its ID, and the names of Extra.
type Client struct {
	_      [0]func()
	ID     string         // client_id. If empty, the app_id of the callback.
	Secret signing.Secret // client_secret. Required.
	Extra  url.Values     // More form fields, such as company_id (public reference 7.2). They do not replace the fields of the grant.
}

// ClientCredentials is a [Source] that asks the token endpoint each time, with an
// OAuth client credentials grant (public reference 7.2); put a [Cache] before it.
// It is safe for concurrent use.
type ClientCredentials struct {
	url      signing.Secret // its query may hold one
	client   *http.Client
	attempts int
	logger   *slog.Logger
	now      func() time.Time
	forms    map[string]form
}

// form is a request body that is ready, and what must not be seen of it.
type form struct {
	body    signing.Secret
	secrets []signing.Secret
}

// hide takes what f holds out of a text.
func (f form) hide(s string) string { return redact.Text(s, f.texts()...) }

func (f form) texts() []string {
	texts := make([]string, len(f.secrets))
	for i, secret := range f.secrets {
		texts[i] = secret.Reveal()
	}
	return texts
}

// NewClientCredentials copies cfg, fills in its defaults and reports every
// problem at once. It does not call the endpoint.
func NewClientCredentials(cfg ClientCredentialsConfig) (*ClientCredentials, error) {
	if err := cfg.problems(); err != nil {
		return nil, err
	}
	c := &ClientCredentials{
		url:      signing.NewSecret(cfg.URL),
		client:   ownClient(cfg.HTTPClient),
		attempts: cmp.Or(cfg.Attempts, DefaultAttempts),
		logger:   cfg.Logger,
		now:      cfg.Now,
		forms:    make(map[string]form, len(cfg.Clients)),
	}
	if c.logger == nil {
		c.logger = slog.New(slog.DiscardHandler)
	}
	if c.now == nil {
		c.now = time.Now
	}
	for appID, client := range cfg.Clients {
		c.forms[appID] = newForm(appID, client, querySecrets(cfg.URL))
	}
	return c, nil
}

func (cfg *ClientCredentialsConfig) problems() error {
	var errs []error
	add := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("token: client credentials: "+format, args...))
	}
	u, err := url.Parse(cfg.URL)
	switch {
	case cfg.URL == "":
		add("URL is required")
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		add("URL must be an absolute http or https address") // it may hold a secret, so it is not repeated
	case u.User != nil:
		add("URL must not hold a user: a Client is proven in the form")
	}
	if len(cfg.Clients) == 0 {
		add("Clients is required: at least one app")
	}
	for _, appID := range slices.Sorted(maps.Keys(cfg.Clients)) {
		if appID == "" {
			add("Clients holds an app without an id")
		}
		if cfg.Clients[appID].Secret.IsZero() {
			add("Clients[%q]: Secret is required", appID)
		}
		for _, name := range []string{"grant_type", "client_id", "client_secret"} {
			if cfg.Clients[appID].Extra.Has(name) {
				add("Clients[%q]: Extra must not hold %s", appID, name)
			}
		}
	}
	if cfg.Attempts < 0 {
		add("Attempts must not be negative")
	}
	return errors.Join(errs...)
}

// newForm encodes the grant of one app. The values of Extra count as secrets too:
// an app_ticket is one.
func newForm(appID string, client Client, secrets []signing.Secret) form {
	fields := url.Values{}
	maps.Copy(fields, client.Extra)
	secrets = append(secrets, client.Secret)
	secrets = appendSecrets(secrets, client.Extra)
	fields.Set("grant_type", "client_credentials")
	fields.Set("client_id", cmp.Or(client.ID, appID))
	fields.Set("client_secret", client.Secret.Reveal())
	return form{body: signing.NewSecret(fields.Encode()), secrets: secrets}
}

// querySecrets are what the query of the endpoint's address may hold.
func querySecrets(address string) []signing.Secret {
	_, query, _ := strings.Cut(address, "?")
	values, _ := url.ParseQuery(query) // what it could read
	return appendSecrets([]signing.Secret{signing.NewSecret(query)}, values)
}

func appendSecrets(secrets []signing.Secret, fields url.Values) []signing.Secret {
	for _, values := range fields {
		for _, v := range values {
			if len(v) >= minSecret {
				secrets = append(secrets, signing.NewSecret(v))
			}
		}
	}
	return secrets
}

// minSecret keeps a field such as "locale=de" from blotting out every "de".
const minSecret = 8

// Token asks the endpoint, each time. Where no Client belongs to the app, the error
// is [ErrUnknownApp]. An answer that is no token is an [*EndpointError]. No error holds a secret or the
// query of the address.
func (c *ClientCredentials) Token(ctx context.Context, appID string) (Token, error) {
	f, known := c.forms[appID]
	if !known {
		return Token{}, fmt.Errorf("%w %q", ErrUnknownApp, appID)
	}
	t, err := c.ask(ctx, appID, f)
	if err != nil {
		return Token{}, fmt.Errorf("token: fetch for app %q: %w", appID, redact.Error(err, f.texts()...))
	}
	return t, nil
}
