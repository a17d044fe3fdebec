package webhookredis_test

import (
	"context"
	"errors"
	"net"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhookredis"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

var (
	_ webhook.Limiter   = (*webhookredis.Limiter)(nil)
	_ convert.Limiter   = (*webhookredis.Limiter)(nil)
	_ webhook.SeenStore = (*webhookredis.Seen)(nil)
)

func newLimiter(tb testing.TB, cfg webhookredis.LimiterConfig) *webhookredis.Limiter {
	tb.Helper()
	limiter, err := webhookredis.NewLimiter(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return limiter
}

func newSeen(tb testing.TB, cfg webhookredis.SeenConfig) *webhookredis.Seen {
	tb.Helper()
	seen, err := webhookredis.NewSeen(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return seen
}

func TestLimiterConforms(t *testing.T) {
	t.Parallel()
	for name, start := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr := start(t)
			clients := []redis.UniversalClient{newClient(t, addr), newClient(t, addr), newClient(t, addr)}
			var apps, calls atomic.Int64
			webhooktest.RunLimiter(t, func(n int, per time.Duration) webhook.Limiter {
				var replicas []*webhookredis.Limiter
				app := strconv.FormatInt(apps.Add(1), 10)
				for _, client := range clients {
					replicas = append(replicas, newLimiter(t, webhookredis.LimiterConfig{
						Client: client, AppID: app, Limit: n, Per: per, Timeout: time.Minute, Margin: per / 2,
					}))
				}
				return webhook.LimiterFunc(func(ctx context.Context) error {
					return replicas[calls.Add(1)%3].Wait(ctx)
				})
			})
		})
	}
}

// A cluster refuses a script whose keys are not in one slot.
func TestCluster(t *testing.T) {
	t.Parallel()
	_, bus, _ := net.SplitHostPort(freeAddr(t))
	server := startRedis(t, "--cluster-enabled", "yes", "--cluster-port", bus)
	if err := server.client(t).Do(t.Context(), "CLUSTER", "ADDSLOTSRANGE", 0, 16383).Err(); err != nil {
		t.Fatal(err)
	}
	client := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{server.addr}})
	t.Cleanup(func() { _ = client.Close() })
	waitFor(t, func() bool { return client.Set(t.Context(), "is it up", 1, time.Second).Err() == nil })

	limiter := newLimiter(t, webhookredis.LimiterConfig{Client: client, AppID: "one", Limit: 1, Timeout: time.Minute, Margin: 10 * time.Second})
	if err := limiter.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	if err := limiter.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Wait = %v", err)
	}
	seen := newSeen(t, webhookredis.SeenConfig{Client: client, Timeout: time.Minute})
	for _, want := range []step{{taken: true}, {}} {
		if got := take(t, seen, time.Hour); got != want {
			t.Errorf("Take = %+v, want %+v", got, want)
		}
	}
}

func TestSeenConforms(t *testing.T) {
	t.Parallel()
	client := newClient(t, startRedis(t).addr) // keys of miniredis do not expire by themselves
	var stores atomic.Int64
	webhooktest.RunSeen(t, func() webhook.SeenStore {
		return newSeen(t, webhookredis.SeenConfig{Client: client, Prefix: strconv.FormatInt(stores.Add(1), 10) + ":", Timeout: time.Minute})
	})
}
