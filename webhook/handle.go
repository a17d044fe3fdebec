package webhook

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/weboffice-go/weboffice"
	"github.com/weboffice-go/weboffice/internal/callback"
	"github.com/weboffice-go/weboffice/internal/httpx"
)

// handled is the verdict on an event that Handle works on in the background.
var handled = accepted()

// accept handles e, or begins to, unless it is a repeat or Shutdown was called. In
// the background it ends the operation itself.
func (r *Receiver) accept(ctx context.Context, e Event, end func(weboffice.Outcome)) *verdict {
	if !r.enter() {
		return busy("rate_limited", "busy or shut down")
	}
	if v := r.claim(ctx, e); v != nil {
		r.leave()
		return v
	}
	if r.cfg.Background == 0 {
		r.leave()
		return r.handle(ctx, e)
	}
	go func() {
		defer r.leave()
		outcome := weboffice.Outcome{App: e.Robot, Status: http.StatusOK, Error: "failed"} // stays if Handle calls runtime.Goexit
		defer func() {
			// Here a panic would end the process.
			if err := guarded(ctx, storeTimeout, func(context.Context) error { end(outcome); return nil }); err != nil {
				r.logError(ctx, "webhook: observe event", e, err)
			}
		}()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(r.life, cancel)() //nolint:contextcheck // Shutdown can end it, too.
		outcome.Error = r.handle(ctx, e).kind
	}()
	return handled
}

// enter takes a slot, until leave is called. It fails if all are busy or Shutdown was
// called.
func (r *Receiver) enter() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.cfg.Background > 0 && r.running == r.cfg.Background {
		return false
	}
	r.running++
	return true
}

func (r *Receiver) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running--; r.running == 0 && r.closed {
		close(r.idle)
	}
}

// claim returns nil if e is to be handled.
func (r *Receiver) claim(ctx context.Context, e Event) *verdict {
	if e.CTime == 0 {
		return nil
	}
	var taken, finished bool
	err := guarded(ctx, storeTimeout, func(ctx context.Context) (err error) {
		taken, finished, err = r.cfg.Seen.Take(ctx, e.ID(), r.cfg.Timeout+leaseMargin)
		return err
	})
	switch {
	case err != nil:
		r.logError(ctx, "webhook: take event", e, err)
		return busy("failed", "the store of Seen failed")
	case taken:
		return nil
	case finished, r.cfg.Background > 0: // there, the first delivery was answered before it was handled
		r.cfg.Logger.DebugContext(ctx, "webhook: event delivered again", slog.Any("event", e))
		return accepted()
	default:
		return busy("rate_limited", "delivered again while it is being handled")
	}
}

// handle runs Handle and says how it ended.
func (r *Receiver) handle(ctx context.Context, e Event) *verdict {
	start := now()
	err := guarded(ctx, r.cfg.Timeout, func(ctx context.Context) error { return r.cfg.Handle(ctx, e) })
	if e.CTime != 0 {
		r.settle(ctx, e, err == nil, now().Sub(start))
	}
	if err == nil {
		return accepted()
	}
	r.logError(ctx, "webhook: handle event", e, err)
	return &verdict{status: http.StatusInternalServerError, result: "internal error", kind: "failed"}
}

// settle ends the claim on e.
func (r *Receiver) settle(ctx context.Context, e Event, success bool, took time.Duration) {
	end := r.cfg.Seen.Finish
	if !success {
		end = r.cfg.Seen.Release
		if took > r.cfg.Timeout+leaseMargin {
			return // the claim has expired, and another process may have taken e
		}
	}
	if err := guarded(context.WithoutCancel(ctx), storeTimeout, func(ctx context.Context) error { return end(ctx, e.ID()) }); err != nil {
		r.logError(ctx, "webhook: settle event", e, err)
	}
}

// guarded calls code of the integrator, and makes an error of a panic.
func guarded(ctx context.Context, timeout time.Duration, f func(context.Context) error) (err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	defer func() {
		if v := recover(); v != nil {
			err = callback.Recovered(v)
		}
	}()
	return f(ctx)
}

// logError logs an error of the integrator, whose methods are theirs too and may panic.
func (r *Receiver) logError(ctx context.Context, message string, e Event, err error) {
	secrets := []string{e.RobotKey.Reveal(), e.Content}
	for _, key := range r.cfg.RobotKeys {
		secrets = append(secrets, key.Reveal())
	}
	callback.Settle(err, func(err error) {
		args := []any{slog.Any("event", e), slog.String("error", callback.ScrubError(err, secrets...))}
		if p, ok := err.(*callback.PanicError); ok { //nolint:errorlint // Only one that was recovered here, not one that Handle returns.
			args = append(args, slog.String("stack", string(p.Stack)))
		}
		r.cfg.Logger.ErrorContext(ctx, message, args...)
	})
}

// detached returns a context for work that goes on after the answer: it does not end
// with the request. A server may use the request's context again for another request,
// as fasthttp does; only of net/http's own are the values kept.
func detached(ctx context.Context) context.Context {
	if ctx.Value(http.ServerContextKey) == nil {
		return context.Background()
	}
	return context.WithoutCancel(ctx)
}

// Shutdown answers further events by 503, and waits for every Handle in the background.
// If ctx ends first, it cancels their contexts and returns why ctx ended. Call
// http.Server's own Shutdown first.
func (r *Receiver) Shutdown(ctx context.Context) error {
	r.mu.Lock()
	if !r.closed && r.running == 0 {
		close(r.idle)
	}
	r.closed = true
	r.mu.Unlock()
	select {
	case <-r.idle:
	case <-ctx.Done():
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running == 0 {
		return nil
	}
	r.end()
	return fmt.Errorf("webhook: receiver: shutdown: %d events were in progress and have been canceled: %w", r.running, httpx.Ended(ctx))
}
