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

// Defaults of [CacheOptions].
const (
	DefaultEarly        = 5 * time.Minute
	DefaultFetchTimeout = 30 * time.Second
)

// CacheOptions are the settings of a [Cache].
type CacheOptions struct {
	Early        time.Duration    // A token is refreshed this long before its expiry, or at half of its life if that is later. If not positive, DefaultEarly.
	FetchTimeout time.Duration    // Of one call of the Source. If not positive, DefaultFetchTimeout.
	Logger       *slog.Logger     // Failed refreshes at Warn. If nil, nothing is logged.
	Now          func() time.Time // The clock for expiry. If nil, time.Now.
}

// Cache is a [Source] that keeps the tokens of another Source:
//
//   - One fetch of an app runs at a time, and its callers share the result, also an error,
//     which is not kept.
//   - Each caller waits as long as its own context allows; the fetch goes on without it.
//     It has the values of its first caller's context, while that caller waits.
//   - A token that expires within Early is refreshed; callers immediately get the old one,
//     until one second before it expires. A failed refresh is repeated after a pause of one
//     second to one minute.
//   - A Source that does not return after FetchTimeout is abandoned, with an error that
//     names it. It is not asked while four such calls of the app still run, or 64 apps have
//     some.
//
// The number of apps is not limited: expired tokens are dropped. A Cache need not be
// closed.
//
// Machines share tokens by a Source between the Cache and the endpoint, such as that of the
// module token/tokenredis.
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

// Forget drops the token of an app, such as one that was revoked. The result of a running
// fetch is not kept.
func (c *Cache) Forget(appID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.fetches, appID)
	c.kept.Delete(appID)
}

func (c *Cache) find(appID string) *cached {
	v, _ := c.kept.Load(appID)
	if k, ok := v.(*cached); ok {
		return k
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
