package convert

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/weboffice-go/weboffice/internal/httpx"
	"github.com/weboffice-go/weboffice/internal/redact"
)

// longestRetryAfter is how long a submit waits, at most, because the service asked
// it to. What is longer is for the caller, who finds it in APIError.RetryAfter; a
// call that may be repeated waits as long as its context lets it.
const longestRetryAfter = time.Minute

// exchange is a call that was checked and encoded: all its attempts send the same
// bytes, and each is signed anew.
type exchange struct {
	op         string
	method     string
	url        string
	body       []byte
	repeatable bool            // may be carried out twice
	secrets    func() []string // of the body; nil: none
}

// exchange makes the attempts. accept judges an answer and keeps what it needs of it.
func (c *Client) exchange(ctx context.Context, e *exchange, accept func(*answer) error) error {
	attempt := 0
	err := httpx.Repeat(ctx, c.cfg.Attempts, c.cfg.Backoff.pace(), e.again, func() error {
		attempt++
		start := c.cfg.Now()
		err := c.attempt(ctx, e, accept)
		c.log(ctx, e.op, attempt, start, err)
		return err
	})
	return wrap(e.op, err)
}

func (c *Client) attempt(ctx context.Context, e *exchange, accept func(*answer) error) error {
	if err := c.cfg.Limiter.Wait(ctx); err != nil {
		if ended := httpx.Ended(ctx); ended != nil {
			err = ended // a Limiter need not know the cause
		}
		return &unsentError{redact.Error(err)}
	}
	response, err := c.calls.Do(ctx, httpx.Request{Method: e.method, URL: e.url, Body: e.body})
	if response == nil {
		return err
	}
	a := &answer{e: e, response: response, c: c}
	if err != nil {
		return a.fail(err)
	}
	return accept(a)
}

// unsentError is why the Limiter let no call through.
type unsentError struct{ cause error }

func (e *unsentError) Error() string { return "limiter: " + e.cause.Error() }
func (e *unsentError) Unwrap() error { return e.cause }

// again decides by kind: a call that may be carried
// out twice is repeated after any failure that may pass, every other one only
// where the service refused it for its rate.
func (e *exchange) again(err error) (asked time.Duration, ok bool) {
	var refused *APIError
	var unsent *unsentError
	switch {
	case errors.As(err, &unsent):
		return 0, false
	case errors.As(err, &refused):
		ok = refused.limited || e.repeatable && refused.mayPass()
		return refused.RetryAfter, ok && (e.repeatable || refused.RetryAfter <= longestRetryAfter)
	default: // no answer
		return 0, e.repeatable
	}
}

// mayPass reports whether the same query may find another answer later.
func (e *APIError) mayPass() bool {
	switch e.Code {
	case CodeUnknown, CodeTimeout, CodeInternalError, CodeAccountUpgrading:
		return true
	case 0: // no answer of the API itself
		return e.StatusCode >= 500 || e.StatusCode == 408 || e.StatusCode/100 == 2 && !errors.Is(e.Err, httpx.ErrTooLarge)
	default:
		return e.StatusCode >= 500
	}
}

// log writes one line per attempt; end of ctx is not a failure of the service.
func (c *Client) log(ctx context.Context, op string, attempt int, start time.Time, err error) {
	level := slog.LevelDebug
	if err != nil && ctx.Err() == nil {
		level = slog.LevelWarn
	}
	if !c.cfg.Logger.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("op", op), slog.Int("attempt", attempt),
		slog.Duration("took", c.cfg.Now().Sub(start)),
	}
	if err == nil {
		c.cfg.Logger.LogAttrs(ctx, level, "convert: call", attrs...)
		return
	}
	c.cfg.Logger.LogAttrs(ctx, level, "convert: call failed", append(attrs, slog.String("error", err.Error()))...)
}
