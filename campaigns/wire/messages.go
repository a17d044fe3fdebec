package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

// refusing answers one request in fifty with 429, which is safe to repeat.
func refusing(next http.Handler) http.Handler {
	var n atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1)%50 == 0 {
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// sendAll sends n messages from 64 goroutines, and compares what the robot says with
// what arrived.
func sendAll(ctx context.Context, w *wire, n int) (*tally, error) {
	chat := webhooktest.NewServer(nil)
	key := signing.NewSecret("wire-campaign")
	if err := chat.Add(webhooktest.Robot{Key: key, PerMinute: 1 << 30}); err != nil {
		return nil, err
	}
	front := w.over(refusing(chat))
	defer front.Close()
	cfg := chat.Config(key)
	client := &http.Client{Timeout: timeout, Transport: http.DefaultTransport.(*http.Transport).Clone()} //nolint:errcheck // It is one.
	cfg.URL, cfg.HTTPClient, cfg.Limiter = chat.Address(front.URL, key), client, webhook.NewWindow(1<<20, 0)
	robot, err := webhook.NewRobot(cfg)
	if err != nil {
		return nil, err
	}
	defer client.CloseIdleConnections()

	results, next := make([]error, n), atomic.Int64{}
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(n) && ctx.Err() == nil; i = next.Add(1) - 1 {
				send, cancel := context.WithTimeout(ctx, time.Minute)
				results[i] = robot.Send(send, webhook.Text{Content: message(int(i))})
				cancel()
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return judgeMessages(w, chat, results), nil
}

func message(i int) string { return fmt.Sprintf("message %d", i) }

func judgeMessages(w *wire, chat *webhooktest.Server, results []error) *tally {
	arrived, doubled, repeated := map[string]int{}, 0, 0
	for _, sent := range chat.Sent() {
		text, ok := sent.Message.(webhook.Text)
		if !ok || sent.Refused != "" {
			continue
		}
		if arrived[text.Content]++; arrived[text.Content] > 1 {
			repeated++
			if w.twice(sent.Body) > 0 {
				doubled++
			}
		}
	}
	var ok, missing, failed, failedArrived, lied int
	for i, err := range results {
		there := arrived[message(i)] > 0
		if err == nil {
			ok++
			if !there {
				missing++
			}
			continue
		}
		failed++
		if there {
			failedArrived++
			if errors.Is(err, webhook.ErrNotAccepted) || errors.Is(err, webhook.ErrNotSent) {
				lied++
			}
		}
	}
	t := &tally{}
	t.count("accepted", ok)
	t.zero("accepted but did not arrive", missing)
	t.count("failed", failed)
	t.count("  of these arrived all the same", failedArrived)
	t.zero("ErrNotAccepted or ErrNotSent although it arrived", lied)
	t.count("arrived twice, by the wire's own repetition", doubled)
	t.zero("sent twice by the robot", repeated-doubled)
	return t
}
