package token

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// DefaultEarly is when a token is refreshed: so long ahead of its end.
	DefaultEarly = 5 * time.Minute
	// DefaultFetchTimeout is the longest that one call of the Source may take. A fetch
	// goes on when the caller that began it has left.
	DefaultFetchTimeout = 30 * time.Second
	// MaxCachedApps is how many apps a Cache keeps a token of. For one more, it
	// drops the token that ends first.
	MaxCachedApps = 1024
)

// CacheOptions are the settings of a [Cache]; every field has a default.
type CacheOptions struct {
	Early        time.Duration    // A token is refreshed so long ahead of its end, or at half of its life where that is later. If zero or negative, DefaultEarly.
	FetchTimeout time.Duration    // If zero or negative, DefaultFetchTimeout.
	Logger       *slog.Logger     // Refreshes that failed at Warn: their callers got a valid token, and no error. If nil, nothing is logged.
	Now          func() time.Time // The clock that tokens end by. If nil, time.Now.
}

// Cache is a [Source] that keeps the tokens of another Source, which it asks as
// seldom as it can:
//
//   - However many callers ask for an app, one fetch of it is under way.
//   - Each caller waits as long as its own context lets it. A fetch goes on when
//     its callers have left: it has the values of the first caller's context, and
//     FetchTimeout, which the Source must obey.
//   - A token that ends within Early is fetched anew while its callers get the
//     old one at once. Should that fail, they go on getting it until its last
//     second, and the fetch is repeated after a pause, from one second up to one
//     minute, or half of what is left.
//   - Errors are not kept: those who waited for the fetch share its error, and
//     the next caller tries anew. A token without ExpiresAt is not kept either.
//   - At most [MaxCachedApps] apps are kept, and an app without a token takes no room.
//
// A Cache starts no goroutine but that of a fetch, which ends with it; there is
// nothing to close. It is safe for concurrent use. Getting a token that is kept
// takes no lock and allocates nothing.
//
// # Many machines
//
// Machines that shall share one token put the shared store between Cache and
// endpoint, as a Source of its own:
//
//	shared := token.SourceFunc(func(ctx context.Context, appID string) (token.Token, error) {
//		unlock, err := store.Lock(ctx, appID) // one machine fetches, the others wait
//		if err != nil {
//			return token.Token{}, err
//		}
//		defer unlock()
//		t, err := store.Get(ctx, appID)
//		if err == nil && time.Until(t.ExpiresAt) > token.DefaultEarly {
//			return t, nil
//		}
//		if t, err = endpoint.Token(ctx, appID); err != nil {
//			return token.Token{}, err
//		}
//		return t, store.Set(ctx, appID, t)
//	})
//	cache := token.NewCache(shared, nil)
//
// The store has to write the token itself: a signing.Secret encodes as "[secret]".
type Cache struct {
	source Source
	opts   CacheOptions

	kept atomic.Pointer[map[string]*entry] // copied when an app comes or goes

	mu      sync.Mutex
	flights map[string]*flight
}

// entry is what is kept of one app.
type entry struct{ atomic.Pointer[held] }

// held is a token at one moment of its life. It is never changed, only replaced.
type held struct {
	token    Token
	due      time.Duration // When no more than this is left, it is fetched anew.
	least    time.Duration // When less than this is left, its callers wait for a new one.
	failures int           // refreshes that failed since it was fetched
}

// lastSecond is held.least of tokens that do not live for moments only: the
// callback's answer counts whole seconds.
const lastSecond = time.Second

// NewCache keeps the tokens of s. A nil opts is the zero CacheOptions.
func NewCache(s Source, opts *CacheOptions) *Cache {
	c := &Cache{source: s, flights: map[string]*flight{}}
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
	if c.opts.Now == nil {
		c.opts.Now = time.Now
	}
	c.kept.Store(&map[string]*entry{})
	return c
}

// Token implements [Source]. Its error is that of the Source, or says that ctx
// ended, and then wraps both ctx.Err() and context.Cause(ctx).
func (c *Cache) Token(ctx context.Context, appID string) (Token, error) {
	e := (*c.kept.Load())[appID]
	if e == nil {
		return c.wait(ctx, appID)
	}
	h := e.Load()
	left := h.token.left(c.opts.Now())
	if left < h.least {
		return c.wait(ctx, appID)
	}
	if left <= h.due && e.CompareAndSwap(h, h.refreshing()) {
		c.refresh(ctx, appID)
	}
	return h.token, nil
}

// Forget takes the token of an app out of the Cache, as after a revocation. A fetch
// that is under way no longer counts: those who wait for it get what it brings, and who
// asks from now on gets a later one.
func (c *Cache) Forget(appID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.flights, appID)
	if (*c.kept.Load())[appID] != nil {
		c.replace(appID, nil)
	}
}

// wait joins the fetch that is under way, or starts one.
func (c *Cache) wait(ctx context.Context, appID string) (Token, error) {
	if ctx.Err() != nil {
		return Token{}, ended(ctx)
	}
	f, t := c.join(ctx, appID)
	if f == nil {
		return t, nil
	}
	select {
	case <-f.done:
		return f.token, f.err
	case <-ctx.Done():
		return Token{}, ended(ctx)
	}
}

// join returns the fetch to wait for, or the token that another one has brought
// by now.
func (c *Cache) join(ctx context.Context, appID string) (*flight, Token) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.flights[appID]; f != nil {
		return f, Token{}
	}
	if e := (*c.kept.Load())[appID]; e != nil {
		if h := e.Load(); h.token.left(c.opts.Now()) >= h.least {
			return nil, h.token
		}
	}
	return c.launch(ctx, appID), Token{}
}

// refresh starts a fetch for which nobody waits.
func (c *Cache) refresh(ctx context.Context, appID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.flights[appID] == nil {
		c.launch(ctx, appID)
	}
}

// ended says that the caller's own context ended the wait.
func ended(ctx context.Context) error {
	return fmt.Errorf("token: waiting for a token: %w", whyEnded(ctx))
}

// whyEnded is ctx.Err(), together with context.Cause(ctx) where that says more.
func whyEnded(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}
