package webhookredis_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhookredis"
)

// fakeClock gives a server the time of the bubble in which its clients run. Call it
// outside of the bubble.
func fakeClock(t *testing.T) (newClient func(t *testing.T) redis.UniversalClient) {
	t.Helper()
	server := miniredis.RunT(t)
	addr := server.Addr()
	return func(t *testing.T) redis.UniversalClient {
		t.Helper()
		client := redis.NewClient(&redis.Options{
			Addr: addr, ReadTimeout: -2, WriteTimeout: -2, ConnMaxIdleTime: -1, PoolSize: 400,
			Dialer: func(_ context.Context, network, addr string) (net.Conn, error) { return net.Dial(network, addr) }, //nolint:noctx // A bubble has another clock.
		})
		client.AddHook(clockHook{server})
		t.Cleanup(func() { _ = client.Close() })
		return client
	}
}

// clockHook sets the clock of a server before each command.
type clockHook struct{ server *miniredis.Miniredis }

func (h clockHook) DialHook(next redis.DialHook) redis.DialHook { return next }

func (h clockHook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		h.server.SetTime(time.Now())
		return next(ctx, cmd)
	}
}

func (h clockHook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

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

// Three replicas send, in bursts and alone. Some callers give up, and now and then a
// replica dies with all that wait in it. With WEBOFFICE_LONG it is for 20 hours.
func TestFleet(t *testing.T) {
	t.Parallel()
	scale := time.Duration(1)
	if os.Getenv("WEBOFFICE_LONG") != "" {
		scale = 100
	}
	for name, c := range map[string]struct {
		cfg    webhookredis.LimiterConfig
		limit  int
		period time.Duration // as the service counts
		hours  time.Duration
		least  float64 // of what the limit allows
	}{
		"robot":   {webhookredis.LimiterConfig{RobotURL: signing.NewSecret(robotURL)}, webhook.MessagesPerMinute, time.Minute, 12 * time.Minute * scale, 0.9},
		"convert": {webhookredis.LimiterConfig{AppID: "SX2024"}, convert.DefaultCallsPerSecond, time.Second, 12 * time.Second * scale, 0.75},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			newClient := fakeClock(t)
			synctest.Test(t, func(t *testing.T) {
				times := play(t, newClient, c.cfg, c.hours, c.period)
				if n := most(times, c.period); n != c.limit {
					t.Errorf("%d in %v, want %d", n, c.period, c.limit)
				}
				allowed := float64(c.limit) * float64(c.hours) / float64(c.period)
				t.Logf("%d sent in %v, %.1f %% of what the limit allows", len(times), c.hours, 100*float64(len(times))/allowed)
				if float64(len(times)) < c.least*allowed {
					t.Errorf("%d sent in %v, want at least %.0f", len(times), c.hours, c.least*allowed)
				}
			})
		})
	}
}

// play lets three replicas send for so long, and returns when.
func play(t *testing.T, newClient func(*testing.T) redis.UniversalClient, cfg webhookredis.LimiterConfig, hours, period time.Duration) (times []time.Time) {
	t.Helper()
	end, stop := context.WithTimeout(t.Context(), hours)
	defer stop()
	var mu sync.Mutex
	var replicas sync.WaitGroup
	for replica := range 3 {
		random := rand.New(rand.NewPCG(1, uint64(replica)))
		replicas.Go(func() {
			for end.Err() == nil {
				cfg := cfg
				process := &mortal{UniversalClient: newClient(t)}
				cfg.Client, cfg.Timeout = process, time.Minute
				limiter := newLimiter(t, cfg)
				life, die := context.WithTimeout(end, time.Duration(1+random.IntN(8))*period)
				var callers sync.WaitGroup
				for range 12 {
					seed := random.Uint64()
					callers.Go(func() {
						send(life, limiter, rand.New(rand.NewPCG(2, seed)), period, func(at time.Time) {
							mu.Lock()
							defer mu.Unlock()
							times = append(times, at)
						})
					})
				}
				<-life.Done()
				process.die()
				die()
				callers.Wait()
			}
		})
	}
	replicas.Wait()
	time.Sleep(time.Minute) // questions of those who left are still on their way
	return times
}

// send sends until life ends: often at once, sometimes after a while or not for long.
func send(life context.Context, limiter *webhookredis.Limiter, random *rand.Rand, period time.Duration, sent func(time.Time)) {
	for life.Err() == nil {
		ctx, cancel := context.WithCancel(life)
		switch random.IntN(10) {
		case 0:
			time.Sleep(time.Duration(random.Int64N(int64(period))))
		case 1:
			ctx, cancel = context.WithTimeout(life, time.Duration(random.Int64N(int64(2*period))))
		case 2:
			time.AfterFunc(time.Duration(random.Int64N(int64(2*period))), cancel)
		}
		err := limiter.Wait(ctx)
		cancel()
		var late *webhook.LimitError
		if err == nil {
			sent(time.Now())
		} else if errors.As(err, &late) {
			time.Sleep(period / 20)
		}
	}
}
