package token_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokentest"
)

func fullCache(tb testing.TB, apps int) (c *token.Cache, ids []string) {
	tb.Helper()
	source := &tokentest.Source{Tokens: map[string]token.Token{}}
	for i := range apps {
		ids = append(ids, "app-"+strconv.Itoa(i))
		source.Tokens[ids[i]] = token.Token{
			AccessToken: signing.NewSecret(strings.Repeat("eyJhbGci", 50)), ExpiresAt: time.Now().Add(24 * time.Hour),
		}
	}
	c = token.NewCache(source, nil)
	for _, id := range ids {
		if _, err := c.Token(context.Background(), id); err != nil {
			tb.Fatal(err)
		}
	}
	return c, ids
}

// A token that is kept costs no allocation. Not parallel: AllocsPerRun counts
// those of everybody.
func TestCacheHitAllocatesNothing(t *testing.T) {
	c, ids := fullCache(t, 50)
	ctx := t.Context()
	n := 0
	if got := testing.AllocsPerRun(1000, func() {
		if _, err := c.Token(ctx, ids[n%len(ids)]); err != nil {
			t.Error(err)
		}
		n++
	}); got != 0 {
		t.Errorf("a hit allocates %v times, want 0", got)
	}
}

// BenchmarkCacheHit is a token that is kept, for one app and for many, beside a
// mutex around the same check, which is the least that a lock costs.
func BenchmarkCacheHit(b *testing.B) {
	for _, apps := range []int{1, 50, 10_000} {
		b.Run(strconv.Itoa(apps)+"apps", func(b *testing.B) {
			c, ids := fullCache(b, apps)
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				ctx := context.Background()
				for n := 0; pb.Next(); n++ {
					if _, err := c.Token(ctx, ids[n%len(ids)]); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
	b.Run("mutex", func(b *testing.B) {
		var mu sync.Mutex
		kept := token.Token{AccessToken: signing.NewSecret("x"), ExpiresAt: time.Now().Add(24 * time.Hour)}
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				mu.Lock()
				if time.Now().Round(0).After(kept.ExpiresAt) {
					b.Error("it has ended")
				}
				mu.Unlock()
			}
		})
	})
	b.Run("clock", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if time.Now().IsZero() {
					b.Error("no time")
				}
			}
		})
	})
}

// discard is a ResponseWriter that costs nothing.
type discard struct{ header http.Header }

func (d discard) Header() http.Header       { return d.header }
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) WriteHeader(int)             {}

// SetReadDeadline is what the ResponseWriter of net/http has too.
func (discard) SetReadDeadline(time.Time) error { return nil }

// BenchmarkHandler is a callback with a cached token, beside a handler that reads
// the body and writes fixed bytes.
func BenchmarkHandler(b *testing.B) {
	cache, _ := fullCache(b, 1)
	body := `{"app_id":"app-0","file_id":"9f0c1d2e3b4a59687","weboffice_token":"` + strings.Repeat("t", 80) + `"}`
	verifier, err := signing.NewVerifier(signing.VerifierConfig{Credentials: []signing.Credentials{signingtest.Credentials()}})
	if err != nil {
		b.Fatal(err)
	}
	handler := func(auth func(*http.Request) (signing.Caller, error)) http.Handler {
		h, err := token.NewHandler(token.Config{
			Auth:      auth,
			AppMatch:  func(signing.Caller, string) bool { return true },
			Authorize: func(context.Context, token.Request) error { return nil },
			Source:    cache,
			Logger:    slog.New(slog.DiscardHandler),
		})
		if err != nil {
			b.Fatal(err)
		}
		return h
	}
	fixed := []byte(`{"code":0,"message":"ok","data":{"access_token":"` + strings.Repeat("eyJhbGci", 50) + `","token_type":"bearer","expires_in":7199}}`)
	for _, bench := range []struct {
		name string
		h    http.Handler
	}{
		{"bare", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(fixed)
		})},
		{"unsigned", handler(signing.Unsigned)},
		{"signed", handler(verifier.VerifyRequest)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			request := signingtest.NewRequest(b, signingtest.Credentials(), http.MethodPost, token.Path, []byte(body))
			reader := strings.NewReader(body)
			w := discard{http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				reader.Reset(body)
				request.Body = io.NopCloser(reader)
				bench.h.ServeHTTP(w, request)
			}
		})
	}
}
