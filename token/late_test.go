package token_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokentest"
)

// stuck is a Source that ignores its context while it is stuck, as a driver does that
// waits for a lock.
type stuck struct {
	mu    sync.Mutex
	calls map[string]int
	on    func(appID string, n int) bool // whether the n-th call of an app does not return
	free  chan struct{}                  // closed: all return
}

func newStuck(on func(appID string, n int) bool) *stuck {
	return &stuck{calls: map[string]int{}, on: on, free: make(chan struct{})}
}

func (s *stuck) Token(_ context.Context, appID string) (token.Token, error) {
	s.mu.Lock()
	s.calls[appID]++
	n := s.calls[appID]
	s.mu.Unlock()
	text := "in time"
	if s.on(appID, n) {
		<-s.free
		text = "late"
	}
	return token.Token{AccessToken: signing.NewSecret(text), ExpiresAt: time.Now().Add(time.Hour)}, nil
}

// count is how often an app was asked for, and how many apps were.
func (s *stuck) count(appID string) (calls, apps int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[appID], len(s.calls)
}

func (s *stuck) wantCalls(t *testing.T, n int) {
	t.Helper()
	synctest.Wait()
	if got, _ := s.count("app"); got != n {
		t.Errorf("the source was called %d times, want %d", got, n)
	}
}

func TestCacheAbandonsASourceThatDoesNotReturn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStuck(func(_ string, n int) bool { return n == 1 })
		c := token.NewCache(s, nil)
		start := time.Now()
		_, err := c.Token(t.Context(), "app")
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "*token_test.stuck did not return within 30s") {
			t.Errorf("Token = %v, want that the Source did not return, by name", err)
		}
		if waited := time.Since(start); waited < token.DefaultFetchTimeout || waited > token.DefaultFetchTimeout+time.Second {
			t.Errorf("Token took %v, want FetchTimeout", waited)
		}
		fetch(t, c, "in time")
		get(t, c, "in time")
		s.wantCalls(t, 2)
		// What the abandoned call brings is not kept.
		close(s.free)
		synctest.Wait()
		get(t, c, "in time")
		if running, late := c.Fetches(); running != 0 || late != 0 {
			t.Errorf("%d fetches and %d abandoned calls are left", running, late)
		}
	})
}

// TestCacheBoundsAbandonedCalls for each app, so that one cannot stop the others.
func TestCacheBoundsAbandonedCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStuck(func(appID string, _ int) bool { return appID == "app" })
		c := token.NewCache(s, &token.CacheOptions{FetchTimeout: time.Second})
		var err error
		for range 50 {
			_, err = c.Token(t.Context(), "app")
		}
		if err == nil || !strings.Contains(err.Error(), "*token_test.stuck is not asked: earlier calls have not returned, 4 for app") {
			t.Errorf("Token = %v, want an error that names the Source and its calls", err)
		}
		s.wantCalls(t, 4)
		if _, err := c.Token(t.Context(), "other"); err != nil {
			t.Errorf("another app: %v", err)
		}
		close(s.free) // all calls return from now on
		synctest.Wait()
		fetch(t, c, "late")
	})
}

func TestCacheBoundsAbandonedCallsOfAllApps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStuck(func(string, int) bool { return true })
		c := token.NewCache(s, &token.CacheOptions{FetchTimeout: time.Second})
		for i := range 300 {
			_, _ = c.Token(t.Context(), strings.Repeat("x", i+1))
		}
		if _, apps := s.count(""); apps != 64 {
			t.Errorf("%d apps have calls that are left running, want 64", apps)
		}
		close(s.free)
	})
}

// TestCacheAbandonsARefresh keeps the old token, and tries again after the pause.
func TestCacheAbandonsARefresh(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		s := newStuck(func(_ string, n int) bool { return n == 2 })
		c := token.NewCache(s, &token.CacheOptions{Logger: textLogger(&log)})
		fetch(t, c, "in time")
		time.Sleep(time.Hour - token.DefaultEarly)
		get(t, c, "in time")
		time.Sleep(token.DefaultFetchTimeout + time.Second)
		synctest.Wait()
		if !strings.Contains(log.String(), "refresh failed") || !strings.Contains(log.String(), "did not return within 30s") {
			t.Errorf("the log does not name what happened:\n%s", &log)
		}
		time.Sleep(time.Second)
		get(t, c, "in time")
		synctest.Wait()
		s.wantCalls(t, 3)
		close(s.free)
	})
}

// TestCacheNamesWhatCallersWaitFor also if their own time is over first.
func TestCacheNamesWhatCallersWaitFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		endpoint := newCredentials(t, nil, func(cfg *token.ClientCredentialsConfig) {
			cfg.HTTPClient.Transport = roundTripper(hang)
		})
		for _, tt := range []struct {
			source token.Source
			want   string
		}{
			{endpoint, "the token endpoint https://auth.test/oauth2/token?[secret]"},
			{token.SourceFunc((&upstream{takes: time.Minute}).Token), "a token.SourceFunc"},
		} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			_, err := token.NewCache(tt.source, nil).Token(ctx, "app")
			cancel()
			if err == nil || err.Error() != "token: waiting for "+tt.want+": context deadline exceeded" {
				t.Errorf("Token = %v, want that it waited for %s", err, tt.want)
			}
			time.Sleep(time.Minute)
		}
	})
}

// pooled is a context that is used again for the next request, as fasthttp's is: nothing
// may look into it once the handler has returned.
type pooled struct {
	context.Context //nolint:containedctx // It is a context itself.

	mu       sync.Mutex
	returned bool
	lookups  int // afterwards
}

func (p *pooled) Value(key any) any {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.returned {
		p.lookups++
	}
	return p.Context.Value(key)
}

// TestCacheDoesNotUseTheContextOfACallerWhoHasLeft looks values up after the first caller
// has left, and during a refresh.
func TestCacheDoesNotUseTheContextOfACallerWhoHasLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		var seen []any
		u := &upstream{takes: 5 * time.Second, life: time.Hour, hook: func(ctx context.Context, _ int) error {
			seen = append(seen, ctx.Value(key{}))
			return nil
		}}
		c := token.NewCache(u, nil)
		call := func(limit time.Duration) *pooled {
			p := &pooled{Context: context.WithValue(t.Context(), key{}, "request")}
			ctx, cancel := context.WithTimeout(p, limit)
			_, _ = c.Token(ctx, "app")
			cancel()
			p.mu.Lock()
			defer p.mu.Unlock()
			p.returned = true
			return p
		}
		var requests []*pooled
		requests = append(requests, call(time.Second)) // leaves before the fetch is over
		time.Sleep(time.Minute)
		time.Sleep(time.Hour - token.DefaultEarly)
		requests = append(requests, call(time.Second)) // gets the old token, and starts a refresh
		time.Sleep(time.Minute)
		synctest.Wait()
		for i, p := range requests {
			if p.lookups != 0 {
				t.Errorf("request %d: its context was used %d times after it was answered", i, p.lookups)
			}
		}
		if len(seen) != 2 || seen[0] != nil || seen[1] != nil {
			t.Errorf("values %v, want none", seen)
		}
	})
}

// TestTimeOutsFitIntoEachOther: against an endpoint that does not answer, all attempts are
// made within FetchTimeout, and two of them while a callback waits.
func TestTimeOutsFitIntoEachOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var ended []time.Duration
		start := time.Now()
		cfg := tokentest.NewEndpoint(nil).Config()
		cfg.HTTPClient.Transport = roundTripper(hang)
		cfg.Observe = observer(func(string) {
			mu.Lock()
			defer mu.Unlock()
			ended = append(ended, time.Since(start))
		})
		source, err := token.NewClientCredentials(cfg)
		if err != nil {
			t.Fatal(err)
		}
		_, err = token.NewCache(source, nil).Token(t.Context(), "test-app")
		if err == nil || !strings.Contains(err.Error(), `Post "https://endpoint.test/oauth2/token"`) || strings.Contains(err.Error(), "did not return") {
			t.Errorf("Token = %v, want an error that names the endpoint", err)
		}
		if len(ended) != token.DefaultAttempts || ended[1] >= token.DefaultTimeout || ended[2] >= token.DefaultFetchTimeout {
			t.Errorf("attempts ended after %v, want %d, the second within %v and all within %v",
				ended, token.DefaultAttempts, token.DefaultTimeout, token.DefaultFetchTimeout)
		}
	})
}
