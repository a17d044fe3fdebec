package webhook_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

// asMuch counts the most of times in any stretch of the given length.
func asMuch(times []time.Time, length time.Duration) int {
	most, first := 0, 0
	for i := range times {
		for times[i].Sub(times[first]) >= length {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}

// Protocol 8: 20 messages per minute, whatever the load looks like.
func TestWindowIsExact(t *testing.T) {
	t.Parallel()
	loads := map[string]func(*rand.Rand) time.Duration{
		"saturated": func(*rand.Rand) time.Duration { return 0 },
		"bursts": func(r *rand.Rand) time.Duration {
			if r.IntN(40) == 0 {
				return 30*time.Second + rand.N(time.Minute)
			}
			return 0
		},
		"Poisson": func(r *rand.Rand) time.Duration { return time.Duration(r.ExpFloat64() * float64(2*time.Second)) },
	}
	for name, pause := range loads {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := webhook.NewWindow(webhook.MessagesPerMinute, time.Minute)
				r := rand.New(rand.NewPCG(1, 2))
				var at []time.Time
				for range 2000 {
					time.Sleep(pause(r))
					if err := w.Wait(t.Context()); err != nil {
						t.Fatal(err)
					}
					at = append(at, time.Now())
				}
				if got := asMuch(at, 61*time.Second); got != webhook.MessagesPerMinute {
					t.Errorf("most messages within 61 seconds = %d, want %d", got, webhook.MessagesPerMinute)
				}
			})
		})
	}
}

// A saturated window gives its places as early as it may.
func TestWindowWastesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, start := webhook.NewWindow(3, 10*time.Second), time.Now()
		for i := range 10 {
			if err := w.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got, want := time.Since(start), time.Duration(i/3)*11*time.Second; got != want {
				t.Errorf("place %d after %v, want %v", i, got, want)
			}
		}
	})
}

func TestWindowFirstComeFirstServed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := webhook.NewWindow(1, time.Second)
		var mu sync.Mutex
		var order []int
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				if err := w.Wait(t.Context()); err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				order = append(order, i)
			})
			synctest.Wait()
		}
		wg.Wait()
		for i, got := range order {
			if got != i {
				t.Fatalf("order = %v, want that of asking", order)
			}
		}
	})
}

// Whoever cannot be served in time is told at once, and takes no place.
func TestWindowRefusesAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, start := webhook.NewWindow(1, 9*time.Second), time.Now()
		if err := w.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, patience := range []time.Duration{time.Second, 10 * time.Second} {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			err := w.Wait(ctx)
			cancel()
			var limit *webhook.LimitError
			if !errors.As(err, &limit) || !errors.Is(err, webhook.ErrRateLimited) || !errors.Is(err, webhook.ErrNotSent) {
				t.Fatalf("Wait with %v = %v, want a *LimitError", patience, err)
			}
			if got := limit.Next.Sub(start); got != 10*time.Second {
				t.Errorf("Next is after %v, want 10s", got)
			}
			if got := time.Since(start); got != 0 {
				t.Errorf("Wait took %v, want nothing", got)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second+1)
		defer cancel()
		if err := w.Wait(ctx); err != nil {
			t.Errorf("Wait = %v, want the place", err)
		}
	})
}

// A place that is given back goes to those behind, who need not wait longer.
func TestWindowMovesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, start := webhook.NewWindow(1, 9*time.Second), time.Now()
		if ok, next := w.Allow(); !ok || next.Sub(start) != 10*time.Second {
			t.Fatalf("Allow = %v, %v", ok, next.Sub(start))
		}
		why := errors.New("no longer needed")
		ctx, cancel := context.WithCancelCause(t.Context())
		var wg sync.WaitGroup
		for range 3 { // the first, one in the middle, the last
			wg.Go(func() {
				err := w.Wait(ctx)
				var limit *webhook.LimitError
				if !errors.As(err, &limit) || !errors.Is(err, context.Canceled) || !errors.Is(err, why) || !strings.HasSuffix(limit.Error(), ": "+why.Error()) {
					t.Errorf("Wait = %v, want a *LimitError with both causes", err)
				}
			})
			synctest.Wait()
			wg.Go(func() {
				if err := w.Wait(t.Context()); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		if ok, next := w.Allow(); ok || next.Sub(start) != 70*time.Second {
			t.Errorf("Allow behind six = %v, %v, want false, 70s", ok, next.Sub(start))
		}
		time.Sleep(5 * time.Second)
		cancel(why)
		synctest.Wait()
		if ok, next := w.Allow(); ok || next.Sub(start) != 40*time.Second {
			t.Errorf("Allow behind three = %v, %v, want false, 40s", ok, next.Sub(start))
		}
		wg.Wait()
		if got := time.Since(start); got != 30*time.Second {
			t.Errorf("the three were done after %v, want 30s", got)
		}
	})
}

// Allow does not take the place of one who waits for it, not even at the moment at
// which it gets free.
func TestWindowAllowWaitsItsTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := webhook.NewWindow(1, 0)
		w.Allow()
		for range 200 {
			var wg sync.WaitGroup
			wg.Go(func() {
				if err := w.Wait(t.Context()); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
			time.Sleep(time.Second)
			if ok, _ := w.Allow(); ok {
				t.Fatal("Allow took the place of one who waited")
			}
			wg.Wait()
		}
	})
}

func TestWindowAllow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var w webhook.Window // the zero Window is the service's
		start := time.Now()
		for i := range webhook.MessagesPerMinute {
			ok, next := w.Allow()
			want := start
			if i == webhook.MessagesPerMinute-1 {
				want = start.Add(61 * time.Second)
			}
			if !ok || !next.Equal(want) {
				t.Fatalf("Allow %d = %v, %v, want true, %v", i, ok, next, want)
			}
		}
		time.Sleep(61*time.Second - 1)
		if ok, next := w.Allow(); ok || !next.Equal(start.Add(61*time.Second)) {
			t.Errorf("Allow = %v, %v, want the end of the minute and its margin", ok, next)
		}
		time.Sleep(time.Nanosecond)
		if ok, next := w.Allow(); !ok || !next.Equal(time.Now()) {
			t.Errorf("Allow = %v, %v, want true, now", ok, next)
		}
	})
}

// Odd arguments make a window all the same.
func TestNewWindowNeverPanics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, start := webhook.NewWindow(-3, -time.Hour), time.Now()
		for range 3 {
			if err := w.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if got := time.Since(start); got != 2*time.Second {
			t.Errorf("three places took %v, want 2s", got)
		}
	})
}

func TestWindowEndedContext(t *testing.T) {
	t.Parallel()
	var w webhook.Window
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Wait(ctx); !errors.Is(err, context.Canceled) || !errors.Is(err, webhook.ErrNotSent) || !errors.Is(err, webhook.ErrRateLimited) {
		t.Errorf("Wait = %v, want a *LimitError and context.Canceled", err)
	}
}

// Nothing is allocated, and a robot's window is small.
func TestWindowCost(t *testing.T) { //nolint:paralleltest // It counts allocations.
	w := webhook.NewWindow(webhook.MessagesPerMinute, time.Minute)
	if got := testing.AllocsPerRun(100, func() { w.Allow() }); got != 0 {
		t.Errorf("Allow allocates %v times, want 0", got)
	}
	const n = 1000
	windows := make([]*webhook.Window, n)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range windows {
		windows[i] = webhook.NewWindow(webhook.MessagesPerMinute, time.Minute)
	}
	runtime.ReadMemStats(&after)
	if got := (after.TotalAlloc - before.TotalAlloc) / n; got > 256 {
		t.Errorf("a Window has %d bytes, want at most 256", got)
	}
}

func TestWindowConforms(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		webhooktest.RunLimiter(t, func(n int, per time.Duration) webhook.Limiter { return webhook.NewWindow(n, per) })
	})
}
