package convert

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/weboffice-go/weboffice/internal/httpx"
)

// Watch follows t. Each range over the result is a new wait: it queries immediately,
// then after the pauses of Config.Backoff, and yields every Status until one is Done. Any
// other end is a [*TaskError]: together with the last Status if the task failed, and with
// a nil Status otherwise. Nothing follows an error, and nothing runs after a break.
//
// A query that fails is repeated up to Config.Attempts; then the wait ends. The task goes
// on at the service, and may be watched again.
func (c *Client) Watch(ctx context.Context, t Task) iter.Seq2[*Status, error] {
	return func(yield func(*Status, error) bool) {
		bounded, cancel := c.bound(ctx)
		defer cancel()
		c.watch(ctx, bounded, t, yield)
	}
}

// watch is Watch with bounded, which is ctx with a limit.
func (c *Client) watch(ctx, bounded context.Context, t Task, yield func(*Status, error) bool) {
	var last *Status
	end := func(s *Status, err error) { yield(s, &TaskError{Task: t, Last: last, Err: err}) }
	for n := 0; ; n++ {
		status, err := c.Status(bounded, t)
		if err != nil {
			end(nil, waitError(ctx, bounded, err))
			return
		}
		last = status
		switch phase := c.cfg.Classify(status); {
		case phase == Done && status.Result == nil:
			end(nil, ErrNoResult)
			return
		case phase == Failed:
			end(status, ErrFailed)
			return
		case !yield(status, nil) || phase == Done:
			return
		}
		if err := httpx.Sleep(bounded, c.cfg.Backoff.pace().Pause(n, 0)); err != nil {
			end(nil, waitError(ctx, bounded, err))
			return
		}
	}
}

// Wait follows t as [Client.Watch] does, and returns the result. The error is a
// [*TaskError]; unless it is [ErrFailed], the same task may be waited for again.
func (c *Client) Wait(ctx context.Context, t Task) (*Result, error) {
	var last *Status
	for status, err := range c.Watch(ctx, t) {
		if err != nil {
			return nil, err
		}
		last = status
	}
	return last.Result, nil
}

// bound ends ctx after Config.MaxWait.
func (c *Client) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.cfg.MaxWait < 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, c.cfg.MaxWait, ErrWaitLimit)
}

// limit is bound with a clock that stops while pause runs a function.
func (c *Client) limit(ctx context.Context) (bounded context.Context, pause func(func()), cancel func()) {
	bounded, end := context.WithCancelCause(ctx)
	if c.cfg.MaxWait < 0 {
		return bounded, func(f func()) { f() }, func() { end(nil) }
	}
	deadline := time.Now().Add(c.cfg.MaxWait)
	timer := time.AfterFunc(c.cfg.MaxWait, func() { end(ErrWaitLimit) })
	pause = func(f func()) {
		if start := time.Now(); timer.Stop() {
			defer func() {
				deadline = deadline.Add(time.Since(start))
				timer.Reset(time.Until(deadline))
			}()
		}
		f()
	}
	return bounded, pause, func() { timer.Stop(); end(nil) }
}

// waitError says why a wait ended: the caller's context, MaxWait, or err itself. A query
// that says that the task's work failed is the end of the task.
func waitError(ctx, bounded context.Context, err error) error {
	var answer *APIError
	answered := errors.As(err, &answer)
	switch {
	case ctx.Err() != nil && !answered:
		return httpx.Ended(ctx)
	case errors.Is(context.Cause(bounded), ErrWaitLimit):
		if answered {
			return fmt.Errorf("%w: %w", ErrWaitLimit, answer)
		}
		return ErrWaitLimit
	case answered && answer.Code == codeExecuteFailed:
		return fmt.Errorf("%w: %w", ErrFailed, answer)
	default:
		return err
	}
}
