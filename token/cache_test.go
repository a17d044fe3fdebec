package token_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokentest"
)

// upstream is a Source that takes its time and counts. Its tokens are "<app>-<n>".
type upstream struct {
	takes time.Duration
	life  time.Duration
	hook  func(ctx context.Context, n int) error // runs before the answer

	mu    sync.Mutex
	calls []time.Time
}

func (u *upstream) Token(ctx context.Context, appID string) (token.Token, error) {
	u.mu.Lock()
	u.calls = append(u.calls, time.Now())
	n := len(u.calls)
	u.mu.Unlock()
	select {
	case <-time.After(u.takes):
	case <-ctx.Done():
		return token.Token{}, ctx.Err()
	}
	if u.hook != nil {
		if err := u.hook(ctx, n); err != nil {
			return token.Token{}, err
		}
	}
	t := token.Token{AccessToken: signing.NewSecret(fmt.Sprintf("%s-%d", appID, n))}
	if u.life != 0 {
		t.ExpiresAt = time.Now().Add(u.life)
	}
	return t, nil
}

func (u *upstream) count() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.calls)
}

// get asks at once and fails where there is an error or a wait.
func get(t *testing.T, c *token.Cache, want string) {
	t.Helper()
	start := time.Now()
	got, err := c.Token(t.Context(), "app")
	if err != nil || got.AccessToken.Reveal() != want {
		t.Errorf("Token = %q, %v, want %q", got.AccessToken.Reveal(), err, want)
	}
	if waited := time.Since(start); waited != 0 {
		t.Errorf("Token took %v, want none", waited)
	}
}

// fetch asks and may wait.
func fetch(t *testing.T, c *token.Cache, want string) {
	t.Helper()
	got, err := c.Token(t.Context(), "app")
	if err != nil || got.AccessToken.Reveal() != want {
		t.Errorf("Token = %q, %v, want %q", got.AccessToken.Reveal(), err, want)
	}
}

func wantCalls(t *testing.T, u *upstream, n int) {
	t.Helper()
	synctest.Wait()
	if got := u.count(); got != n {
		t.Errorf("the source was called %d times, want %d", got, n)
	}
}

// crowd lets n goroutines ask at once, and returns how long the slowest waited.
func crowd(t *testing.T, n int, c *token.Cache, want string) time.Duration {
	t.Helper()
	start := time.Now()
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			if got, err := c.Token(t.Context(), "app"); err != nil || got.AccessToken.Reveal() != want {
				t.Errorf("Token = %q, %v, want %q", got.AccessToken.Reveal(), err, want)
			}
		})
	}
	wg.Wait()
	return time.Since(start)
}

func TestCacheColdCrowdIsOneCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u := &upstream{takes: 20 * time.Millisecond, life: time.Hour}
		c := token.NewCache(u, nil)
		if waited := crowd(t, 1000, c, "app-1"); waited != u.takes {
			t.Errorf("the slowest waited %v, want %v", waited, u.takes)
		}
		wantCalls(t, u, 1)
	})
}

// TestCacheColdCrowdOnRealCores lets callers meet a fetch at every stage of it.
func TestCacheColdCrowdOnRealCores(t *testing.T) {
	t.Parallel()
	for range 300 {
		u := &tokentest.Source{Tokens: map[string]token.Token{
			"app": {AccessToken: signing.NewSecret("app-1"), ExpiresAt: time.Now().Add(time.Hour)},
		}}
		c := token.NewCache(u, nil)
		crowd(t, 16, c, "app-1")
		if u.Calls() != 1 {
			t.Fatalf("the source was called %d times, want 1", u.Calls())
		}
	}
}

// TestCacheFailingSource is one call for everybody, who all wait for it once.
func TestCacheFailingSource(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		down := errors.New("down")
		u := &upstream{takes: 20 * time.Millisecond, hook: func(context.Context, int) error { return down }}
		c := token.NewCache(u, nil)
		start := time.Now()
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				if _, err := c.Token(t.Context(), "app"); !errors.Is(err, down) || time.Since(start) != u.takes {
					t.Errorf("Token = %v after %v, want the source's error after %v", err, time.Since(start), u.takes)
				}
			})
		}
		wg.Wait()
		wantCalls(t, u, 1)
	})
}

func TestCacheRefreshesEarlyWhileNobodyWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u := &upstream{takes: time.Second, life: time.Hour}
		c := token.NewCache(u, nil)
		fetch(t, c, "app-1")

		time.Sleep(time.Hour - token.DefaultEarly - time.Nanosecond)
		crowd(t, 10, c, "app-1")
		wantCalls(t, u, 1) // not sooner than it must

		time.Sleep(time.Nanosecond)
		if waited := crowd(t, 1000, c, "app-1"); waited != 0 {
			t.Errorf("somebody who had a valid token waited %v", waited)
		}
		wantCalls(t, u, 2)
		time.Sleep(u.takes - time.Nanosecond)
		get(t, c, "app-1")
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		get(t, c, "app-2")
		wantCalls(t, u, 2)
	})
}

func TestCacheExpiredCrowdIsOneCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u := &upstream{takes: time.Second, life: time.Hour}
		c := token.NewCache(u, nil)
		fetch(t, c, "app-1")
		time.Sleep(time.Hour)
		if waited := crowd(t, 1000, c, "app-2"); waited != time.Second {
			t.Errorf("the slowest waited %v, want 1s", waited)
		}
		wantCalls(t, u, 2)
	})
}

func TestCacheEarlyIsAtMostHalfOfALife(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u := &upstream{life: time.Minute}
		c := token.NewCache(u, &token.CacheOptions{Early: time.Hour})
		fetch(t, c, "app-1")
		time.Sleep(30*time.Second - time.Nanosecond)
		get(t, c, "app-1")
		wantCalls(t, u, 1)
		time.Sleep(time.Nanosecond)
		get(t, c, "app-1")
		wantCalls(t, u, 2)
	})
}

// TestCacheCallersKeepTheirDeadlines is trap T8: the first caller leaves, the
// second still gets the token, and the source is called once.
func TestCacheCallersKeepTheirDeadlines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u := &upstream{takes: 5 * time.Second, life: time.Hour}
		c := token.NewCache(u, nil)
		start := time.Now()
		var wg sync.WaitGroup
		wg.Go(func() {
			cause := errors.New("the user left")
			ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, cause)
			defer cancel()
			_, err := c.Token(ctx, "app")
			if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, cause) || time.Since(start) != time.Second {
				t.Errorf("first caller: %v after %v, want its deadline and its cause after 1s", err, time.Since(start))
			}
		})
		synctest.Wait()
		wg.Go(func() {
			if _, err := c.Token(t.Context(), "app"); err != nil || time.Since(start) != 5*time.Second {
				t.Errorf("second caller: %v after %v, want a token after 5s", err, time.Since(start))
			}
		})
		wg.Wait()
		wantCalls(t, u, 1)
	})
}

func TestCacheCallerWhoHasLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u := &upstream{life: time.Hour}
		c := token.NewCache(u, nil)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.Token(ctx, "app"); !errors.Is(err, context.Canceled) {
			t.Errorf("Token = %v, want context.Canceled", err)
		}
		wantCalls(t, u, 0)
		fetch(t, c, "app-1")
		if _, err := c.Token(ctx, "app"); err != nil { // nothing to wait for
			t.Errorf("Token of a full cache = %v", err)
		}
	})
}

func TestCacheFetchHasTheFirstCallersValuesAndItsOwnTimeout(t *testing.T) {
	t.Parallel()
	type key struct{}
	synctest.Test(t, func(t *testing.T) {
		u := &upstream{hook: func(ctx context.Context, _ int) error {
			if got := ctx.Value(key{}); got != "first" {
				t.Errorf("value in the context of a fetch = %v, want that of the first caller", got)
			}
			<-ctx.Done()
			return ctx.Err()
		}}
		c := token.NewCache(u, &token.CacheOptions{FetchTimeout: 7 * time.Second})
		start := time.Now()
		_, err := c.Token(context.WithValue(t.Context(), key{}, "first"), "app")
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 7*time.Second {
			t.Errorf("Token = %v after %v, want a deadline after 7s", err, time.Since(start))
		}
	})
}

func TestCacheKeepsNoErrors(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		down := errors.New("down")
		u := &upstream{takes: time.Second, life: time.Hour, hook: func(_ context.Context, n int) error {
			if n == 1 {
				return down
			}
			return nil
		}}
		c := token.NewCache(u, nil)
		var wg sync.WaitGroup
		for range 100 { // they share the one failure
			wg.Go(func() {
				if _, err := c.Token(t.Context(), "app"); !errors.Is(err, down) {
					t.Errorf("Token = %v, want the source's error", err)
				}
			})
		}
		wg.Wait()
		wantCalls(t, u, 1)
		fetch(t, c, "app-2")
	})
}

func TestCacheLooksAtNoTokenThatComesWithAnError(t *testing.T) {
	t.Parallel()
	down := errors.New("down")
	c := token.NewCache(token.SourceFunc(func(context.Context, string) (token.Token, error) {
		return token.Token{AccessToken: signing.NewSecret("x"), ExpiresAt: time.Now().Add(time.Hour)}, down
	}), nil)
	for range 2 {
		if got, err := c.Token(t.Context(), "app"); !errors.Is(err, down) || !got.AccessToken.IsZero() {
			t.Errorf("Token = %v, %v, want nothing but the error", got, err)
		}
	}
}

// TestCacheCallerWhoIsOvertaken stops one caller between its look at what is kept
// and what it does about that. Meanwhile another caller fetches a new token.
func TestCacheCallerWhoIsOvertaken(t *testing.T) {
	t.Parallel()
	for name, passed := range map[string]time.Duration{"due": time.Hour - token.DefaultEarly, "ended": time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			u := &upstream{life: time.Hour}
			stop := make(chan struct{}, 1)
			goOn := make(chan struct{})
			c := token.NewCache(u, &token.CacheOptions{Now: func() time.Time {
				now := time.Now()
				select {
				case <-stop:
					<-goOn
				default:
				}
				return now
			}})
			fetch(t, c, "app-1")
			time.Sleep(passed)
			stop <- struct{}{}
			var overtaken token.Token
			var err error
			var wg sync.WaitGroup
			wg.Go(func() { overtaken, err = c.Token(t.Context(), "app") })
			synctest.Wait()
			if _, err := c.Token(t.Context(), "app"); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			close(goOn)
			wg.Wait()
			if err != nil || overtaken.AccessToken.IsZero() {
				t.Errorf("%s: Token = %v, %v", name, overtaken, err)
			}
			wantCalls(t, u, 2)
		})
	}
}

func TestCacheSurvivesItsSource(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(){
		"panic":  func() { panic("oops") },
		"Goexit": runtime.Goexit,
		"index":  func() { _ = []int{}[len(t.Name())] },
	} {
		synctest.Test(t, func(t *testing.T) {
			u := &upstream{takes: time.Second, life: time.Hour, hook: func(_ context.Context, n int) error {
				if n == 1 {
					end()
				}
				return nil
			}}
			c := token.NewCache(u, nil)
			var wg sync.WaitGroup
			for range 3 {
				wg.Go(func() {
					if _, err := c.Token(t.Context(), "app"); err == nil {
						t.Errorf("%s: Token has no error", name)
					}
				})
			}
			wg.Wait()
			fetch(t, c, "app-2")
		})
	}
	c := token.NewCache(nil, nil)
	if _, err := c.Token(t.Context(), "app"); err == nil {
		t.Error("a Cache of no Source gives a token")
	}
}
