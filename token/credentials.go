package token

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/weboffice-go/weboffice"
	"github.com/weboffice-go/weboffice/internal/callback"
	"github.com/weboffice-go/weboffice/internal/netaddr"
	"github.com/weboffice-go/weboffice/internal/observe"
	"github.com/weboffice-go/weboffice/internal/redact"
	"github.com/weboffice-go/weboffice/signing"
)

// DefaultAttempts is that of ClientCredentialsConfig.Attempts.
const DefaultAttempts = 3

// ClientCredentialsConfig says where tokens are issued, and to whom.
type ClientCredentialsConfig struct {
	// Required. The URL of the token endpoint, {auth_url}, such as
	// "https://openapi.example.com/oauth2/token" (protocol 2.11).
	URL string

	// The clients by the app_id of the callback. Required without Lookup.
	Clients map[string]Client

	// Finds the client of an app that is not in Clients, or fails with ErrUnknownApp. It is
	// called concurrently, and must return when ctx ends.
	Lookup func(ctx context.Context, appID string) (Client, error)

	// Allows an http URL to another machine: client secrets are sent unencrypted.
	AllowInsecureHTTP bool

	// If nil, a client with Go's default transport. An attempt may take its Timeout, or 4
	// seconds. Redirects are not followed.
	HTTPClient *http.Client

	// Attempts for one token: network failures, 5xx and 429 are repeated. If zero,
	// DefaultAttempts.
	Attempts int

	Observe weboffice.Observer // Told of each attempt, as "token.fetch".
	Logger  *slog.Logger       // Failed attempts that are repeated, at Warn. If nil, nothing is logged.
	Now     func() time.Time   // From which expires_in counts. If nil, time.Now.
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
	Extra  url.Values     // More form fields, such as company_id. Their values are treated as secrets.
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

// NewClientCredentials reports every problem of cfg. It does not call the endpoint.
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
		if unclean(appID) {
			add("Clients[%q]: the app id"+remedy, appID)
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
	for _, field := range [][2]string{{"Secret", c.Secret.Reveal()}, {"ID", c.ID}} {
		if unclean(field[1]) {
			all = append(all, field[0]+remedy)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.fields(""))) {
		if c.Extra.Has(name) {
			all = append(all, "Extra must not hold "+name)
		}
	}
	return all
}

// unclean reports whether s is not as it was issued, but as a file has it.
func unclean(s string) bool {
	return strings.TrimSpace(s) != s || strings.ContainsFunc(s, unicode.IsControl)
}

const remedy = " has leading or trailing white space or a control character, such as the line feed at the end of a file: remove it"

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

const (
	attemptTimeout = 4 * time.Second        // three of them and their pauses fit into DefaultFetchTimeout, two into DefaultTimeout
	firstRetry     = 200 * time.Millisecond // doubled each time, up to
	maxRetry       = 5 * time.Second
	maxAnswer      = 256 << 10 // bytes of an answer
)

// Token asks the endpoint. Its error is [ErrUnknownApp], an [*EndpointError], or a failure
// of Lookup or the network.
func (c *ClientCredentials) Token(ctx context.Context, appID string) (Token, error) {
	client, err := c.client(ctx, appID)
	if err != nil {
		return Token{}, err
	}
	form, secrets := c.form(appID, client)
	for n := 1; ; n++ {
		t, err := c.attempt(ctx, appID, n, form, secrets)
		if err == nil {
			return t, nil
		}
		err = redact.Error(err, secrets...)
		wait, again := pause(n, err)
		if n >= c.cfg.Attempts || ctx.Err() != nil || !again {
			return Token{}, fmt.Errorf("token: fetch for app %q: %w", appID, err)
		}
		c.cfg.Logger.LogAttrs(ctx, slog.LevelWarn, "token: the endpoint failed, asking again",
			slog.String("app_id", appID), slog.Int("attempt", n), slog.Duration("pause", wait), slog.String("error", err.Error()))
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return Token{}, fmt.Errorf("token: fetch for app %q: %w, after %w", appID, whyEnded(ctx), err)
		}
	}
}

// form returns the body of a grant, and what must not be shown of it.
func (c *ClientCredentials) form(appID string, client Client) (body string, secrets []string) {
	secrets = append(redact.InURL(c.cfg.URL), client.Secret.Reveal())
	for _, list := range client.Extra {
		for _, v := range list {
			if len(v) >= redact.MinPart { // "locale=de" must not hide each "de"
				secrets = append(secrets, v)
			}
		}
	}
	fields := client.fields(appID)
	maps.Copy(fields, client.Extra)
	return fields.Encode(), secrets
}

// fields are what a grant has besides Extra.
func (c Client) fields(appID string) url.Values {
	return url.Values{
		"grant_type": {"client_credentials"}, "client_id": {cmp.Or(c.ID, appID)}, "client_secret": {c.Secret.Reveal()},
	}
}

// attempt asks once.
func (c *ClientCredentials) attempt(ctx context.Context, appID string, n int, form string, secrets []string) (t Token, err error) {
	out := weboffice.Outcome{App: appID}
	ctx, end := observe.Start(ctx, c.cfg.Observe, weboffice.Operation{Name: "token.fetch", Attempt: n})
	defer func() {
		out.Error = kind(err)
		end(out)
	}()
	asked := c.cfg.Now()                                                                             // expires_in counts from before the request
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.cfg.URL, strings.NewReader(form)) //nolint:gosec // The URL is the configuration's.
	if err != nil {
		return Token{}, err
	}
	req.GetBody = nil // with it net/http repeats a request of HTTP/2, without a pause or a limit
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	resp, err := c.cfg.HTTPClient.Do(req) //nolint:gosec // As above.
	if err != nil {
		return Token{}, withCause(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	out.Status, out.RequestID = resp.StatusCode, callback.RequestID(resp.Header)
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return Token{}, withCause(ctx, fmt.Errorf("read the answer of %s: %w", c.name(), err))
	}
	t, failure := readAnswer(resp, body, asked, secrets)
	if failure != nil {
		out.Code = failure.Code
		return Token{}, failure
	}
	return t, nil
}

// withCause adds why ctx ended, if err does not say it.
func withCause(ctx context.Context, err error) error {
	if ctx.Err() == nil || errors.Is(err, ctx.Err()) && errors.Is(err, context.Cause(ctx)) {
		return err
	}
	return fmt.Errorf("%w: %w", whyEnded(ctx), err)
}
