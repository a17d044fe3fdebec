package webhook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice"
	"github.com/weboffice-go/weboffice/internal/callback"
	"github.com/weboffice-go/weboffice/internal/httpx"
	"github.com/weboffice-go/weboffice/internal/netaddr"
	"github.com/weboffice-go/weboffice/internal/redact"
	"github.com/weboffice-go/weboffice/signing"
)

// Limits of a robot and its messages (protocol 8).
const (
	MessagesPerMinute    = 20   // In any 60 seconds.
	MaxMessageLength     = 5000 // In characters; see [Length].
	MaxKeywords          = 10
	MaxAllowListEntries  = 10
	MaxButtonTitleLength = 12 // In characters.
)

// SendPath ends the path of every webhook URL (protocol 4.4).
const SendPath = "/api/v1/webhook/send"

const (
	defaultAttempts = 3
	maxAnswer       = 1 << 20 // bytes of an answer
	userAgent       = "weboffice-go"
)

// pace is how long to wait after a message was rate-limited, if the answer does not
// say so: other senders use the robot too, and their minute has to pass.
var pace = httpx.Backoff{Min: time.Minute / MessagesPerMinute, Max: time.Minute}

// Config configures a [Robot].
type Config struct {
	// Required. The whole webhook URL, "?key=" included, copied from the chat client.
	// Other parameters are dropped.
	URL signing.Secret

	// Signs messages (protocol 5.2). If zero, they are not signed.
	SigningSecret signing.Secret

	// Allows http:// to another machine, which sends the robot key unencrypted.
	AllowInsecureHTTP bool

	// At most MaxKeywords. Send refuses a message without one of them (protocol 7.3).
	Keywords []string

	// Asked before every attempt. Robots of one URL have to share one. If nil, a
	// [Window] of MessagesPerMinute.
	Limiter Limiter

	// Of a message, in characters; see [Length]. If zero, MaxMessageLength.
	MaxLength int

	// Makes the calls. It is copied. If nil, a client with a timeout of 30 seconds.
	HTTPClient *http.Client

	// How often a rate-limited message is tried. If zero, 3.
	Attempts int

	// Recognizes a rate-limited message. It is called concurrently. If nil,
	// [DefaultRateLimited].
	RateLimited func(*APIError) bool

	// Names the robot to Observe. Not a secret.
	Name string

	// Told of every attempt, as webhook.send.
	Observe weboffice.Observer

	// Told of rate-limited messages, and at debug level of accepted ones. If nil,
	// nothing is logged.
	Logger *slog.Logger

	// The clock for Date. If nil, time.Now.
	Now func() time.Time
}

// Robot posts messages into one group chat.
type Robot struct {
	cfg  Config
	url  signing.Secret
	key  signing.Secret
	hide func(string) string // hides what is secret in a text
	safe func(error) error   // and in an error

	// The method of the client, and not the client: fmt prints no func, but may
	// print what a pointer leads to, and the client knows the secrets.
	do func(context.Context, httpx.Request) (*httpx.Response, error)
}

// NewRobot reports every problem of cfg at once, as joined [*FieldError]s.
func NewRobot(cfg Config) (*Robot, error) {
	address, key, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	secrets := []string{key.Reveal(), cfg.SigningSecret.Reveal()}
	client := httpx.Config{HTTPClient: cfg.HTTPClient, MaxBody: maxAnswer, UserAgent: userAgent, Secrets: secrets}
	if !cfg.SigningSecret.IsZero() {
		signer, err := signing.NewSigner(signing.Robot(key, cfg.SigningSecret))
		if err != nil {
			return nil, &FieldError{Field: "SigningSecret", Reason: err.Error()}
		}
		client.Sign = func(h http.Header, body []byte) { signer.Sign(h, body, cfg.Now()) }
	}
	return &Robot{
		cfg: cfg, url: signing.NewSecret(address), key: key, do: httpx.New(client).Do,
		hide: func(s string) string { return redact.Text(s, secrets...) },
		safe: func(err error) error { return redact.Error(err, secrets...) },
	}, nil
}

// Key returns the robot key in the URL.
func (r *Robot) Key() signing.Secret { return r.key }

// Keywords returns a copy of Config.Keywords.
func (r *Robot) Keywords() []string { return slices.Clone(r.cfg.Keywords) }

// complete copies what cfg points to, fills in the defaults and checks the rest.
func (cfg *Config) complete() (address string, key signing.Secret, err error) {
	var c checker
	if address, key, err = parseURL(cfg.URL.Reveal(), cfg.AllowInsecureHTTP); err != nil {
		c.add("URL", err.Error())
	}
	c.trimmed("SigningSecret", cfg.SigningSecret)
	cfg.Keywords = slices.Clone(cfg.Keywords)
	n := len(cfg.Keywords)
	c.when(n > MaxKeywords, "Keywords", fmt.Sprintf("there are %d, and a robot has at most %d (protocol 8)", n, MaxKeywords))
	for i, k := range cfg.Keywords {
		c.when(strings.TrimSpace(k) == "", fmt.Sprintf("Keywords[%d]", i), "is blank")
	}
	c.notNegative("MaxLength", int64(cfg.MaxLength))
	c.notNegative("Attempts", int64(cfg.Attempts))
	c.notNil("Limiter", cfg.Limiter)
	if cfg.Limiter == nil {
		cfg.Limiter = NewWindow(MessagesPerMinute, time.Minute)
	}
	cfg.MaxLength = cmp.Or(cfg.MaxLength, MaxMessageLength)
	cfg.Attempts = cmp.Or(cfg.Attempts, defaultAttempts)
	if cfg.RateLimited == nil {
		cfg.RateLimited = DefaultRateLimited
	}
	cfg.Logger = cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler))
	cfg.Now = callback.Clock(cfg.Now)
	return address, key, c.err()
}

// parseURL reads a webhook URL as the chat client shows it, and returns the URL to
// post to, whose query is the robot key alone, and the key (protocol 4.4). The
// errors repeat nothing of s, which is a secret.
func parseURL(s string, allowInsecure bool) (address string, key signing.Secret, err error) {
	if s == "" {
		return "", key, errors.New("is required: the webhook URL as the chat client shows it")
	}
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil {
		return "", key, errors.New("is not a URL")
	}
	query, err := url.ParseQuery(u.RawQuery)
	keys := query["key"]
	switch {
	case u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.Opaque != "":
		return "", key, errors.New(`must begin with "https://" and a host, or "http://" and a host`)
	case u.User != nil:
		return "", key, errors.New("must not hold a user or a password: they are not sent")
	case err != nil:
		return "", key, errors.New("has a query that cannot be read")
	case len(keys) != 1 || strings.TrimSpace(keys[0]) == "":
		return "", key, errors.New("must hold the robot key, once: give the whole URL that the chat client shows, ?key= included (protocol 4.4)")
	case strings.TrimSpace(keys[0]) != keys[0]:
		return "", key, errors.New("has a robot key that begins or ends with white space, such as %0A, a line feed")
	case !strings.HasSuffix(u.Path, SendPath):
		return "", key, errors.New(`must have "` + SendPath + `" before its "?": give the whole URL that the chat client shows (protocol 4.4)`)
	case netaddr.Insecure(u) && !allowInsecure:
		return "", key, errors.New("would send the robot key unencrypted: use https, or set AllowInsecureHTTP")
	}
	u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = url.Values{"key": keys}.Encode(), false, "", ""
	return u.String(), signing.NewSecret(keys[0]), nil
}
