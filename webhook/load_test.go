package webhook_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/internal/memhttp"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

// Protocol 8, counted where the service counts: fifty goroutines want to post five
// hundred messages over a network that is slow in a different way each time. None
// is refused, all arrive, and it takes no longer than it must.
func TestManySendersKeepTheLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const senders, each = 50, 10
		server := webhooktest.NewServer(nil)
		cfg := server.Config(webhooktest.TestKey())
		cfg.HTTPClient = memhttp.Client(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(min(900*time.Millisecond, 20*time.Millisecond+time.Duration(rand.ExpFloat64()*float64(80*time.Millisecond))))
			server.ServeHTTP(w, r)
			time.Sleep(time.Duration(rand.ExpFloat64() * float64(50*time.Millisecond)))
		}))
		cfg.Attempts = 1
		robot, start := newRobot(t, cfg), time.Now()
		var wg sync.WaitGroup
		for s := range senders {
			wg.Go(func() {
				for i := range each {
					if err := robot.Send(t.Context(), webhook.Text{Content: fmt.Sprintf("%d/%d", s, i)}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		took := time.Since(start)

		var times []time.Time
		texts := map[string]bool{}
		for _, text := range arrived(server) {
			texts[text] = true
		}
		for _, s := range server.Sent() {
			if s.Refused != "" {
				t.Errorf("refused: %s", s.Refused)
			}
			times = append(times, s.At)
		}
		if len(texts) != senders*each {
			t.Errorf("%d different messages arrived, want %d", len(texts), senders*each)
		}
		if got := asMuch(times, time.Minute); got > webhook.MessagesPerMinute {
			t.Errorf("%d messages arrived within a minute, want at most %d", got, webhook.MessagesPerMinute)
		}
		rounds := senders*each/webhook.MessagesPerMinute - 1
		if least := time.Duration(rounds) * 61 * time.Second; took < least || took > least+2*time.Second {
			t.Errorf("it took %v, want %v and the way of the last message", took, least)
		}
	})
}
