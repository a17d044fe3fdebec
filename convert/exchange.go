package convert

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/weboffice-go/weboffice"
	"github.com/weboffice-go/weboffice/internal/httpx"
	"github.com/weboffice-go/weboffice/internal/observe"
	"github.com/weboffice-go/weboffice/internal/redact"
)

// longestRetryAfter is how long a submit waits, at most, because the service asked for
// it. The caller finds a longer one in APIError.RetryAfter.
const longestRetryAfter = time.Minute

// exchange is a call that was checked and encoded. Each attempt sends the same bytes and
// is signed again.
type exchange struct {
	op         string // in errors and logs
	name       string // for an Observer
	task       string // id, for logs; may be empty
	method     string
	url        string
	body       []byte
	repeatable bool            // may be carried out twice
	linger     time.Duration   // how long to wait for an answer after the context has ended
	secrets    func() []string // of the body; may be nil
}

// exchange makes the attempts. accept judges an answer and keeps what it needs of it.
func (c *Client) exchange(ctx context.Context, e *exchange, accept func(*attempt) error) error {
	err := httpx.Repeat(ctx, c.cfg.Attempts, c.cfg.Backoff.pace(), e.again, func(n int) error {
		return c.attempt(ctx, e, n, func(a *attempt) error { return a.send(accept) }) //nolint:contextcheck // a has it.
	})
	return wrap(e.op, err)
}

// attempt is one attempt of a call, and its answer.
type attempt struct {
	c           *Client
	e           *exchange
	ctx         context.Context //nolint:containedctx // It lasts as long as the attempt.
	n           int
	start, sent time.Time
	response    *httpx.Response // nil if there was none
	finish      func(weboffice.Outcome)
}

var errPanic = &localError{errors.New("panic in a function of the caller")}

// attempt makes attempt n of e by do, and reports it.
func (c *Client) attempt(ctx context.Context, e *exchange, n int, do func(*attempt) error) (err error) {
	a := &attempt{c: c, e: e, n: n, start: c.clock()}
	a.ctx, a.finish = observe.Start(ctx, c.cfg.Observe, weboffice.Operation{Name: e.name, Attempt: n})
	err = errPanic // unless do returns
	defer func() { a.report(err) }()
	return do(a)
}

func (a *attempt) send(accept func(*attempt) error) error {
	if err := a.c.cfg.Limiter.Wait(a.ctx); err != nil {
		if ended := httpx.Ended(a.ctx); ended != nil {
			err = ended // a Limiter need not know the cause
		}
		return unsentError{fmt.Errorf("%w: %w", errLimiter, redact.Error(err))}
	}
	a.sent = a.c.clock()
	ctx, stop := lingering(a.ctx, a.e.linger)
	defer stop()
	response, err := a.c.calls.Do(ctx, httpx.Request{Method: a.e.method, URL: a.e.url, Body: a.e.body})
	a.response = response
	if err != nil { // of a transport of the caller, which may show the body
		err = redact.Error(err, a.secrets()...)
	}
	switch {
	case errors.Is(err, httpx.ErrNotSent):
		return unsentError{err}
	case response == nil:
		return err
	case err != nil:
		return a.fail(err)
	default:
		return accept(a)
	}
}

// lingering returns a context that ends d after ctx does.
func lingering(ctx context.Context, d time.Duration) (context.Context, func()) {
	if d <= 0 {
		return ctx, func() {}
	}
	longer, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		_ = httpx.Sleep(longer, d)
		cancel(httpx.Ended(ctx))
	})
	return longer, func() { stop(); cancel(nil) }
}

// unsentError is why a call was not sent. It wraps errLimiter if the Limiter said no.
type unsentError struct{ error }

var errLimiter = errors.New("limiter")

func (e unsentError) Unwrap() error        { return e.error }
func (e unsentError) Is(target error) bool { return target == ErrNotAccepted }

// again decides by kind: a call that may be carried out twice is repeated after any
// temporary failure, every other one only if the service rejected it by the rate limit.
func (e *exchange) again(err error) (asked time.Duration, ok bool) {
	var refused *APIError
	if !errors.As(err, &refused) { // no answer
		return 0, e.repeatable && !errors.Is(err, errLimiter)
	}
	if e.repeatable {
		return refused.RetryAfter, refused.limited || refused.temporary()
	}
	return refused.RetryAfter, refused.limited && refused.RetryAfter <= longestRetryAfter
}

// temporary reports whether the same query may get another answer later.
func (e *APIError) temporary() bool {
	switch e.Code {
	case codeUnknown, codeTimeout, CodeInternalError, codeAccountUpgrading:
		return true
	case 0: // not an answer of the API itself
		return e.StatusCode >= 500 || e.StatusCode == 408 || e.StatusCode/100 == 2 && !errors.Is(e.Err, httpx.ErrTooLarge)
	default:
		return e.StatusCode >= 500
	}
}

// report tells the Observer and the Logger how the attempt ended.
func (a *attempt) report(err error) {
	if a.c.cfg.Observe == nil && !a.c.cfg.Logger.Enabled(a.ctx, slog.LevelWarn) {
		return
	}
	if a.sent.IsZero() {
		a.sent = a.c.clock() // all of it was waiting
	}
	o := weboffice.Outcome{App: a.c.app, Error: kind(err), Waited: a.sent.Sub(a.start)}
	var refused *APIError
	switch {
	case errors.As(err, &refused):
		o.Status, o.Code, o.RequestID = refused.StatusCode, refused.Code, refused.RequestID
	case a.response != nil:
		o.Status, o.RequestID = a.response.StatusCode, requestID(a.response.Header, a.secrets())
	}
	a.finish(o)
	a.log(o, err)
}

// log writes a line. The end of the context is not a failure of the service.
func (a *attempt) log(o weboffice.Outcome, err error) {
	level, message := slog.LevelDebug, "convert: call"
	if err != nil {
		message = "convert: call failed"
		if a.ctx.Err() == nil {
			level = slog.LevelWarn
		}
	}
	attrs := []slog.Attr{
		slog.String("op", a.e.op), slog.Int("attempt", a.n),
		slog.Duration("took", a.c.clock().Sub(a.start)),
	}
	if a.e.task != "" {
		attrs = append(attrs, slog.String("task", a.e.task))
	}
	if err != nil { // its text has status, code and request id
		attrs = append(attrs, slog.String("error", err.Error()))
	} else if o.RequestID != "" {
		attrs = append(attrs, slog.String("request_id", o.RequestID))
	}
	a.c.cfg.Logger.LogAttrs(a.ctx, level, message, attrs...)
}

// kind returns the word that weboffice.Outcome has for an error.
func kind(err error) string {
	var refused *APIError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &refused) && refused.limited:
		return "rate_limited"
	case errors.As(err, &refused) && refused.Code == 0 && refused.StatusCode/100 == 2, errors.Is(err, ErrSize), errors.As(err, new(*FieldError)):
		return "invalid"
	case errors.As(err, &refused), errors.Is(err, ErrExpired):
		return "refused"
	case errors.As(err, new(*localError)):
		return "failed"
	case errors.Is(err, errLimiter) && observe.Kind(err) == "network":
		return "rate_limited"
	default:
		return observe.Kind(err)
	}
}
