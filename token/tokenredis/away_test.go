package tokenredis_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokenredis"
)

// While Redis is away there is an error, or the Fallback is asked; a cache bridges the
// time with its token. After a restart the token is still there.
func TestRedisRestarts(t *testing.T) {
	t.Parallel()
	server := startRedis(t)
	source := &endpoint{life: time.Hour}
	strict := newSource(t, config(server.client(t), source))
	cache := token.NewCache(strict, nil)
	var log output
	cfg := config(server.client(t), source)
	cfg.Fallback, cfg.Logger = &endpoint{life: time.Minute}, log.logger()
	lenient := newSource(t, cfg)
	expect(t, cache, "1")
	expect(t, lenient, "1")

	server.kill()
	if _, err := strict.Token(t.Context(), app); !errors.Is(err, tokenredis.ErrUnavailable) {
		t.Errorf("Token = %v", err)
	}
	expect(t, cache, "1")
	if got, err := lenient.Token(t.Context(), app); err != nil || time.Until(got.ExpiresAt) > time.Minute {
		t.Errorf("Token with a Fallback = %v, %v", got, err)
	}
	if err := lenient.Forget(t.Context(), app); !errors.Is(err, tokenredis.ErrUnavailable) {
		t.Errorf("Forget = %v", err)
	}

	server.start(t)
	expect(t, strict, "1")
	got := expect(t, lenient, "1")
	if time.Until(got.ExpiresAt) < 30*time.Minute || source.calls.Load() != 1 {
		t.Errorf("after a restart, Token = %v, with %d fetches", got, source.calls.Load())
	}
	expect(t, lenient, "1")
	if text := log.String(); strings.Count(text, "not available\"") != 1 || strings.Count(text, "available again") != 1 {
		t.Errorf("the log is\n%s", text)
	}
}

// Why a caller left is said once, together with its cause.
func TestWhyACallerLeft(t *testing.T) {
	t.Parallel()
	s := newSource(t, config(newClient(t, "127.0.0.1:1"), &endpoint{life: time.Hour}))
	closed := errors.New("the server ends")
	for want, cause := range map[string]error{"context canceled": nil, "context canceled: the server ends": closed} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		_, err := s.Token(ctx, app)
		if !errors.Is(err, context.Canceled) || cause != nil && !errors.Is(err, cause) || err.Error() != `tokenredis: token of app "SX2024": `+want {
			t.Errorf("Token = %v, want %s", err, want)
		}
	}
}

// If Redis goes away during a fetch, the token is returned although it is not kept.
func TestRedisStopsDuringFetch(t *testing.T) {
	t.Parallel()
	server := startRedis(t)
	cfg := config(server.client(t), token.SourceFunc(func(context.Context, string) (token.Token, error) {
		server.kill()
		return valid("1", time.Hour), nil
	}))
	cfg.Timeout = time.Second
	expect(t, newSource(t, cfg), "1")
}

// A caller leaves when it wants to, although the client waits for a server that is silent.
func TestSilentRedis(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // It is closed after the test.
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	cfg := config(newClient(t, listener.Addr().String()), &endpoint{life: time.Hour})
	cfg.Timeout = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, err := newSource(t, cfg).Token(ctx, app); !errors.Is(err, context.Canceled) || errors.Is(err, tokenredis.ErrUnavailable) {
		t.Errorf("Token = %v", err)
	}
}
