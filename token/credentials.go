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

	"github.com/weboffice-go/weboffice"
	"github.com/weboffice-go/weboffice/internal/callback"
	"github.com/weboffice-go/weboffice/internal/netaddr"
	"github.com/weboffice-go/weboffice/internal/redact"
	"github.com/weboffice-go/weboffice/signing"
)

// DefaultAttempts is how many attempts a [ClientCredentials] makes for one token.
const DefaultAttempts = 3

// ClientCredentialsConfig says where tokens are issued, and to whom.
// [NewClientCredentials] takes a copy.
type ClientCredentialsConfig struct {
	// Required. The URL of the token endpoint, {auth_url}, such as
	// "https://openapi.example.com/oauth2/token" (protocol 2.11, public reference 7.2).
	URL string

	// The clients by the app_id of the callback. Required without Lookup.
	Clients map[string]Client

	// Finds the client of an app that is not in Clients, for example in a database, once
	// for each token. It is called concurrently, must return when ctx ends, and fails with
	// ErrUnknownApp, alone or wrapped, if there is no such app.
	Lookup func(ctx context.Context, appID string) (Client, error)

	// Allows an http URL to another machine: client secrets are sent unencrypted.
	AllowInsecureHTTP bool

	// Copied. If nil, a client with Go's default transport. An attempt may take its
	// Timeout, or 4 seconds. Redirects are not followed.
	HTTPClient *http.Client

	// The most attempts for one token, which are made after network failures, 5xx and
	// 429. If zero, DefaultAttempts.
	Attempts int

	Observe weboffice.Observer // Told of each attempt, as "token.fetch". If nil, nothing is.
	Logger  *slog.Logger       // Failed attempts that are repeated, at Warn. If nil, nothing is logged.
	Now     func() time.Time   // The time of each attempt, from which expires_in counts. If nil, time.Now.
}

// Format prints the URL without its query, and the apps.
func (cfg ClientCredentialsConfig) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "{%s %v}", redact.URL(cfg.URL), slices.Sorted(maps.Keys(cfg.Clients)))
}

// LogValue logs the same.
func (cfg ClientCredentialsConfig) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(cfg)) }

// Client is an app at the token endpoint.
type Client struct {
	_      [0]func()
	ID     string         // client_id. If empty, the app_id of the callback.
	Secret signing.Secret // client_secret. Required.
	Extra  url.Values     // More form fields, such as company_id (public reference 7.2). Their values are treated as secrets.
}

// Format prints the ID and the names of Extra.
func (c Client) Format(f fmt.State, _ rune) {
	extra := strings.Join(slices.Sorted(maps.Keys(c.Extra)), ",")
	_, _ = fmt.Fprintf(f, "{%s}", strings.TrimSpace(fmt.Sprintf("%s %s %s", c.ID, c.Secret, extra)))
}

// MarshalText writes the same: a Client cannot be stored.
func (c Client) MarshalText() ([]byte, error) { return fmt.Append(nil, c), nil }

// ClientCredentials is a [Source] that asks the token endpoint each time, by an OAuth
// client credentials grant (public reference 7.2). Put a [Cache] before it.
type ClientCredentials struct{ cfg ClientCredentialsConfig }

// NewClientCredentials copies cfg, fills in its defaults and reports every problem. It
// does not call the endpoint.
func NewClientCredentials(cfg ClientCredentialsConfig) (*ClientCredentials, error) {
	if err := cfg.problems(); err != nil {
		return nil, err
	}
	cfg.Clients = maps.Clone(cfg.Clients)
	for appID, client := range cfg.Clients {
		client.Extra = url.Values(http.Header(client.Extra).Clone())
		cfg.Clients[appID] = client
	}
	client := *cmp.Or(cfg.HTTPClient, &http.Client{})
	client.Timeout = cmp.Or(client.Timeout, attemptTimeout)
	// client_secret is sent only to the host that the configuration names.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	cfg.HTTPClient = &client
	cfg.Attempts = cmp.Or(cfg.Attempts, DefaultAttempts)
	cfg.Logger = cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler))
	cfg.Now = callback.Clock(cfg.Now)
	return &ClientCredentials{cfg}, nil
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
		add("URL must be an absolute http or https URL") // it may hold a secret, so it is not repeated
	case u.User != nil:
		add("URL must not hold a user: the client's id and secret are sent in the form")
	case netaddr.Insecure(u) && !cfg.AllowInsecureHTTP:
		add("URL is http, and would carry client secrets unencrypted: use https, or set AllowInsecureHTTP")
	}
	if len(cfg.Clients) == 0 && cfg.Lookup == nil {
		add("Clients is required: at least one app, or Lookup")
	}
	for _, appID := range slices.Sorted(maps.Keys(cfg.Clients)) {
		if appID == "" {
			add("Clients holds an app without an id")
		}
		for _, problem := range cfg.Clients[appID].problems() {
			add("Clients[%q]: %s", appID, problem)
		}
	}
	if cfg.Attempts < 0 {
		add("Attempts must not be negative")
	}
	return errors.Join(errs...)
}

func (c Client) problems() (all []string) {
	if c.Secret.IsZero() {
		all = append(all, "Secret is required")
	}
	for _, name := range []string{"grant_type", "client_id", "client_secret"} {
		if c.Extra.Has(name) {
			all = append(all, "Extra must not hold "+name)
		}
	}
	return all
}

// Format prints the name of the type, and the apps.
func (c *ClientCredentials) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "token.ClientCredentials%v", slices.Sorted(maps.Keys(c.cfg.Clients)))
}

// name is for errors: it has the URL without what may be secret.
func (c *ClientCredentials) name() string {
	return "the token endpoint " + redact.URL(c.cfg.URL)
}

func (c *ClientCredentials) client(ctx context.Context, appID string) (Client, error) {
	client, known := c.cfg.Clients[appID]
	if known {
		return client, nil
	}
	if c.cfg.Lookup == nil {
		return Client{}, fmt.Errorf("%w %q", ErrUnknownApp, appID)
	}
	client, err := c.cfg.Lookup(ctx, appID)
	if err != nil {
		return Client{}, fmt.Errorf("token: look up the client of app %q: %w", appID, redact.Error(err))
	}
	if problems := client.problems(); problems != nil {
		return Client{}, fmt.Errorf("token: the client of app %q that Lookup returned: %s", appID, strings.Join(problems, ", "))
	}
	return client, nil
}
