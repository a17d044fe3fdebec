package webhookredis_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhookredis"
)

// A server that is killed and started again remembers what it had written. Meanwhile
// there is an error, or the Fallback decides.
func TestRedisRestarts(t *testing.T) {
	t.Parallel()
	server := startRedis(t)
	cfg := webhookredis.LimiterConfig{Client: server.client(t), RobotURL: signing.NewSecret(robotURL), Limit: 3, Per: time.Hour, Margin: time.Minute, Timeout: 10 * time.Second}
	strict := newLimiter(t, cfg)
	var log output
	cfg.Client, cfg.Fallback, cfg.Logger = server.client(t), webhook.NewWindow(1, time.Hour), log.logger()
	lenient := newLimiter(t, cfg)
	seen := newSeen(t, webhookredis.SeenConfig{Client: server.client(t), Timeout: 10 * time.Second})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
	defer cancel()
	for _, l := range []*webhookredis.Limiter{strict, lenient} {
		if err := l.Wait(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if err := seen.Finish(ctx, "event"); err != nil {
		t.Fatal(err)
	}

	server.kill()
	if err := strict.Wait(ctx); !errors.Is(err, webhookredis.ErrUnavailable) {
		t.Errorf("Wait = %v", err)
	}
	if err := lenient.Wait(ctx); err != nil {
		t.Errorf("Wait with a Fallback = %v", err)
	}
	if err := lenient.Wait(ctx); !errors.Is(err, webhook.ErrRateLimited) {
		t.Errorf("Wait after that of the Fallback = %v", err)
	}
	for _, err := range []error{second(seen.Take(ctx, "event", time.Hour)), seen.Finish(ctx, "event"), seen.Release(ctx, "event")} {
		if !errors.Is(err, webhookredis.ErrUnavailable) {
			t.Errorf("a method of Seen = %v", err)
		}
	}

	server.start(t)
	waitFor(t, func() bool { return lenient.Wait(ctx) == nil }) // the third and last slot
	if err := strict.Wait(ctx); !errors.Is(err, webhook.ErrRateLimited) {
		t.Errorf("after a restart, Wait = %v", err)
	}
	if taken, finished, err := seen.Take(ctx, "event", time.Hour); taken || !finished || err != nil {
		t.Errorf("after a restart, Take = %t, %t, %v", taken, finished, err)
	}
	if text := log.String(); strings.Count(text, "not available\"") != 1 || strings.Count(text, "available again") != 1 {
		t.Errorf("the log is\n%s", text)
	}
}

func second(_, _ bool, err error) error { return err }

// A robot's caller learns that the message was not sent.
func TestRobotWithoutRedis(t *testing.T) {
	t.Parallel()
	client := newClient(t, silent(t))
	limiter := newLimiter(t, webhookredis.LimiterConfig{Client: client, RobotURL: signing.NewSecret(robotURL), Timeout: 10 * time.Millisecond})
	robot, err := webhook.NewRobot(webhook.Config{URL: signing.NewSecret(robotURL), Limiter: limiter})
	if err != nil {
		t.Fatal(err)
	}
	if err := robot.Send(t.Context(), webhook.Text{Content: "hello"}); !errors.Is(err, webhook.ErrNotSent) || !errors.Is(err, webhookredis.ErrUnavailable) {
		t.Errorf("Send = %v", err)
	}
}

// Callers leave when they want to, although the client waits for a server that is silent.
func TestSilentRedis(t *testing.T) {
	t.Parallel()
	client := newClient(t, silent(t))
	limiter := newLimiter(t, webhookredis.LimiterConfig{Client: client, AppID: "one", Timeout: time.Hour})
	seen := newSeen(t, webhookredis.SeenConfig{Client: client, Timeout: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if err := limiter.Wait(ctx); !errors.Is(err, context.Canceled) || errors.Is(err, webhookredis.ErrUnavailable) {
		t.Errorf("Wait = %v", err)
	}
	if _, _, err := seen.Take(ctx, "event", time.Hour); !errors.Is(err, context.Canceled) || errors.Is(err, webhookredis.ErrUnavailable) {
		t.Errorf("Take = %v", err)
	}
}

// silent is the address of a server that takes connections and says nothing.
func silent(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // It is closed after the test.
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener.Addr().String()
}
