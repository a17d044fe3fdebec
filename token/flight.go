package token

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"time"

	"github.com/weboffice-go/weboffice/internal/callback"
)

const (
	firstPause = time.Second // after the first refresh that failed
	maxPause   = time.Minute
)

// flight is one fetch. token and err may be read once done is closed.
type flight struct {
	done  chan struct{}
	token Token
	err   error
}

// launch starts a fetch of appID. c.mu is held.
func (c *Cache) launch(ctx context.Context, appID string) *flight {
	f := &flight{done: make(chan struct{})}
	c.flights[appID] = f
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.opts.FetchTimeout)
	go func() {
		defer cancel()
		c.fly(ctx, appID, f)
	}()
	return f
}

// fly asks the Source, and lands even where the Source ends its goroutine.
func (c *Cache) fly(ctx context.Context, appID string, f *flight) {
	f.err = errors.New("token: the source did not return")
	defer func() { c.land(ctx, appID, f) }()
	defer func() {
		if v := recover(); v != nil {
			f.err = callback.Recovered(v)
		}
	}()
	t, err := c.source.Token(ctx, appID)
	if err == nil {
		err = t.check(c.opts.Now())
	}
	if err != nil {
		t = Token{}
	}
	f.token, f.err = t, err
}

// land settles f, and logs a failure that reaches no caller. The logger and the
// methods of the error are code of an integrator: no lock is held for them, and a
// panic in them ends nothing.
func (c *Cache) land(ctx context.Context, appID string, f *flight) {
	left, failure := c.settle(appID, f)
	if failure == nil {
		return
	}
	callback.Settle(failure, func(err error) {
		c.opts.Logger.LogAttrs(ctx, slog.LevelWarn, "token: refresh failed, the old token still holds",
			slog.String("app_id", appID), slog.Duration("left", left), slog.String("error", callback.Scrub(err.Error())))
	})
}

// settle keeps what f brought, unless it was forgotten meanwhile, and lets those
// who wait go. Where an old token stands in for it, it returns what is left of that,
// and why f failed.
func (c *Cache) settle(appID string, f *flight) (left time.Duration, failure error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer close(f.done)
	if c.flights[appID] != f {
		return 0, nil
	}
	delete(c.flights, appID)
	now := c.opts.Now()
	if f.err == nil && !f.token.ExpiresAt.IsZero() {
		c.keep(appID, newHeld(f.token, f.token.left(now), c.opts.Early))
		return 0, nil
	}
	e := (*c.kept.Load())[appID]
	if e == nil {
		return 0, nil
	}
	h := e.Load()
	left = h.token.left(now)
	if left <= 0 {
		c.replace(appID, nil)
		return 0, nil
	}
	e.Store(h.failed(left))
	if f.err == nil {
		return left, errors.New("token: the source gave a token without ExpiresAt, which cannot be kept")
	}
	failure = f.err
	f.token, f.err = h.token, nil // for those who asked in its last second
	return left, failure
}

// keep stores h. c.mu is held.
func (c *Cache) keep(appID string, h *held) {
	e := (*c.kept.Load())[appID]
	if e != nil {
		e.Store(h)
		return
	}
	e = &entry{}
	e.Store(h)
	c.replace(appID, e)
}

func newHeld(t Token, life, early time.Duration) *held {
	return &held{token: t, due: min(early, life/2), least: max(1, min(lastSecond, life/10))}
}

// refreshing is h while it is being fetched anew.
func (h *held) refreshing() *held {
	anew := *h
	anew.due = 0
	return &anew
}

// failed is h after a refresh that failed with so much of it left. The last ones
// come closer together, so that a Source which works again is found in time.
func (h *held) failed(left time.Duration) *held {
	pause := maxPause
	if h.failures < 6 { // 1 s, 2 s, … 32 s
		pause = firstPause << h.failures
	}
	anew := *h
	anew.due = left - min(pause, max(firstPause, left/2))
	anew.failures++
	return &anew
}

// replace changes the map of what is kept, in a copy; e may be nil. c.mu is held.
func (c *Cache) replace(appID string, e *entry) {
	apps := maps.Clone(*c.kept.Load())
	if e == nil {
		delete(apps, appID)
	} else {
		if len(apps) >= MaxCachedApps {
			delete(apps, firstToEnd(apps))
		}
		apps[appID] = e
	}
	c.kept.Store(&apps)
}

// firstToEnd names the app to drop: tokens that are asked for are fetched anew,
// so the one that ends first has not been asked for the longest.
func firstToEnd(apps map[string]*entry) (first string) {
	var end time.Time
	for appID, e := range apps {
		if at := e.Load().token.ExpiresAt; first == "" || at.Before(end) {
			first, end = appID, at
		}
	}
	return first
}
