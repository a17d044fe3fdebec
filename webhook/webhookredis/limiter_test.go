package webhookredis_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhookredis"
)

// pair is two replicas of a limiter of one slot in a minute.
type pair struct {
	*testing.T

	a, b   *webhookredis.Limiter
	client redis.UniversalClient
}

// inBubble gives f a pair in fake time.
func inBubble(t *testing.T, f func(p pair)) {
	t.Helper()
	newClient := fakeClock(t)
	synctest.Test(t, func(t *testing.T) {
		client := newClient(t)
		cfg := webhookredis.LimiterConfig{Client: client, AppID: "one", Limit: 1, Per: time.Minute, Timeout: time.Minute}
		a := newLimiter(t, cfg)
		cfg.Client = newClient(t)
		f(pair{t, a, newLimiter(t, cfg), client})
	})
}

// settle waits until questions that are on their way have an answer.
func settle() {
	time.Sleep(time.Millisecond)
	synctest.Wait()
}

// Callers of both replicas get their slots in the order in which they asked, one in each
// 61 seconds.
func TestSlotsComeInOrder(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t pair) {
		start := time.Now()
		var mu sync.Mutex
		var order []int
		var slots []time.Duration
		var callers sync.WaitGroup
		for i := range 12 {
			callers.Go(func() {
				if err := []*webhookredis.Limiter{t.a, t.b}[i%2].Wait(t.Context()); err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				order, slots = append(order, i), append(slots, time.Since(start).Round(time.Second))
			})
			settle()
		}
		callers.Wait()
		if !slices.IsSorted(order) {
			t.Errorf("order %v", order)
		}
		for i, at := range slots {
			if want := time.Duration(i) * 61 * time.Second; at != want {
				t.Errorf("slot %d at %v, want %v", i, at, want)
			}
		}
	})
}

// The slot of a caller that leaves is that of the next one, in another replica.
func TestCancelledWaitGivesItsSlotBack(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t pair) {
		start := time.Now()
		if err := t.a.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, leave := context.WithCancelCause(t.Context())
		reason := errors.New("shutting down")
		left := make(chan error, 1)
		go func() { left <- t.a.Wait(ctx) }()
		settle()
		next := make(chan time.Time, 1)
		go func() {
			if err := t.b.Wait(t.Context()); err != nil {
				t.Error(err)
			}
			next <- time.Now()
		}()
		settle()
		leave(reason)
		err := <-left
		var limit *webhook.LimitError
		if !errors.Is(err, context.Canceled) || !errors.Is(err, reason) || !errors.Is(err, webhook.ErrNotSent) || !errors.As(err, &limit) {
			t.Errorf("Wait = %v", err)
		} else if at := limit.Next.Sub(start).Round(time.Second); at != 61*time.Second {
			t.Errorf("Next is in %v", at)
		}
		if at := (<-next).Sub(start).Round(time.Second); at != 61*time.Second {
			t.Errorf("the next caller waited %v, want 61 s", at)
		}
		if n := t.client.Exists(t.Context(), keys(t.T, t.client, ":queue")...).Val(); n != 0 {
			t.Error("somebody is in the queue")
		}
	})
}

// A caller whose deadline comes first learns it immediately, and is not in the queue.
func TestDeadlineBeforeTheSlot(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t pair) {
		start := time.Now()
		if err := t.a.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, deadline := range []time.Duration{time.Minute, 61 * time.Second} {
			ctx, cancel := context.WithDeadline(t.Context(), start.Add(deadline))
			err := t.b.Wait(ctx)
			cancel()
			var limit *webhook.LimitError
			if !errors.As(err, &limit) || errors.Is(err, context.DeadlineExceeded) || time.Since(start) > time.Second {
				t.Errorf("Wait = %v after %v", err, time.Since(start))
			} else if at := limit.Next.Sub(start); at != 61*time.Second {
				t.Errorf("Next is in %v", at)
			}
		}
		if found := keys(t.T, t.client, ":queue"); found != nil {
			t.Errorf("there is %v", found)
		}
		ctx, cancel := context.WithDeadline(t.Context(), start.Add(62*time.Second))
		defer cancel()
		if err := t.b.Wait(ctx); err != nil || time.Since(start) != 61*time.Second {
			t.Errorf("Wait = %v after %v", err, time.Since(start))
		}
	})
}

// keys returns those that end so.
func keys(t *testing.T, client redis.UniversalClient, end string) (found []string) {
	t.Helper()
	for _, key := range client.Keys(t.Context(), "*").Val() {
		if strings.HasSuffix(key, end) {
			found = append(found, key)
		}
	}
	return found
}

// twice is a client that asks again, as go-redis does if an answer was lost.
type twice struct{ redis.UniversalClient }

func (c twice) EvalSha(ctx context.Context, sha string, keys []string, args ...any) *redis.Cmd {
	c.UniversalClient.EvalSha(ctx, sha, keys, args...)
	return c.UniversalClient.EvalSha(ctx, sha, keys, args...)
}

func TestLostAnswerTakesOneSlot(t *testing.T) {
	t.Parallel()
	limiter := newLimiter(t, webhookredis.LimiterConfig{Client: twice{newClient(t, engines["miniredis"](t))}, AppID: "one", Limit: 3, Per: time.Hour, Timeout: time.Minute, Margin: time.Minute})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for range 3 {
		if err := limiter.Wait(ctx); err != nil {
			t.Error(err)
		}
	}
	if err := limiter.Wait(ctx); !errors.Is(err, webhook.ErrRateLimited) {
		t.Errorf("the fourth Wait = %v", err)
	}
}

// slow is a client whose answers take longer than any margin.
type slow struct{ redis.UniversalClient }

func (c slow) EvalSha(ctx context.Context, sha string, keys []string, args ...any) *redis.Cmd {
	defer time.Sleep(600 * time.Millisecond)
	return c.UniversalClient.EvalSha(ctx, sha, keys, args...)
}

func TestSlowAnswersAreRefused(t *testing.T) {
	t.Parallel()
	newClient := fakeClock(t)
	synctest.Test(t, func(t *testing.T) {
		limiter := newLimiter(t, webhookredis.LimiterConfig{Client: slow{newClient(t)}, RobotURL: signing.NewSecret(robotURL)})
		if err := limiter.Wait(t.Context()); !errors.Is(err, webhookredis.ErrUnavailable) || !strings.Contains(err.Error(), "the margin allows 500ms") {
			t.Errorf("Wait = %v", err)
		}
	})
}

// The clock of the server is set back, or another server has another clock: what was taken
// counts for one more period, and a caller that has died is still noticed.
func TestServersClockIsSetBack(t *testing.T) {
	t.Parallel()
	server := miniredis.RunT(t)
	now := time.Now()
	server.SetTime(now)
	limiter := newLimiter(t, webhookredis.LimiterConfig{Client: newClient(t, server.Addr()), AppID: "app", Limit: 2, Per: time.Second, Timeout: time.Minute})
	for range 2 {
		if err := limiter.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	dead := &mortal{UniversalClient: newClient(t, server.Addr())}
	gone, cancel := context.WithCancel(t.Context())
	waiting := make(chan struct{})
	go func() {
		defer close(waiting)
		_ = newLimiter(t, webhookredis.LimiterConfig{Client: dead, AppID: "app", Limit: 2, Per: time.Second}).Wait(gone)
	}()
	waitFor(t, func() bool { return len(server.Keys()) == 3 })
	dead.die()
	cancel()
	<-waiting

	server.SetTime(now.Add(-time.Hour))
	short, stop := context.WithTimeout(t.Context(), 900*time.Millisecond)
	defer stop()
	var limit *webhook.LimitError
	if err := limiter.Wait(short); !errors.As(err, &limit) || time.Until(limit.Next) > 2*time.Second {
		t.Errorf("Wait = %v, want a slot within two seconds", err)
	}
	server.SetTime(now.Add(-time.Hour + time.Minute))
	for range 2 {
		if err := limiter.Wait(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// One replica has its URL from a file that ends in a line feed.
func TestRobotURLAsARobotReadsIt(t *testing.T) {
	t.Parallel()
	client := newClient(t, engines["miniredis"](t))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for _, url := range []string{robotURL, robotURL + "\n", robotURL + " ", robotURL + "&x=y", strings.Replace(robotURL, "https:", "http:", 1)} {
		limiter := newLimiter(t, webhookredis.LimiterConfig{Client: client, RobotURL: signing.NewSecret(url), Limit: 1, Timeout: time.Minute})
		if err := limiter.Wait(ctx); errors.Is(err, webhook.ErrRateLimited) != (url != robotURL) {
			t.Errorf("Wait = %v, want one slot for all", err)
		}
	}
}

func TestLimiterConfig(t *testing.T) {
	t.Parallel()
	_, err := webhookredis.NewLimiter(webhookredis.LimiterConfig{Limit: -1, Per: -1, Margin: -1, Timeout: -1})
	_, both := webhookredis.NewLimiter(webhookredis.LimiterConfig{RobotURL: signing.NewSecret(robotURL), AppID: "app"})
	_, seen := webhookredis.NewSeen(webhookredis.SeenConfig{Keep: -1, Timeout: -1})
	_, limiterOfNil := webhookredis.NewLimiter(webhookredis.LimiterConfig{Client: (*redis.Client)(nil), AppID: "app", Fallback: (*webhook.Window)(nil)})
	_, funcOfNil := webhookredis.NewLimiter(webhookredis.LimiterConfig{Client: newClient(t, "127.0.0.1:1"), AppID: "app", Fallback: webhook.LimiterFunc(nil)})
	_, seenOfNil := webhookredis.NewSeen(webhookredis.SeenConfig{Client: (*redis.Client)(nil), Fallback: (*webhook.Seen)(nil)})
	for _, c := range []struct {
		err  error
		want []string
	}{
		{err, []string{"Client", "either RobotURL or AppID", "Limit", "Per", "Margin", "Timeout"}},
		{both, []string{"either RobotURL or AppID"}},
		{seen, []string{"Client", "Keep", "Timeout"}},
		{limiterOfNil, []string{"Client", "Fallback"}},
		{funcOfNil, []string{"Fallback"}},
		{seenOfNil, []string{"Client", "Fallback"}},
	} {
		for _, want := range c.want {
			if c.err == nil || !strings.Contains(c.err.Error(), want) {
				t.Errorf("%v does not name %s", c.err, want)
			}
		}
	}
}
