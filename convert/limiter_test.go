package convert_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/convert"
)

// most returns how many of times lie in one period, at most.
func most(times []time.Time, period time.Duration) int {
	slices.SortFunc(times, time.Time.Compare)
	n, first := 0, 0
	for i := range times {
		for times[i].Sub(times[first]) >= period {
			first++
		}
		n = max(n, i-first+1)
	}
	return n
}

func TestDefaultLimiterAllowsTenInAnySecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := &service{answers: []string{running("1")}}
		client := newClient(t, service, func(cfg *convert.Config) { cfg.Limiter = nil })
		var group sync.WaitGroup
		start := time.Now()
		for i := range 200 {
			group.Go(func() {
				time.Sleep(time.Duration(i%7) * 313 * time.Millisecond) // bursts in between
				if _, err := client.Status(t.Context(), task); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		var times []time.Time
		for _, call := range service.received() {
			times = append(times, call.At)
		}
		if n := most(times, time.Second+99*time.Millisecond); n != convert.DefaultCallsPerSecond {
			t.Errorf("%d calls in 1.099 s, want %d: the margin is a tenth", n, convert.DefaultCallsPerSecond)
		}
		if took := time.Since(start); took > 23*time.Second {
			t.Errorf("200 calls took %v, want at most 20 periods of 1.1 s and a bit", took)
		}
	})
}

func TestLimiterIsFirstInFirstOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limiter := convert.NewWindow(1, time.Second)
		var mu sync.Mutex
		var order []int
		for i := range 20 {
			go func() {
				if err := limiter.Wait(t.Context()); err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				order = append(order, i)
			}()
			synctest.Wait() // it waits in the queue now
		}
		time.Sleep(time.Minute)
		mu.Lock()
		defer mu.Unlock()
		if len(order) != 20 || !slices.IsSorted(order) {
			t.Errorf("places went to %v, want them in order", order)
		}
	})
}

func TestLimiterLosesNoPlaceToACancelledCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limiter := convert.NewWindow(1, time.Second)
		if err := limiter.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		for range 10 {
			go func() {
				if err := limiter.Wait(ctx); !errors.Is(err, context.Canceled) {
					t.Errorf("Wait = %v, want Canceled", err)
				}
			}()
		}
		synctest.Wait()
		cancel()
		synctest.Wait()
		start := time.Now()
		if err := limiter.Wait(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("Wait = %v after the end of its context", err)
		}
		if err := limiter.Wait(t.Context()); err != nil || time.Since(start) > 1100*time.Millisecond {
			t.Errorf("Wait = %v after %v, want the next place", err, time.Since(start))
		}
	})
}

func TestLimiterStandsBeforeRepeats(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := &service{answer: say(500, "")}
		count := &counter{}
		client := newClient(t, service, func(cfg *convert.Config) { cfg.Limiter = count })
		_, _ = client.Status(t.Context(), task)
		if count.n != 3 || len(service.received()) != 3 {
			t.Errorf("the limiter was asked %d times for %d attempts, want 3", count.n, len(service.received()))
		}
	})
}

// counter is a Limiter that counts.
type counter struct{ n int }

func (c *counter) Wait(context.Context) error {
	c.n++
	return nil
}
