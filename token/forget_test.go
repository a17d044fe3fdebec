package token_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
)

func TestCacheForgets(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u := &upstream{life: time.Hour}
		c := token.NewCache(u, nil)
		c.Forget("app") // of nothing
		fetch(t, c, "app-1")
		c.Forget("other")
		get(t, c, "app-1")
		c.Forget("app")
		fetch(t, c, "app-2")
		wantCalls(t, u, 2)
	})
}

// TestCacheForgetsDuringAFetch has a token revoked that is still on its way.
func TestCacheForgetsDuringAFetch(t *testing.T) {
	t.Parallel()
	for _, refresh := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			u := &upstream{takes: 2 * time.Second, life: time.Hour}
			c := token.NewCache(u, nil)
			n := 1
			if refresh {
				fetch(t, c, "app-1")
				time.Sleep(time.Hour - token.DefaultEarly)
				get(t, c, "app-1")
				n = 2
			}
			var wg sync.WaitGroup
			wg.Go(func() {
				if !refresh {
					fetch(t, c, "app-1") // it asked before
				}
			})
			synctest.Wait()
			wantCalls(t, u, n)

			time.Sleep(time.Second)
			c.Forget("app")
			wg.Go(func() { fetch(t, c, "app-"+strconv.Itoa(n+1)) })
			time.Sleep(time.Second) // the first fetch lands
			synctest.Wait()
			if got := c.Apps(); got != 0 {
				t.Errorf("refresh %t: the forgotten fetch was kept", refresh)
			}
			wg.Wait()
			get(t, c, "app-"+strconv.Itoa(n+1))
			wantCalls(t, u, n+1)
		})
	}
}

// TestCacheOfManyApps has no limit at which hits become misses, and keeps nothing of apps
// without a valid token.
func TestCacheOfManyApps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const many = 5000
		var calls atomic.Int64
		c := token.NewCache(token.SourceFunc(func(_ context.Context, appID string) (token.Token, error) {
			calls.Add(1)
			if appID[0] == 'x' {
				return token.Token{}, token.ErrUnknownApp
			}
			return token.Token{AccessToken: signing.NewSecret(appID), ExpiresAt: time.Now().Add(time.Hour)}, nil
		}), nil)
		ask := func(prefix string, n int) {
			for i := range n {
				_, _ = c.Token(t.Context(), prefix+strconv.Itoa(i))
			}
		}
		ask("a", many)
		ask("x", many)
		before := calls.Load()
		ask("a", many)
		if got := calls.Load() - before; got != 0 {
			t.Errorf("%d of %d apps are fetched again although their tokens are kept", got, many)
		}
		if got := c.Apps(); got != many {
			t.Errorf("%d apps kept, want the %d with a token", got, many)
		}
		time.Sleep(2 * time.Hour) // nobody asks for these apps again
		ask("b", many)
		if got := c.Apps(); got >= 2*many {
			t.Errorf("%d apps kept, of which %d have a valid token", got, many)
		}
		if running, late := c.Fetches(); running != 0 || late != 0 {
			t.Errorf("%d fetches left over, %d of them late", running, late)
		}
	})
}

// TestCacheDropsWhatHasEnded lets the source fail for good.
func TestCacheDropsWhatHasEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u := &upstream{life: time.Hour}
		c := token.NewCache(u, nil)
		fetch(t, c, "app-1")
		u.hook = func(context.Context, int) error { return errors.New("down") }
		time.Sleep(time.Hour)
		if _, err := c.Token(t.Context(), "app"); err == nil {
			t.Error("an ended token was given")
		}
		if got := c.Apps(); got != 0 {
			t.Errorf("%d apps kept, want none", got)
		}
	})
}

// store is a token store that machines share, as the comment of Cache shows it.
type store struct {
	lock chan struct{} // holds one element while somebody has the lock
	kept map[string]token.Token
}

func (s *store) source(endpoint token.Source) token.Source {
	return token.SourceFunc(func(ctx context.Context, appID string) (token.Token, error) {
		select {
		case s.lock <- struct{}{}:
			defer func() { <-s.lock }()
		case <-ctx.Done():
			return token.Token{}, ctx.Err()
		}
		t, ok := s.kept[appID]
		if ok && time.Until(t.ExpiresAt) > token.DefaultEarly {
			return t, nil
		}
		t, err := endpoint.Token(ctx, appID)
		if err != nil {
			return token.Token{}, err
		}
		s.kept[appID] = t
		return t, nil
	})
}

// TestCachesShareATokenThroughAStore is two machines over one store.
func TestCachesShareATokenThroughAStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u := &upstream{takes: time.Second, life: 2 * time.Hour}
		shared := &store{lock: make(chan struct{}, 1), kept: map[string]token.Token{}}
		one, two := token.NewCache(shared.source(u), nil), token.NewCache(shared.source(u), nil)

		both := func(want string) {
			t.Helper()
			var wg sync.WaitGroup
			wg.Go(func() { crowd(t, 100, one, want) })
			wg.Go(func() { crowd(t, 100, two, want) })
			wg.Wait()
		}
		both("app-1")
		wantCalls(t, u, 1)

		time.Sleep(2*time.Hour - token.DefaultEarly)
		both("app-1") // nobody waits, and one of the two asks the endpoint
		time.Sleep(time.Second)
		synctest.Wait()
		both("app-2")
		wantCalls(t, u, 2)
	})
}
