package webhookredis_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook/webhookredis"
)

// output is a log that several goroutines write.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func (o *output) logger() *slog.Logger { return slog.New(slog.NewTextHandler(o, nil)) }

const robotURL = "https://chat.example/api/v1/webhook/send?key=CANARY-robot-key"

// No key of a robot is in a key or a value of Redis, nor in an error or a log on any
// failing path.
func TestNoSecretLeaves(t *testing.T) {
	t.Parallel()
	server := startRedis(t)
	client := newClient(t, server.addr)
	var seen output
	show := func(v any) { _, _ = fmt.Fprintf(&seen, "%v %+v %#v\n", v, v, v) }
	cfg := webhookredis.LimiterConfig{Client: client, RobotURL: signing.NewSecret(robotURL), Limit: 1, Timeout: 10 * time.Second, Margin: 10 * time.Second, Logger: seen.logger()}
	limiter := newLimiter(t, cfg)
	show(cfg)
	show(limiter)
	for _, bad := range []string{"https://chat.example/send", "%zz?key=CANARY", "https://chat.example:CANARY/?key=CANARY"} {
		_, err := webhookredis.NewLimiter(webhookredis.LimiterConfig{Client: client, RobotURL: signing.NewSecret(bad)})
		if show(err); err == nil {
			t.Errorf("NewLimiter takes %s", bad)
		}
	}
	if err := limiter.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	show(limiter.Wait(short))
	waiting, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() { left <- limiter.Wait(waiting) }()
	waitFor(t, func() bool { return strings.Contains(dump(t, client), "queue") })
	show(dump(t, client))
	leave()
	show(<-left)
	for _, key := range client.Keys(t.Context(), "*").Val() {
		client.Set(t.Context(), key, "a string", time.Hour)
	}
	show(limiter.Wait(t.Context()))
	server.kill()
	show(limiter.Wait(t.Context()))

	if text := seen.String(); strings.Contains(text, "CANARY") || !strings.Contains(text, "WRONGTYPE") || !strings.Contains(text, "connection refused") {
		t.Errorf("a secret, or not every failure, is in:\n%s", text)
	}
}

// waitFor asks until it is so.
func waitFor(tb testing.TB, so func() bool) {
	tb.Helper()
	for range 1000 {
		if so() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	tb.Fatal("it did not happen within 10 seconds")
}
