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

// Cache is a [Source] that keeps the tokens of another Source, and asks it rarely:
//
//   - However many callers ask for an app, one fetch of it runs.
//   - Each caller waits as long as its own context allows. A fetch goes on when its
//     callers have left, up to FetchTimeout.
//   - A token that expires within Early is refreshed while its callers immediately get
//     the old one. If that fails, they keep getting the old one until one second before
//     it expires, and the refresh is repeated after a pause, from one second up to one
//     minute or half of the time that is left.
//   - Errors are not kept: the callers that waited share the error, and the next caller
//     starts a fetch again. A token without ExpiresAt is not kept either.
//   - A Source that does not return after FetchTimeout is abandoned: its callers get an
//     error that names it, and the next one asks again. It is not asked for an app while
//     four abandoned calls for it still run, nor for any while 64 apps have such calls.
//
// Only apps with a valid token take room, so the Source bounds their number. The only
// goroutines are those of fetches; there is nothing to close. A Cache is safe for
// concurrent use. Getting a token that is kept takes no lock and allocates nothing.
//
// A fetch has the values of the context of the caller that began it, for as long as that
// caller waits: servers such as fasthttp use the context again for another request. A
// refresh has none, as nobody waits for it.
//
// A Cache does not notice that a client secret was replaced: it keeps a token for as long
// as it is valid, and uses the new secret for the next one. Call [Cache.Forget] if the
// token must be replaced now.
//
// Machines that share tokens put a shared store between the Cache and the endpoint, as a
// Source. It locks the app, so that one machine fetches and the others wait; returns the
// stored token unless that expires within DefaultEarly; and otherwise asks the endpoint
// and stores the result. The store must write AccessToken.Reveal(), since a
// signing.Secret encodes as "[secret]".
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

// Format prints the name of the type. To print the map of running fetches while it
// changes would end the program.
func (c *Cache) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "token.Cache") }

// Token implements [Source]. The error is that of the Source, or says that ctx ended,
// and then wraps both ctx.Err() and context.Cause(ctx).
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

// Forget drops the token of an app, for example after it was revoked. A running fetch no
// longer counts: those who wait for it get its result, and later callers get a later one.
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
