package webhookredis_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/webhook/webhookredis"
)

// One decision of a limiter that has slots, on a server of its own.
func BenchmarkWait(b *testing.B) {
	limiter := newLimiter(b, webhookredis.LimiterConfig{Client: startRedis(b, "--appendonly", "no").client(b), AppID: "one", Limit: 1 << 30, Per: 10 * time.Millisecond, Margin: time.Second})
	b.ReportAllocs()
	for b.Loop() {
		if err := limiter.Wait(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTakeAndFinish(b *testing.B) {
	seen := newSeen(b, webhookredis.SeenConfig{Client: startRedis(b, "--appendonly", "no").client(b)})
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		id := strconv.Itoa(n)
		if taken, _, err := seen.Take(b.Context(), id, time.Minute); err != nil || !taken {
			b.Fatal(taken, err)
		}
		if err := seen.Finish(b.Context(), id); err != nil {
			b.Fatal(err)
		}
	}
}
