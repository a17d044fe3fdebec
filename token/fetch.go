package token

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/weboffice-go/weboffice/internal/callback"
)

const (
	firstPause = time.Second // after the first failed refresh
	maxPause   = time.Minute

	grace       = 100 * time.Millisecond // for a Source that obeys its context to say what it was doing
	maxLate     = 4                      // abandoned calls of one app that still run
	maxLateApps = 64                     // apps that have some
)

// fetch is one call of the Source. token and err may be read once done is closed.
type fetch struct {
	appID string
	done  chan struct{}
	token Token
	err   error
}

// values lends the values of a caller's context to a fetch that may outlive the caller.
type values struct {
	context.Context //nolint:containedctx // It is a context itself, without an end.

	mu sync.RWMutex
	of context.Context //nolint:containedctx // Whose values they are; nil once the caller has left.
}

// Value returns a value of the caller's context.
func (v *values) Value(key any) any {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if v.of == nil {
		return nil
	}
	return v.of.Value(key)
}

// end waits for calls of Value, and lets none use the caller's context from now on.
func (v *values) end() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.of = nil
}

// start starts a fetch, which always ends: also if the Source panics, ends its goroutine, or
// does not return. c.mu is held.
func (c *Cache) start(ctx context.Context, appID string) *fetch {
	f := &fetch{appID: appID, done: make(chan struct{})}
	c.fetches[appID] = f
	if n := c.late[appID]; n >= maxLate || len(c.late) >= maxLateApps {
		go c.finish(f, Token{}, fmt.Errorf("token: %s is not asked: earlier calls have not returned, %d for app %q and some for %d apps in all",
			nameOf(c.source), n, appID, len(c.late)))
		return f
	}
	ctx, cancel := context.WithTimeout(ctx, c.opts.FetchTimeout)
	watchdog := time.AfterFunc(c.opts.FetchTimeout+grace, func() {
		c.countLate(appID, 1)
		c.finish(f, Token{}, fmt.Errorf("token: %s did not return within %v, although its context ended: %w",
			nameOf(c.source), c.opts.FetchTimeout, context.DeadlineExceeded))
	})
	go func() {
		t, err := Token{}, errors.New("token: the source ended its goroutine")
		defer func() {
			if v := recover(); v != nil {
				err = callback.Recovered(v)
			}
			cancel()
			if watchdog.Stop() {
				c.finish(f, t, err)
			} else { // it was abandoned
				c.countLate(appID, -1)
			}
		}()
		if t, err = c.source.Token(ctx, appID); err == nil {
			err = t.check(c.opts.Now())
		}
	}()
	return f
}

func (c *Cache) countLate(appID string, more int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.late[appID] += more; c.late[appID] == 0 {
		delete(c.late, appID)
	}
}

// finish ends f, and logs why a refresh failed.
func (c *Cache) finish(f *fetch, t Token, err error) {
	left, failure := c.settle(f, t, err, c.opts.Now())
	if failure == nil {
		return
	}
	// The logger and the methods of the error are code of an integrator: no lock is held,
	// and a panic in them does no harm.
	callback.Settle(failure, func(err error) {
		c.opts.Logger.Warn("token: refresh failed, the old token is still valid",
			slog.String("app_id", f.appID), slog.Duration("left", left), slog.String("error", callback.ScrubError(err)))
	})
}

// settle stores the result of f, unless the app was forgotten meanwhile, and ends the
// wait for it. If an old token is used instead, it returns the time left of that, and why
// f failed.
func (c *Cache) settle(f *fetch, t Token, err error, now time.Time) (left time.Duration, failure error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer close(f.done)
	if err != nil {
		t = Token{}
	}
	f.token, f.err = t, err
	if c.fetches[f.appID] != f {
		return 0, nil
	}
	delete(c.fetches, f.appID)
	if err == nil && !t.ExpiresAt.IsZero() {
		c.keep(f.appID, t, now)
		return 0, nil
	}
	k := c.find(f.appID)
	if left = k.token.left(now); left <= 0 {
		c.kept.Delete(f.appID)
		return 0, nil
	}
	c.kept.Store(f.appID, k.failed(left))
	if err == nil {
		return left, errors.New("token: the source gave a token without ExpiresAt, which cannot be kept")
	}
	f.token, f.err = k.token, nil // for callers that waited in its last second
	return left, err
}

// keep stores t. Once as many tokens were stored as are kept, it drops the expired ones.
func (c *Cache) keep(appID string, t Token, now time.Time) {
	life := t.left(now)
	// The answer of the callback counts whole seconds. Of a token that lives for moments
	// only, the last tenth is left.
	c.kept.Store(appID, &cached{token: t, due: min(c.opts.Early, life/2), least: max(1, min(time.Second, life/10))})
	if c.sweep--; c.sweep > 0 {
		return
	}
	c.sweep = 0
	for appID, v := range c.kept.Range {
		if k, ok := v.(*cached); ok && k.token.left(now) > 0 {
			c.sweep++
		} else {
			c.kept.Delete(appID)
		}
	}
}

// refreshing is k during a refresh.
func (k *cached) refreshing() *cached {
	next := *k
	next.due = 0
	return &next
}

// failed is k after a failed refresh. The last pauses get shorter, so that a Source that
// works again is found in time.
func (k *cached) failed(left time.Duration) *cached {
	pause := min(firstPause<<min(k.failures, 6), maxPause) // 1 s, 2 s, … 32 s, 60 s
	next := *k
	next.due = left - min(pause, max(firstPause, left/2))
	next.failures++
	return &next
}
