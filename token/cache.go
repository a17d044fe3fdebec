package token

import (
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
// A hit takes no lock and allocates nothing. There is no limit of apps: only those with a
// valid token take room. A Cache is safe for concurrent use, and need not be closed.
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

	kept sync.Map // of *cached, by app id

	mu      sync.Mutex
	fetches map[string]*fetch // that callers wait for, by app id
	late    map[string]int    // abandoned calls that still run, by app id
	stored  int               // since expired tokens were dropped
	live    int               // tokens that were valid then
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
	k := c.load(appID)
	left := k.token.left(c.opts.Now())
	if left < k.least {
		return c.wait(ctx, appID)
	}
	if left <= k.due && c.kept.CompareAndSwap(appID, k, k.refreshing()) {
		c.refresh(appID)
	}
	return k.token, nil
}

// Forget drops the token of an app, for example because it was revoked. The result of a
// running fetch goes to its callers, and is not kept.
func (c *Cache) Forget(appID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.fetches, appID)
	c.kept.Delete(appID)
}

func (c *Cache) load(appID string) *cached {
	if k, ok := c.kept.Load(appID); ok {
		return k.(*cached) //nolint:errcheck // Nothing else is stored.
	}
	return absent
}

// store keeps k. Now and then it drops expired tokens, of apps that are no longer asked
// for. c.mu is held.
func (c *Cache) store(appID string, k *cached, now time.Time) {
	const rarely = 1000
	c.kept.Store(appID, k)
	if c.stored++; c.stored < max(rarely, c.live) {
		return
	}
	c.stored, c.live = 0, 0
	c.kept.Range(func(key, value any) bool {
		if value.(*cached).token.left(now) <= 0 { //nolint:errcheck // As in load.
			c.kept.Delete(key)
		} else {
			c.live++
		}
		return true
	})
}

// wait joins the running fetch, or starts one.
func (c *Cache) wait(ctx context.Context, appID string) (Token, error) {
	if ctx.Err() != nil {
		return Token{}, c.left(ctx)
	}
	t, f, lent := c.join(ctx, appID)
	if f == nil {
		return t, nil
	}
	defer lent.end()
	select {
	case <-f.done:
		return f.token, f.err
	case <-ctx.Done():
		return Token{}, c.left(ctx)
	}
}

// join returns the token that another fetch has stored by now, or the fetch to wait for.
// If it starts that, it lends the values of ctx to it.
func (c *Cache) join(ctx context.Context, appID string) (t Token, f *fetch, lent *values) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.fetches[appID]; f != nil {
		return Token{}, f, nil
	}
	if k := c.load(appID); k.token.left(c.opts.Now()) >= k.least {
		return k.token, nil, nil
	}
	lent = &values{Context: context.Background(), of: ctx}
	return Token{}, c.start(lent, appID), lent
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
