package tokenredis_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokenredis"
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

func (o *output) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(o, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// No secret is in a key or a value of Redis, nor in an error or a log on any failing path.
func TestNoSecretLeaves(t *testing.T) {
	t.Parallel()
	server := startRedis(t)
	client := newClient(t, server.addr)
	var seen output
	show := func(v any) { _, _ = fmt.Fprintf(&seen, "%v %+v %#v\n", v, v, v) }
	failing := false
	cfg := config(client, token.SourceFunc(func(context.Context, string) (token.Token, error) {
		if failing {
			return token.Token{}, errors.New("the endpoint fails")
		}
		return valid(accessToken, time.Hour), nil
	}))
	cfg.Logger, cfg.Early = seen.logger(), 2*time.Hour
	s := newSource(t, cfg)
	show(cfg)
	show(s)
	if got, err := s.Token(t.Context(), app); err != nil || got.AccessToken.Reveal() != accessToken {
		t.Fatalf("Token = %v, %v", got, err)
	}
	if stored := dump(t, client); !strings.Contains(stored, app) {
		t.Errorf("nothing is stored: %q", stored)
	} else {
		show(stored)
	}

	other := cfg
	other.Keys = []signing.Secret{signing.NewSecret("CANARY-another sealing key, of a process")}
	if _, err := newSource(t, other).Token(t.Context(), app); err != nil {
		t.Errorf("Token with another key = %v", err)
	}
	_, err := tokenredis.New(tokenredis.Config{Keys: []signing.Secret{signing.NewSecret("CANARY")}})
	show(err)
	failing = true
	_, err = s.Token(t.Context(), app)
	show(err)
	_, err = s.Token(t.Context(), "unknown")
	show(err)
	key := client.Keys(t.Context(), "*").Val()[0]
	client.Del(t.Context(), key)
	client.Set(t.Context(), key, "a string", time.Hour)
	_, err = s.Token(t.Context(), app)
	show(err)
	server.kill()
	_, err = s.Token(t.Context(), app)
	show(err)
	show(s.Forget(t.Context(), app))

	if text := seen.String(); strings.Contains(text, "CANARY") || !strings.Contains(text, "cannot be opened") || !strings.Contains(text, "WRONGTYPE") || !strings.Contains(text, "connection refused") {
		t.Errorf("a secret, or not every failure, is in:\n%s", text)
	}
}
