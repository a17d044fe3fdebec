package token_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
)

// TestCacheGivesTheOldTokenWhileRefreshesFail lets somebody ask all the time, and
// finds when the source was asked.
func TestCacheGivesTheOldTokenWhileRefreshesFail(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		down := errors.New("down")
		u := &upstream{life: time.Hour, hook: func(_ context.Context, n int) error {
			if n > 1 {
				return down
			}
			return nil
		}}
		c := token.NewCache(u, &token.CacheOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		fetch(t, c, "app-1")
		time.Sleep(time.Hour - token.DefaultEarly)
		start := time.Now()
		for time.Since(start) <= token.DefaultEarly-time.Second {
			get(t, c, "app-1")
			synctest.Wait()
			time.Sleep(500 * time.Millisecond)
		}
		var seconds []float64
		for _, at := range u.calls[1:] {
			seconds = append(seconds, at.Sub(start).Seconds())
		}
		// Pauses of 1 s, 2 s, … 1 min, and then half of what is left, in steps of
		// the half second in which somebody asks.
		want := []float64{0, 1, 3, 7, 15, 31, 63, 123, 183, 241.5, 271, 285.5, 293, 296.5, 298.5}
		if diff := cmp.Diff(want, seconds); diff != "" {
			t.Errorf("seconds at which it was fetched anew (-want +got):\n%s", diff)
		}
		if n := strings.Count(log.String(), "level=WARN"); n != len(want) {
			t.Errorf("%d failures logged, want %d", n, len(want))
		}

		// In the last second the caller waits for a new one, but loses nothing.
		fetch(t, c, "app-1")
		wantCalls(t, u, len(want)+2)
		time.Sleep(500 * time.Millisecond)
		if _, err := c.Token(t.Context(), "app"); !errors.Is(err, down) {
			t.Errorf("Token after the end = %v, want the source's error", err)
		}
		u.hook = nil
		fetch(t, c, "app-"+strconv.Itoa(len(want)+4))
	})
}

// With one second left nobody waits, as expires_in can be 1; with less, a caller does.
func TestCacheInTheLastSecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u := &upstream{life: time.Hour}
		c := token.NewCache(u, nil)
		fetch(t, c, "app-1")
		u.takes = 100 * time.Millisecond
		time.Sleep(time.Hour - time.Second)
		get(t, c, "app-1")
		time.Sleep(time.Nanosecond)
		fetch(t, c, "app-2")
		wantCalls(t, u, 2)
	})
}

func TestCacheRecovers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u := &upstream{life: time.Hour, hook: func(_ context.Context, n int) error {
			if n == 2 {
				return errors.New("down")
			}
			return nil
		}}
		c := token.NewCache(u, nil)
		fetch(t, c, "app-1")
		time.Sleep(time.Hour - token.DefaultEarly)
		get(t, c, "app-1")
		synctest.Wait()
		get(t, c, "app-1") // within the pause
		wantCalls(t, u, 2)
		time.Sleep(time.Second)
		get(t, c, "app-1")
		wantCalls(t, u, 3)
		get(t, c, "app-3")
	})
}

// bad is a source whose n-th token is not one that can be kept.
func bad(n int, bad token.Token) token.Source {
	var mu sync.Mutex
	calls := 0
	return token.SourceFunc(func(context.Context, string) (token.Token, error) {
		mu.Lock()
		defer mu.Unlock()
		calls++
		if calls == n {
			return bad, nil
		}
		return token.Token{AccessToken: signing.NewSecret("app-" + strconv.Itoa(calls)), ExpiresAt: time.Now().Add(time.Hour)}, nil
	})
}

func TestCacheDoesNotKeepATokenWithoutALife(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u := &upstream{}
		c := token.NewCache(u, nil)
		fetch(t, c, "app-1")
		fetch(t, c, "app-2")
	})
}

// TestCacheKeepsTokensThatLiveForMoments: their last tenth takes the place of the
// last second.
func TestCacheKeepsTokensThatLiveForMoments(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u := &upstream{takes: time.Millisecond, life: 100 * time.Millisecond}
		c := token.NewCache(u, nil)
		fetch(t, c, "app-1")
		time.Sleep(50*time.Millisecond - 1)
		get(t, c, "app-1")
		wantCalls(t, u, 1)
		time.Sleep(time.Nanosecond)
		get(t, c, "app-1")
		time.Sleep(time.Millisecond)
		wantCalls(t, u, 2)
		get(t, c, "app-2")
		time.Sleep(90*time.Millisecond + 1)
		fetch(t, c, "app-3")
		u.life = time.Nanosecond
		c.Forget("app")
		fetch(t, c, "app-4")
		time.Sleep(time.Nanosecond)
		fetch(t, c, "app-5")
	})
}

func TestCacheRefusesWhatIsNoToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for name, broken := range map[string]token.Token{
			"empty": {ExpiresAt: time.Now().Add(2 * time.Hour)},
			"ended": {AccessToken: signing.NewSecret("old"), ExpiresAt: time.Now()},
		} {
			c := token.NewCache(bad(1, broken), nil)
			if got, err := c.Token(t.Context(), "app"); err == nil {
				t.Errorf("%s: Token = %v, want an error", name, got)
			}
			fetch(t, c, "app-2")
		}
		// In the place of a refresh it is a failure, and the valid token stays.
		for name, broken := range map[string]token.Token{
			"empty": {}, "no life": {AccessToken: signing.NewSecret("endless")},
		} {
			var log bytes.Buffer
			c := token.NewCache(bad(2, broken), &token.CacheOptions{Logger: textLogger(&log)})
			fetch(t, c, "app-1")
			time.Sleep(59 * time.Minute)
			get(t, c, "app-1")
			synctest.Wait()
			get(t, c, "app-1")
			if n := strings.Count(log.String(), "level=WARN"); n != 1 {
				t.Errorf("%s: %d failures logged, want 1:\n%s", name, n, &log)
			}
			time.Sleep(time.Second)
			get(t, c, "app-1")
			synctest.Wait()
			t.Log(name)
			get(t, c, "app-3")
		}
	})
}

// askingLog is a Logger's handler that needs a token itself, to send its lines.
type askingLog struct {
	slog.Handler
	ask func()
}

func (h askingLog) Enabled(context.Context, slog.Level) bool { return true }

func (h askingLog) Handle(context.Context, slog.Record) error { h.ask(); return nil }

func TestCacheLoggerMayAskTheCache(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c *token.Cache
		asked := make(chan error, 1)
		u := &upstream{life: time.Hour, hook: func(_ context.Context, n int) error {
			if n == 2 {
				return errors.New("down")
			}
			return nil
		}}
		c = token.NewCache(u, &token.CacheOptions{Logger: slog.New(askingLog{slog.DiscardHandler, func() {
			_, err := c.Token(t.Context(), "log")
			asked <- err
		}})})
		fetch(t, c, "app-1")
		time.Sleep(59 * time.Minute)
		get(t, c, "app-1")
		if err := <-asked; err != nil {
			t.Errorf("Token in the Logger = %v", err)
		}
	})
}

// TestCacheEndsTokensByBothClocks moves one of the two clocks in a time.Time
// without the other.
func TestCacheEndsTokensByBothClocks(t *testing.T) {
	t.Parallel()
	monotonic := func(t time.Time, d time.Duration) time.Time {
		(*struct {
			wall uint64
			ext  int64
			loc  *time.Location
		})(unsafe.Pointer(&t)).ext += int64(d)
		return t
	}
	start := time.Now()
	for name, later := range map[string]time.Time{
		"the machine slept":      monotonic(start.Add(time.Hour), -time.Hour), // only the wall clock went on
		"the clock was put back": monotonic(start, time.Hour),
	} {
		now := start
		calls := 0
		c := token.NewCache(token.SourceFunc(func(context.Context, string) (token.Token, error) {
			calls++
			return token.Token{AccessToken: signing.NewSecret("x"), ExpiresAt: now.Add(time.Hour)}, nil
		}), &token.CacheOptions{Now: func() time.Time { return now }})
		for range 2 {
			if _, err := c.Token(t.Context(), "app"); err != nil {
				t.Fatal(err)
			}
		}
		if calls != 1 {
			t.Fatalf("%s: %d calls at first, want 1", name, calls)
		}
		now = later
		if _, err := c.Token(t.Context(), "app"); err != nil {
			t.Fatal(err)
		}
		if calls != 2 {
			t.Errorf("%s: the token has ended, and was given again", name)
		}
	}
}
