package webhookredis_test

import (
	"strconv"
	"sync/atomic"
	"testing"
	"time"

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
			client := newClient(t, start(t))
			var apps atomic.Int64
			webhooktest.RunLimiter(t, func(n int, per time.Duration) webhook.Limiter {
				return newLimiter(t, webhookredis.LimiterConfig{
					Client: client, AppID: strconv.FormatInt(apps.Add(1), 10), Limit: n, Per: per, Timeout: time.Minute, Margin: per / 2,
				})
			})
		})
	}
}

func TestSeenConforms(t *testing.T) {
	t.Parallel()
	t.Run("redis-server", func(t *testing.T) {
		t.Parallel()
		client := newClient(t, startRedis(t).addr)
		var stores atomic.Int64
		webhooktest.RunSeen(t, func() webhook.SeenStore {
			return newSeen(t, webhookredis.SeenConfig{Client: client, Prefix: strconv.FormatInt(stores.Add(1), 10) + ":", Timeout: time.Minute})
		})
	})
}
