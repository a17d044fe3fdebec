package token

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/weboffice-go/weboffice"
	"github.com/weboffice-go/weboffice/internal/callback"
	"github.com/weboffice-go/weboffice/internal/observe"
	"github.com/weboffice-go/weboffice/signing"
)

// Handler answers the access token callback (protocol 4.3), at any path.
type Handler struct{ cfg Config }

// NewHandler reports every problem of cfg.
func NewHandler(cfg Config) (*Handler, error) {
	if err := cfg.problems(); err != nil {
		return nil, err
	}
	if cfg.AppMatch == nil {
		cfg.AppMatch = ownApp
	}
	if cfg.MapError == nil {
		cfg.MapError = DefaultReply
	}
	cfg.Timeout = cmp.Or(cfg.Timeout, DefaultTimeout)
	cfg.MaxBody = cmp.Or(cfg.MaxBody, DefaultMaxBody)
	cfg.Now = callback.Clock(cfg.Now)
	callback.WarnUnsigned(cmp.Or(cfg.Logger, slog.Default()), "token: Config.Auth is signing.Unsigned, which lets every caller in: use the VerifyRequest of a signing.Verifier", cfg.Auth, signing.Unsigned)
	return &Handler{cfg}, nil
}

// Format prints the name of the type.
func (h *Handler) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "token.Handler") }

// call is one callback in progress.
type call struct {
	*Handler
	w        http.ResponseWriter
	deadline time.Time
	asked    Request
	out      weboffice.Outcome
}

// ServeHTTP answers in JSON, also if code of yours panics, except in Config.Observe or with
// http.ErrAbortHandler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := call{Handler: h, w: w, deadline: callback.Clock(nil)().Add(h.cfg.Timeout)} // timers do not follow cfg.Now
	c.asked.RequestID = callback.RequestID(r.Header)
	c.out = weboffice.Outcome{RequestID: c.asked.RequestID, Error: "failed"}
	observed, end := observe.Start(r.Context(), h.cfg.Observe, weboffice.Operation{Name: "token.access_token", Callback: true})
	defer func() { end(c.out) }()
	ctx := callback.NewDeadline(observed, c.deadline)
	defer ctx.Cancel()

	body, err := c.decide(r.WithContext(ctx)) //nolint:contextcheck // It is derived from the request's context.
	if err != nil {
		c.refuse(r, err)
		return
	}
	c.out.Status, c.out.Error = http.StatusOK, ""
	callback.Write(w, http.StatusOK, body)
}

// decide returns the answer with a token, or why there is none. The order is that of
// trust: who calls, what they ask, for which app, for which user, and then the token.
func (c *call) decide(r *http.Request) (body []byte, err error) {
	defer callback.Catch(&err)
	caller, err := c.read(r)
	c.out.App = caller.AppID
	if err != nil {
		return nil, err
	}
	if !c.cfg.AppMatch(caller, c.asked.AppID) {
		reply := Reply{http.StatusForbidden, callback.CodeForbidden, "forbidden"}
		return nil, &refusal{reply, ErrForbidden, errors.New("token: this caller may not ask for this app")}
	}
	c.out.App = c.asked.AppID
	if err := c.cfg.Authorize(r.Context(), c.asked); err != nil {
		return nil, err
	}
	t, err := c.cfg.Source.Token(r.Context(), c.asked.AppID)
	if err != nil {
		return nil, err
	}
	seconds, err := t.seconds(c.cfg.Now())
	if err != nil {
		return nil, err
	}
	text := t.AccessToken.Reveal()
	body = append(make([]byte, 0, len(text)+128), `{"code":0,"message":"ok","data":{"access_token":`...) // protocol 2.11
	body = callback.AppendString(body, text)
	body = append(body, `,"token_type":"bearer","expires_in":`...)
	return append(strconv.AppendInt(body, seconds, 10), `}}`...), nil
}

// read finds out who calls and what they ask. Auth may read the body, so the bounds are
// set before.
func (c *call) read(r *http.Request) (signing.Caller, error) {
	release := callback.Bound(c.w, r, c.cfg.MaxBody, c.deadline)
	defer release()
	if r.Method != http.MethodPost {
		c.w.Header()["Allow"] = []string{http.MethodPost}
		return signing.Caller{}, malformed(http.StatusMethodNotAllowed, "the method must be POST", nil)
	}
	caller, err := c.cfg.Auth(r)
	if err != nil {
		if unread := unreadable(err); unread != nil {
			return signing.Caller{}, unread
		}
		if errors.Is(err, signing.ErrLookup) {
			return signing.Caller{}, err // no one was refused
		}
		reply := Reply{http.StatusUnauthorized, callback.CodeUnauthorized, "unauthorized"}
		return signing.Caller{}, &refusal{reply, ErrUnauthorized, &callback.Unverified{Cause: err}}
	}
	return caller, readRequest(r, &c.asked)
}

// The defaults of a [Config].
const (
	DefaultTimeout = 10 * time.Second // For one callback.
	DefaultMaxBody = 64 << 10         // Bytes of a request's body.
)

// Config says who may have which token.
type Config struct {
	// Required. Who calls: the VerifyRequest of a [signing.Verifier], or
	// [signing.Unsigned] if the deployment does not sign (protocol 5.3).
	Auth func(*http.Request) (signing.Caller, error)

	// Required. May the user of r.WebOfficeToken open r.FileID? nil allows. It is called for
	// every request, and must return when ctx ends.
	Authorize func(ctx context.Context, r Request) error

	// Required. Where tokens come from, usually a [Cache].
	Source Source

	// May this caller ask for this app? If nil, an app may request only its own token,
	// and an unauthenticated caller any.
	AppMatch func(caller signing.Caller, appID string) bool

	// The answer to an error, which wraps ErrUnauthorized if Auth refused, ErrInvalid for a
	// bad request, or ErrForbidden if AppMatch refused. If nil, DefaultReply.
	MapError func(error) Reply

	// Of one callback. If zero, DefaultTimeout. While the body is read, it replaces the
	// ReadTimeout of the http.Server.
	Timeout time.Duration

	MaxBody int64              // Bytes of a request. If zero, DefaultMaxBody.
	Observe weboffice.Observer // Told of each callback, as "token.access_token".
	Logger  *slog.Logger       // Internal errors at Error, requests that do not verify at Warn, other refusals at Debug. If nil, slog.Default().
	Now     func() time.Time   // The clock for expiry. If nil, time.Now.
}

func (cfg *Config) problems() error {
	var errs []error
	add := func(bad bool, problem string) {
		if bad {
			errs = append(errs, errors.New("token: config: "+problem))
		}
	}
	add(cfg.Auth == nil, "Auth is required: a Verifier's VerifyRequest, or signing.Unsigned")
	add(cfg.Authorize == nil, "Authorize is required: without it every user would get a token")
	add(cfg.Source == nil, "Source is required")
	add(cfg.Timeout < 0, "Timeout must not be negative")
	add(cfg.MaxBody < 0, "MaxBody must not be negative")
	return errors.Join(errs...)
}

// ownApp is the default of Config.AppMatch.
func ownApp(caller signing.Caller, appID string) bool {
	return caller.AppID == appID || caller.AppID == "" && caller.RobotKey.IsZero()
}
