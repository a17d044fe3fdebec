package token

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weboffice-go/weboffice/internal/callback"
)

const (
	// DefaultEarly is how long before its expiry a token is refreshed.
	DefaultEarly = 5 * time.Minute
	// DefaultFetchTimeout bounds one call of the Source. All attempts of a
	// [ClientCredentials] fit into it.
	DefaultFetchTimeout = 30 * time.Second
)

// CacheOptions are the settings of a [Cache]; every field has a default.
type CacheOptions struct {
	Early        time.Duration    // A token is refreshed this long before its expiry, or at half of its life if that is later. If zero or negative, DefaultEarly.
	FetchTimeout time.Duration    // The longest that one call of the Source may take. If zero or negative, DefaultFetchTimeout.
	Logger       *slog.Logger     // Failed refreshes at Warn: their callers got a valid token, and no error. If nil, nothing is logged.
	Now          func() time.Time // The clock for expiry. If nil, time.Now.
}

// Cache is a [Source] that keeps the tokens of another Source:
//
//   - One fetch of an app runs at a time, and its callers share the result, also an error.
//     Errors and tokens without ExpiresAt are not kept.
//   - Each caller waits as long as its own context allows; the fetch goes on without it.
//     It has the values of its first caller's context, while that caller waits.
//   - A token that expires within Early is refreshed; its callers immediately get the old
//     one. If that fails, they keep getting the old token until one second before it
//     expires, and the refresh is repeated after a pause of one second to one minute.
//   - A Source that does not return after FetchTimeout is abandoned: the callers get an
//     error that names it, and the next one asks again. It is not asked for an app while
//     four abandoned calls for it still run, nor for any while 64 apps have such calls.
//
// A kept token costs no allocation, and no lock but soon after its app was first asked for.
// There is no limit of apps: only those with a valid token take room. A Cache is safe for concurrent use, and need not be closed.
//
// After a client secret was replaced, the token is used until it is refreshed, unless
// [Cache.Forget] is called.
//
// Machines that share tokens put a store between the Cache and the endpoint, as a Source:
// it locks the app, returns the stored token unless that expires within Early, or else
// asks the endpoint and stores AccessToken.Reveal() with ExpiresAt.
type Cache struct {
	source Source
	opts   CacheOptions

	kept atomic.Pointer[map[string]*entry] // read without a lock, never changed; see merge

	mu      sync.Mutex
	fresh   map[string]*entry // apps that are not in kept yet
	slow    int               // tokens that came from fresh since kept was made
	fetches map[string]*fetch // that callers wait for, by app id
	late    map[string]int    // abandoned calls that still run, by app id
}

// entry is what is kept of one app.
type entry struct{ atomic.Pointer[cached] }

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
	c := &Cache{source: s, fresh: map[string]*entry{}, fetches: map[string]*fetch{}, late: map[string]int{}}
	c.kept.Store(&map[string]*entry{})
	if opts != nil {
		c.opts = *opts
	}
	if c.opts.Early <= 0 {
		c.opts.Early = DefaultEarly
	}
	if c.opts.FetchTimeout <= 0 {
		c.opts.FetchTimeout = DefaultFetchTimeout
	}
	if c.opts.Logger == nil {
		c.opts.Logger = slog.New(slog.DiscardHandler)
	}
	c.opts.Now = callback.Clock(c.opts.Now)
	return c
}

// Format prints the name of the type: to print a map while it changes ends the program.
func (c *Cache) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "token.Cache") }

// Token implements [Source]. The error is that of the Source, or wraps ctx.Err() and
// context.Cause(ctx).
func (c *Cache) Token(ctx context.Context, appID string) (Token, error) {
	if e := (*c.kept.Load())[appID]; e != nil {
		t, ok, due := e.get(c.opts.Now())
		if due {
			c.refresh(appID) //nolint:contextcheck // Nobody waits for it.
		}
		if ok {
			return t, nil
		}
	}
	return c.wait(ctx, appID)
}

// Forget drops the token of an app, for example because it was revoked. The result of a
// running fetch goes to its callers, and is not kept.
func (c *Cache) Forget(appID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.fetches, appID)
	if e := c.find(appID); e != nil {
		e.Store(absent)
	}
}

// get returns the token if it may be used. It tells one caller that a refresh is due.
func (e *entry) get(now time.Time) (t Token, ok, due bool) {
	k := e.Load()
	left := k.token.left(now)
	if left < k.least {
		return Token{}, false, false
	}
	return k.token, true, left <= k.due && e.CompareAndSwap(k, k.refreshing())
}

// find returns the entry of an app, or nil. c.mu is held.
func (c *Cache) find(appID string) *entry {
	if e := (*c.kept.Load())[appID]; e != nil {
		return e
	}
	return c.fresh[appID]
}

// merge moves fresh to kept, and drops expired tokens. As that copies all, it waits until
// there is a lot to move, or to gain. c.mu is held.
func (c *Cache) merge(now time.Time) {
	kept := *c.kept.Load()
	if 4*len(c.fresh) <= len(kept) && c.slow <= len(kept) {
		return
	}
	all := make(map[string]*entry, len(kept)+len(c.fresh))
	for _, part := range []map[string]*entry{kept, c.fresh} {
		for appID, e := range part {
			if e.Load().token.left(now) > 0 {
				all[appID] = e
			}
		}
	}
	c.kept.Store(&all)
	c.fresh, c.slow = map[string]*entry{}, 0
}

// wait gets a token under the lock, or joins the running fetch, or starts one.
func (c *Cache) wait(ctx context.Context, appID string) (Token, error) {
	t, f, lent := c.join(ctx, appID)
	if !t.AccessToken.IsZero() {
		return t, nil
	}
	if f == nil {
		return Token{}, c.left(ctx)
	}
	defer lent.end()
	select {
	case <-f.done:
		return f.token, f.err
	case <-ctx.Done():
		return Token{}, c.left(ctx)
	}
}

// join returns the token that is in fresh or was stored meanwhile, or the fetch to wait
// for; neither if ctx has ended. If it starts the fetch, it lends the values of ctx to it.
func (c *Cache) join(ctx context.Context, appID string) (t Token, f *fetch, lent *values) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.find(appID); e != nil {
		now := c.opts.Now()
		t, ok, due := e.get(now)
		if due && c.fetches[appID] == nil {
			c.start(context.Background(), appID) //nolint:contextcheck // Nobody waits for it.
		}
		if ok {
			c.slow++
			c.merge(now)
			return t, nil, nil
		}
	}
	if ctx.Err() != nil {
		return Token{}, nil, nil
	}
	if f := c.fetches[appID]; f != nil {
		return Token{}, f, nil
	}
	lent = &values{Context: context.Background(), of: ctx}
	return Token{}, c.start(lent, appID), lent //nolint:contextcheck // It outlives ctx.
}

// refresh starts a fetch that nobody waits for.
func (c *Cache) refresh(appID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fetches[appID] == nil {
		c.start(context.Background(), appID)
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
