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
// if the task failed. Each range over the result is a new wait, and nothing runs after
// a break. If a query fails Config.Attempts times, the wait ends; the task goes on.
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

// Wait follows t and returns the result. The error is a [*TaskError]; unless it is
// [ErrFailed], the task may be waited for again.
func (c *Client) Wait(ctx context.Context, t Task) (*Result, error) {
	s := &saving{c: c, task: t}
	bounded, cancel := c.bound(ctx)
	defer cancel()
	err := s.await(ctx, bounded)
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
	deadline := c.clock().Add(c.cfg.MaxWait)
	timer := time.AfterFunc(c.cfg.MaxWait, func() { end(ErrWaitLimit) })
	pause = func(f func()) {
		if start := c.clock(); timer.Stop() {
			defer func() {
				now := c.clock()
				deadline = deadline.Add(now.Sub(start))
				timer.Reset(deadline.Sub(now))
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
