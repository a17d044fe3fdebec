package webhooktest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/webhook"
)

// patience is how long a rule waits for a claim to expire.
const patience = 10 * time.Second

// RunSeen tests a store by the rules of [webhook.SeenStore]. newStore returns an
// empty one. It takes about a second.
func RunSeen(tb testing.TB, newStore func() webhook.SeenStore) {
	tb.Helper()
	for _, rule := range seenRules {
		ctx, cancel := context.WithTimeout(tb.Context(), time.Minute)
		s := &seen{store: newStore()}
		if rule.check(ctx, s); s.err != nil {
			tb.Errorf("%s: %v", rule.name, s.err)
		}
		cancel()
	}
}

// seen is a store under test, until its first error.
type seen struct {
	store webhook.SeenStore
	err   error
}

// take expects an answer of Take.
func (s *seen) take(ctx context.Context, id string, lease time.Duration, wantTaken, wantFinished bool) {
	if s.err != nil {
		return
	}
	taken, finished, err := s.store.Take(ctx, id, lease)
	if s.err = err; err == nil && (taken != wantTaken || finished != wantFinished) {
		s.err = fmt.Errorf("Take(%q) = taken %t, finished %t, want %t, %t", id, taken, finished, wantTaken, wantFinished)
	}
}

func (s *seen) finish(ctx context.Context, id string) { s.err = cmp.Or(s.err, s.store.Finish(ctx, id)) }

func (s *seen) release(ctx context.Context, id string) {
	s.err = cmp.Or(s.err, s.store.Release(ctx, id))
}

var seenRules = []struct {
	name  string
	check func(ctx context.Context, s *seen)
}{
	{"a new event is taken, and not again while it is claimed", func(ctx context.Context, s *seen) {
		s.take(ctx, "a", time.Hour, true, false)
		s.take(ctx, "a", time.Hour, false, false)
		s.take(ctx, "b", time.Hour, true, false)
	}},
	{"a finished event is never taken again", func(ctx context.Context, s *seen) {
		s.take(ctx, "a", 10*time.Millisecond, true, false)
		s.finish(ctx, "a")
		s.take(ctx, "a", time.Hour, false, true)
		time.Sleep(50 * time.Millisecond)
		s.take(ctx, "a", time.Hour, false, true)
		s.release(ctx, "a")
		s.take(ctx, "a", time.Hour, false, true)
	}},
	{"an event is finished although its claim has expired", func(ctx context.Context, s *seen) {
		s.finish(ctx, "a")
		s.take(ctx, "a", time.Hour, false, true)
	}},
	{"a released event is taken again", func(ctx context.Context, s *seen) {
		s.take(ctx, "a", time.Hour, true, false)
		s.release(ctx, "a")
		s.take(ctx, "a", time.Hour, true, false)
		s.release(ctx, "unknown")
	}},
	{"an event whose handler crashed is taken again after its lease", func(ctx context.Context, s *seen) {
		s.take(ctx, "a", 100*time.Millisecond, true, false)
		for range patience / (20 * time.Millisecond) {
			if taken, _, err := s.store.Take(ctx, "a", time.Hour); taken || err != nil {
				s.err = cmp.Or(s.err, err)
				s.take(ctx, "a", time.Hour, false, false)
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		s.err = fmt.Errorf("a lease of 100ms has not expired after %v", patience)
	}},
	{"of concurrent calls one takes an event", func(ctx context.Context, s *seen) {
		var mu sync.Mutex
		var wg sync.WaitGroup
		taken := 0
		for range 32 {
			wg.Go(func() {
				ok, _, err := s.store.Take(ctx, "a", time.Hour)
				mu.Lock()
				defer mu.Unlock()
				if s.err = cmp.Or(s.err, err); ok {
					taken++
				}
			})
		}
		if wg.Wait(); taken != 1 {
			s.err = cmp.Or(s.err, fmt.Errorf("%d of 32 calls took it", taken))
		}
	}},
	{"an ended context takes nothing", func(ctx context.Context, s *seen) {
		ended, cancel := context.WithCancel(ctx)
		cancel()
		if taken, _, err := s.store.Take(ended, "a", time.Hour); err == nil || taken {
			s.err = errors.New("no error of Take, or it took the event")
		}
		s.take(ctx, "a", time.Hour, true, false)
	}},
}

// RunLimiter tests a limiter by the rules of [webhook.Limiter]. newLimiter returns a
// fresh one for n messages in any period of length per. It measures when Wait returns,
// so the limiter should leave a margin. It takes some seconds.
func RunLimiter(tb testing.TB, newLimiter func(n int, per time.Duration) webhook.Limiter) {
	tb.Helper()
	const n, per = 5, time.Second
	for _, rule := range limiterRules {
		ctx, cancel := context.WithTimeout(tb.Context(), time.Minute)
		if err := rule.check(ctx, newLimiter(n, per), n, per); err != nil {
			tb.Errorf("%s: %v", rule.name, err)
		}
		cancel()
	}
}

var limiterRules = []struct {
	name  string
	check func(ctx context.Context, l webhook.Limiter, n int, per time.Duration) error
}{
	{"never more than n in any period", func(ctx context.Context, l webhook.Limiter, n int, per time.Duration) error {
		passed, err := passes(ctx, l, 3*n)
		if err != nil {
			return err
		}
		for i := n; i < len(passed); i++ {
			if gap := passed[i].Sub(passed[i-n]); gap < per {
				return fmt.Errorf("%d messages passed within %v", n+1, gap)
			}
		}
		return nil
	}},
	{"n pass without a wait", func(ctx context.Context, l webhook.Limiter, n int, per time.Duration) error {
		ctx, cancel := context.WithTimeout(ctx, per)
		defer cancel()
		_, err := passes(ctx, l, n)
		return err
	}},
	{"an ended context is an error and takes no slot", func(ctx context.Context, l webhook.Limiter, n int, per time.Duration) error {
		ended, cancel := context.WithCancel(ctx)
		cancel()
		for range n {
			if l.Wait(ended) == nil {
				return errors.New("no error of Wait")
			}
		}
		ctx, stop := context.WithTimeout(ctx, per)
		defer stop()
		_, err := passes(ctx, l, n)
		return err
	}},
	{"a context that ends during the wait is an error", func(ctx context.Context, l webhook.Limiter, n int, per time.Duration) error {
		if _, err := passes(ctx, l, n); err != nil {
			return err
		}
		short, cancel := context.WithTimeout(ctx, per/4)
		defer cancel()
		if l.Wait(short) == nil {
			return errors.New("no error of Wait before a slot was free")
		}
		return nil
	}},
}

// passes makes count concurrent calls, and returns when they returned, in order.
func passes(ctx context.Context, l webhook.Limiter, count int) ([]time.Time, error) {
	var mu sync.Mutex
	var passed []time.Time
	var failed error
	var wg sync.WaitGroup
	for range count {
		wg.Go(func() {
			err := l.Wait(ctx)
			mu.Lock()
			defer mu.Unlock()
			clock := time.Now
			passed, failed = append(passed, clock()), errors.Join(failed, err)
		})
	}
	wg.Wait()
	return passed, failed
}
