package convert

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/weboffice-go/weboffice/internal/httpx"
)

// Watch queries t immediately, then after the pauses of Config.Backoff, and yields
// every Status until one is Done. Any other end is a [*TaskError], with the last Status
// if the task failed. Each range is a new wait; nothing runs after a break. If a query
// fails Config.Attempts times, the wait ends; the task goes on.
func (c *Client) Watch(ctx context.Context, t Task) iter.Seq2[*Status, error] {
	return func(yield func(*Status, error) bool) {
		ctx, cancel := c.bound(ctx)
		defer cancel()
		c.watch(ctx, t, yield)
	}
}

// watch is Watch with a context that has the limit.
func (c *Client) watch(ctx context.Context, t Task, yield func(*Status, error) bool) {
	var last *Status
	end := func(s *Status, err error) { yield(s, &TaskError{Task: t, Last: last, Err: ofTask(err)}) }
	for n := 0; ; n++ {
		status, err := c.Status(ctx, t)
		if err != nil {
			end(nil, waitError(ctx, err))
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
		if err := httpx.Sleep(ctx, c.cfg.Backoff.pace().Pause(n, 0)); err != nil {
			end(nil, waitError(ctx, err))
			return
		}
	}
}

// Wait follows t and returns the result. The error is a [*TaskError]; unless it is
// [ErrFailed], the task may be waited for again.
func (c *Client) Wait(ctx context.Context, t Task) (*Result, error) {
	ctx, cancel := c.bound(ctx)
	defer cancel()
	s := &saving{c: c, task: t}
	err := s.await(ctx)
	return s.result, err
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
	left, since := c.cfg.MaxWait, c.clock()
	timer := time.AfterFunc(left, func() { end(ErrWaitLimit) })
	pause = func(f func()) {
		running := timer.Stop()
		left -= c.clock().Sub(since)
		f()
		since = c.clock()
		if running {
			timer.Reset(left)
		}
	}
	return bounded, pause, func() { timer.Stop(); end(nil) }
}

// waitError says why a wait ended: MaxWait, the caller's context, or err itself. A query
// that says that the task's work failed is the end of the task.
func waitError(ctx context.Context, err error) error {
	var answer *APIError
	answered := errors.As(err, &answer)
	limited := errors.Is(context.Cause(ctx), ErrWaitLimit)
	switch {
	case limited && answered:
		return fmt.Errorf("%w: %w", ErrWaitLimit, answer)
	case limited:
		return ErrWaitLimit
	case ctx.Err() != nil && !answered:
		return httpx.Ended(ctx)
	case answered && answer.Code == codeExecuteFailed:
		return fmt.Errorf("%w: %w", ErrFailed, answer)
	default:
		return err
	}
}
