package convert

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice"
	"github.com/weboffice-go/weboffice/internal/httpx"
	"github.com/weboffice-go/weboffice/internal/netaddr"
	"github.com/weboffice-go/weboffice/signing"
)

// Limits of the service, and defaults of a [Config].
const (
	DefaultMaxWait        = 30 * time.Minute
	DefaultAttempts       = 3
	DefaultCallsPerSecond = 10               // Of one app id, queries included (public reference 1.2).
	DefaultMaxBody        = 1 << 20          // Bytes of an answer.
	URLLifetime           = 30 * time.Minute // How long the URL of a result works (protocol 8).
)

// Config says which service a [Client] calls, as which app, and how fast. Its functions
// are called from many goroutines.
type Config struct {
	// Required. Such as "https://office.example". A path in it is kept.
	BaseURL string

	// Required: signing.App(id, key).
	Credentials signing.Credentials

	// Permits http to other machines: passwords and URLs can then be read on the way.
	AllowInsecureHTTP bool

	// Copied. Its Timeout is for one call, not for downloads, and its CheckRedirect only
	// for downloads. If nil, a client with a timeout of 30 seconds.
	HTTPClient *http.Client

	// Called before each attempt, but not of downloads. If nil, a [NewLimiter] of
	// DefaultCallsPerSecond.
	Limiter Limiter

	// The pauses of waits, and of repeats of a call.
	Backoff Backoff

	// Longest duration of a Wait, Watch or Save, downloads included, and of a document
	// in a Batch. If zero, DefaultMaxWait; if negative, only the context ends it.
	MaxWait time.Duration

	// Attempts of one call: of a query after any temporary failure, of a submit only
	// after the rate limit rejected it. The pause is that of Backoff or Retry-After: at
	// most a minute for a submit, for others an hour or until the deadline. If zero,
	// DefaultAttempts.
	Attempts int

	// Largest answer that is read, in bytes. If zero, DefaultMaxBody.
	MaxBody int64

	// The call that queries t (protocol 4.1). If nil, GET /api/developer/v1/tasks/{id}
	// (public reference 1.1).
	TaskQuery func(t Task) Call

	// What a Status means for a wait. If nil, DefaultClassify.
	Classify func(s *Status) Phase

	// Whether an answer rejected a call by the rate limit. If nil, DefaultRateLimited.
	RateLimited func(e *APIError) bool

	// See the package comment.
	Observe weboffice.Observer

	// Gets each attempt at debug level and each failed one as a warning. If nil, nothing
	// is logged.
	Logger *slog.Logger

	// The clock of Date headers and of File.ExpiresAt. If nil, time.Now.
	Now func() time.Time
}

// Limiter decides when a call may start. Wait returns nil when it may, and an error to
// end the call; it must return when ctx ends. It is called from many goroutines.
//
// Processes that share an app need one that they share: that of the module
// webhook/webhookredis, or another with a margin, since calls may arrive closer together
// than they start. That of golang.org/x/time/rate fits if its burst is 1.
type Limiter interface {
	Wait(ctx context.Context) error
}

// Backoff describes pauses that double from Min to Max, each drawn at random from a
// quarter below to a quarter above, within Min and Max.
type Backoff struct {
	_   [0]func()
	Min time.Duration // First and shortest pause. If zero, one second.
	Max time.Duration // Longest pause. If zero, ten seconds, or Min if that is longer.
}

func (b Backoff) pace() httpx.Backoff { return httpx.Backoff{Min: b.Min, Max: b.Max} }

func (b *Backoff) setDefaults() {
	if b.Min == 0 {
		b.Min = min(time.Second, cmp.Or(b.Max, time.Second))
	}
	b.Max = cmp.Or(b.Max, max(10*time.Second, b.Min))
}

func (cfg *Config) setDefaults() {
	cfg.Backoff.setDefaults()
	cfg.MaxWait = cmp.Or(cfg.MaxWait, DefaultMaxWait)
	cfg.Attempts = cmp.Or(cfg.Attempts, DefaultAttempts)
	cfg.MaxBody = cmp.Or(cfg.MaxBody, DefaultMaxBody)
	cfg.Limiter = cmp.Or(cfg.Limiter, NewLimiter(DefaultCallsPerSecond, time.Second))
	if cfg.TaskQuery == nil {
		cfg.TaskQuery = defaultTaskQuery
	}
	if cfg.Classify == nil {
		cfg.Classify = DefaultClassify
	}
	if cfg.RateLimited == nil {
		cfg.RateLimited = DefaultRateLimited
	}
	cfg.Logger = cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler))
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
}

// check returns what is wrong with cfg, and the signer of its credentials.
func (cfg *Config) check() (*signing.Signer, problems) {
	var found problems
	cfg.checkBase(&found)
	var signer *signing.Signer
	if cfg.Credentials.IsZero() || !cfg.Credentials.Caller().RobotKey.IsZero() {
		found.add("Credentials", "must be those of an application: signing.App(id, key) (protocol 5.1)")
	} else {
		var err error
		if signer, err = signing.NewSigner(cfg.Credentials); err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				found.add("Credentials", strings.TrimPrefix(line, "signing: credentials: "))
			}
		}
	}
	v, pauses := reflect.ValueOf(cfg.Limiter), cfg.Backoff
	found.when(v.Kind() == reflect.Pointer && v.IsNil(), "Limiter", "is a nil pointer, which is not the same as nil")
	found.when(pauses.Min < 0, "Backoff.Min", "must not be negative")
	found.when(pauses.Max < 0, "Backoff.Max", "must not be negative")
	found.when(pauses.Max > 0 && pauses.Max < pauses.Min, "Backoff.Max", "must not be less than Backoff.Min")
	found.when(cfg.Attempts < 0, "Attempts", "must not be negative; 1 is a single try")
	found.when(cfg.MaxBody < 0, "MaxBody", "must not be negative")
	return signer, found
}

func (cfg *Config) checkBase(found *problems) {
	const field = "BaseURL"
	if cfg.BaseURL == "" {
		found.add(field, "is required")
		return
	}
	u, err := url.Parse(cfg.BaseURL)
	switch {
	case err != nil || !absolute(u) || u.User != nil || strings.ContainsAny(cfg.BaseURL, "?#") ||
		!strings.HasSuffix(cfg.BaseURL, u.EscapedPath()) || dotSegments(u):
		found.add(field, "must be an absolute http or https URL, escaped, without user, query, fragment and dot segments")
	case strings.Contains(u.Path+"/", apiPath):
		found.add(field, "must not contain "+apiPath+": the path of each call begins with it")
	case netaddr.Insecure(u) && !cfg.AllowInsecureHTTP:
		found.add(field, "must be https: http would send passwords and signed URLs in the clear; AllowInsecureHTTP permits it")
	}
}

// apiPath begins the path of every call (protocol 4.1).
const apiPath = "/api/developer/v1/"

// absolute reports whether u is an http or https URL with a host.
func absolute(u *url.URL) bool {
	return (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}

// dotSegments reports whether the path of u has a segment that a proxy would resolve:
// then the signature would no longer match.
func dotSegments(u *url.URL) bool {
	return slices.ContainsFunc(strings.Split(u.EscapedPath(), "/"), func(segment string) bool {
		s, err := url.PathUnescape(segment)
		return err != nil || s == "." || s == ".."
	})
}
