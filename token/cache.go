package token

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/weboffice-go/weboffice/internal/callback"
)

const (
	// DefaultEarly is how long before its expiry a token is refreshed.
	DefaultEarly = 5 * time.Minute
	// DefaultFetchTimeout bounds one call of the Source, with all its attempts.
	DefaultFetchTimeout = 30 * time.Second
)

// CacheOptions are the settings of a [Cache].
type CacheOptions struct {
	Early        time.Duration    // A token is refreshed this long before its expiry, or at half of its life if that is later. If not positive, DefaultEarly.
	FetchTimeout time.Duration    // Of one call of the Source. If not positive, DefaultFetchTimeout.
	Logger       *slog.Logger     // Failed refreshes at Warn: their callers got the old token. If nil, nothing is logged.
	Now          func() time.Time // The clock for expiry. If nil, time.Now.
}

// Cache is a [Source] that keeps the tokens of another Source:
//
//   - One fetch of an app runs at a time, and its callers share the result, also an error.
//     Errors and tokens without ExpiresAt are not kept.
//   - Each caller waits as long as its own context allows; the fetch goes on without it.
//     It has the values of its first caller's context, while that caller waits.
//   - A token that expires within Early is refreshed; callers immediately get the old one,
//     until one second before it expires. A failed refresh is repeated after a pause of one
//     second to one minute.
//   - A Source that does not return after FetchTimeout is abandoned: callers get an error
//     that names it. It is not asked while four such calls of the app still run, or 64 apps
//     have some.
//
// The number of apps is not limited: expired tokens are dropped. A Cache is safe for
// concurrent use, and need not be closed.
//
// Machines that share tokens put a store between the Cache and the endpoint, as a Source:
// it locks the app, returns the stored token unless that expires within Early, or else
// asks the endpoint and stores AccessToken.Reveal() with ExpiresAt.
type Cache struct {
	source Source
	opts   CacheOptions
	kept   sync.Map // *cached by app id

	mu      sync.Mutex        // guards the rest, and changes of kept other than to a refreshing one
	fetches map[string]*fetch // that callers wait for, by app id
	late    map[string]int    // abandoned calls that still run, by app id
	sweep   int               // fetches until expired tokens are dropped
}

// cached is a token that is kept. It is never changed, only replaced.
type cached struct {
	token    Token
	due      time.Duration // If no more than this is left, it is refreshed.
	least    time.Duration // If less than this is left, callers wait for a new token.
	failures int           // Failed refreshes since it was fetched.
}

// absent is the cached of an app without a token.
var absent = &cached{least: math.MaxInt64}

// NewCache keeps the tokens of s. A nil opts is the zero CacheOptions.
func NewCache(s Source, opts *CacheOptions) *Cache {
	c := &Cache{source: s, fetches: map[string]*fetch{}, late: map[string]int{}}
	if opts != nil {
		c.opts = *opts
	}
	if c.opts.Early <= 0 {
		c.opts.Early = DefaultEarly
	}
	if c.opts.FetchTimeout <= 0 {
		c.opts.FetchTimeout = DefaultFetchTimeout
	}
	c.opts.Logger = cmp.Or(c.opts.Logger, slog.New(slog.DiscardHandler))
	c.opts.Now = callback.Clock(c.opts.Now)
	return c
}

// Format prints the name of the type.
func (c *Cache) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "token.Cache") }

// Token implements [Source]. The error is that of the Source, or wraps ctx.Err() and
// context.Cause(ctx).
func (c *Cache) Token(ctx context.Context, appID string) (Token, error) {
	now := c.opts.Now()
	k := c.find(appID)
	left := k.token.left(now)
	if left < k.least {
		return c.wait(ctx, appID, now)
	}
	if left <= k.due && c.kept.CompareAndSwap(appID, k, k.refreshing()) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.fetches[appID] == nil {
			c.start(context.Background(), appID) //nolint:contextcheck // The caller does not wait for it.
		}
	}
	return k.token, nil
}

// Forget drops the token of an app, for example because it was revoked or the client secret
// was replaced. The result of a running fetch is not kept.
func (c *Cache) Forget(appID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.fetches, appID)
	c.kept.Delete(appID)
}

func (c *Cache) find(appID string) *cached {
	if v, ok := c.kept.Load(appID); ok {
		return v.(*cached) //nolint:forcetypeassert // There is nothing else in it.
	}
	return absent
}

// wait joins the running fetch, or starts one.
func (c *Cache) wait(ctx context.Context, appID string, now time.Time) (Token, error) {
	if ctx.Err() != nil {
		return Token{}, c.left(ctx)
	}
	c.mu.Lock()
	if k := c.find(appID); k.token.left(now) >= k.least { // stored meanwhile
		c.mu.Unlock()
		return k.token, nil
	}
	f := c.fetches[appID]
	if f == nil {
		lent := &values{Context: context.Background(), of: ctx}
		defer lent.end()
		f = c.start(lent, appID) //nolint:contextcheck // It outlives ctx.
	}
	c.mu.Unlock()
	select {
	case <-f.done:
		return f.token, f.err
	case <-ctx.Done():
		return Token{}, c.left(ctx)
	}
}

// left says that the caller's own context ended the wait.
func (c *Cache) left(ctx context.Context) error {
	return fmt.Errorf("token: waiting for %s: %w", nameOf(c.source), whyEnded(ctx))
}

// nameOf tells the reader of an error which Source is meant.
func nameOf(s Source) string {
	if c, ok := s.(*ClientCredentials); ok {
		return c.name()
	}
	return fmt.Sprintf("a %T", s)
}

// whyEnded is ctx.Err(), together with context.Cause(ctx) if that says more.
func whyEnded(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

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

	over bool // done is closed. c.mu guards it.
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
		go c.finish(f, true, Token{}, fmt.Errorf("token: %s is not asked: earlier calls have not returned, %d for app %q and some for %d apps in all",
			nameOf(c.source), n, appID, len(c.late)))
		return f
	}
	ctx, cancel := context.WithTimeout(ctx, c.opts.FetchTimeout)
	watchdog := time.AfterFunc(c.opts.FetchTimeout+grace, func() {
		c.finish(f, false, Token{}, fmt.Errorf("token: %s did not return within %v, although its context ended: %w",
			nameOf(c.source), c.opts.FetchTimeout, context.DeadlineExceeded))
	})
	go func() {
		t, err := Token{}, errors.New("token: the source ended its goroutine")
		defer func() {
			if v := recover(); v != nil {
				err = callback.Recovered(v)
			}
			watchdog.Stop()
			cancel()
			c.finish(f, true, t, err)
		}()
		if t, err = c.source.Token(ctx, appID); err == nil {
			err = t.check(c.opts.Now())
		}
	}()
	return f
}

// finish ends f, unless that was done before: a call that returns after it was abandoned
// is only counted.
func (c *Cache) finish(f *fetch, returned bool, t Token, err error) {
	now := c.opts.Now()
	var left time.Duration
	var failure error
	c.mu.Lock()
	switch {
	case !f.over:
		if !returned {
			c.late[f.appID]++
		}
		left, failure = c.settle(f, t, err, now)
	case returned:
		if c.late[f.appID]--; c.late[f.appID] == 0 {
			delete(c.late, f.appID)
		}
	}
	c.mu.Unlock()
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
// f failed. c.mu is held.
func (c *Cache) settle(f *fetch, t Token, err error, now time.Time) (left time.Duration, failure error) {
	defer close(f.done)
	if err != nil {
		t = Token{}
	}
	f.over, f.token, f.err = true, t, err
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
	for appID, k := range c.kept.Range {
		if k.(*cached).token.left(now) > 0 { //nolint:forcetypeassert // There is nothing else in it.
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
	pause := maxPause
	if k.failures < 6 { // 1 s, 2 s, … 32 s
		pause = firstPause << k.failures
	}
	next := *k
	next.due = left - min(pause, max(firstPause, left/2))
	next.failures++
	return &next
}
