package token_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
	"github.com/weboffice-go/weboffice/token"
)

const goodBody = `{"app_id":"test-app","file_id":"report","weboffice_token":"alice"}`

// noon is the time of every test that needs none in particular.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func at(t time.Time) func() time.Time { return func() time.Time { return t } }

func goodToken(left time.Duration) token.Token {
	return token.Token{AccessToken: signing.NewSecret("eyJhbGciOi.token-1"), ExpiresAt: noon.Add(left)}
}

// config is one that grants everything, quietly.
func config() token.Config {
	return token.Config{
		Auth:      signing.Unsigned,
		Authorize: func(context.Context, token.Request) error { return nil },
		Source: token.SourceFunc(func(context.Context, string) (token.Token, error) {
			return goodToken(7199*time.Second + 999*time.Millisecond), nil
		}),
		Logger: slog.New(slog.DiscardHandler),
		Now:    at(noon),
	}
}

func newHandler(tb testing.TB, change func(*token.Config)) *token.Handler {
	tb.Helper()
	cfg := config()
	if change != nil {
		change(&cfg)
	}
	h, err := token.NewHandler(cfg)
	if err != nil {
		tb.Fatalf("NewHandler: %v", err)
	}
	return h
}

func post(h http.Handler, body string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(http.MethodPost, token.Path, strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	return serve(h, req)
}

func serve(h http.Handler, req *http.Request) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, req)
	return rec
}

// want compares the whole answer: an answer says what it must, and nothing else.
func want(t *testing.T, rec *httptest.ResponseRecorder, status int, body string) {
	t.Helper()
	if rec.Code != status {
		t.Errorf("HTTP status %d, want %d", rec.Code, status)
	}
	if got := rec.Header().Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type %q, want application/json", got)
	}
	if diff := cmp.Diff(body, rec.Body.String()); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
}

func TestHandlerAnswersAsProtocol2_11(t *testing.T) {
	t.Parallel()
	rec := post(newHandler(t, nil), goodBody)
	want(t, rec, 200, `{"code":0,"message":"ok","data":{"access_token":"eyJhbGciOi.token-1","token_type":"bearer","expires_in":7199}}`)
	if got := rec.Header().Get("Cache-Control"); got != "no-store" {
		t.Errorf("Cache-Control %q, want no-store", got)
	}
}

func TestHandlerEscapesTheToken(t *testing.T) {
	t.Parallel()
	h := newHandler(t, func(cfg *token.Config) {
		cfg.Source = token.SourceFunc(func(context.Context, string) (token.Token, error) {
			return token.Token{AccessToken: signing.NewSecret("a\"<\n\\é"), ExpiresAt: noon.Add(time.Minute)}, nil
		})
	})
	want(t, post(h, goodBody), 200,
		`{"code":0,"message":"ok","data":{"access_token":"a\"<\n\\é","token_type":"bearer","expires_in":60}}`)
}

func TestHandlerPassesOnWhatIsAsked(t *testing.T) {
	t.Parallel()
	var got token.Request
	h := newHandler(t, func(cfg *token.Config) {
		cfg.Authorize = func(_ context.Context, r token.Request) error { got = r; return nil }
	})
	req := httptest.NewRequest(http.MethodPost, "/any/path", strings.NewReader(goodBody))
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set("X-Request-Id", "id-7")
	req.ContentLength = -1 // chunked
	if rec := serve(h, req); rec.Code != 200 {
		t.Fatalf("HTTP status %d: %s", rec.Code, rec.Body)
	}
	if got.AppID != "test-app" || got.FileID != "report" || got.WebOfficeToken.Reveal() != "alice" || got.RequestID != "id-7" {
		t.Errorf("Authorize got %+v", got)
	}
}

// TestHandlerOrder finds the order by letting every step fail at once, and then
// one step less.
func TestHandlerOrder(t *testing.T) {
	t.Parallel()
	var asked []string
	step := func(name string) { asked = append(asked, name) }
	tests := []struct {
		name   string
		passes int // how many steps let the request pass
		body   string
		code   int
		asked  string
	}{
		{"auth", 0, "no json", 40002, "auth"},
		{"decode", 1, "no json", 40005, "auth"},
		{"app", 1, goodBody, 40003, "auth app"},
		{"authorize", 2, goodBody, 40004, "auth app authorize"},
		{"source", 3, goodBody, 50001, "auth app authorize source"},
	}
	for _, tt := range tests {
		asked = nil
		h := newHandler(t, func(cfg *token.Config) {
			cfg.Auth = func(*http.Request) (signing.Caller, error) {
				step("auth")
				if tt.passes < 1 {
					return signing.Caller{}, signing.ErrSignature
				}
				return signing.Caller{AppID: "test-app"}, nil
			}
			cfg.AppMatch = func(caller signing.Caller, appID string) bool {
				step("app")
				return tt.passes >= 2 && caller.AppID == appID
			}
			cfg.Authorize = func(context.Context, token.Request) error {
				step("authorize")
				if tt.passes < 3 {
					return token.ErrNotFound
				}
				return nil
			}
			cfg.Source = token.SourceFunc(func(context.Context, string) (token.Token, error) {
				step("source")
				return token.Token{}, errors.New("down")
			})
		})
		rec := post(h, tt.body)
		if !strings.HasPrefix(rec.Body.String(), fmt.Sprintf(`{"code":%d,`, tt.code)) {
			t.Errorf("%s: answer %s, want code %d", tt.name, rec.Body, tt.code)
		}
		if got := strings.Join(asked, " "); got != tt.asked {
			t.Errorf("%s: asked %q, want %q", tt.name, got, tt.asked)
		}
	}
}

func TestHandlerVerifiesSignatures(t *testing.T) {
	t.Parallel()
	verifier, err := signing.NewVerifier(signing.VerifierConfig{Credentials: []signing.Credentials{
		signingtest.Credentials(), signing.App("other-app", signing.NewSecret("other-key")),
		signing.Robot(signing.NewSecret("robot"), signing.NewSecret("robot-secret")),
	}})
	if err != nil {
		t.Fatal(err)
	}
	h := newHandler(t, func(cfg *token.Config) { cfg.Auth = verifier.VerifyRequest })
	tests := []struct {
		name        string
		credentials signing.Credentials
		status      int
		body        string
	}{
		{"its own app", signingtest.Credentials(), 200, ""},
		{"unsigned", signing.Credentials{}, 401, `{"code":40002,"message":"unauthorized"}`},
		{"wrong key", signing.App("test-app", signing.NewSecret("wrong")), 401, `{"code":40002,"message":"unauthorized"}`},
		{"another app", signing.App("other-app", signing.NewSecret("other-key")), 403, `{"code":40003,"message":"forbidden"}`},
		{"a robot", signing.Robot(signing.NewSecret("robot"), signing.NewSecret("robot-secret")), 403, `{"code":40003,"message":"forbidden"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rec := serve(h, signingtest.NewRequest(t, tt.credentials, http.MethodPost, token.Path, []byte(goodBody)))
			if tt.status == 200 {
				tt.body = rec.Body.String()
			}
			want(t, rec, tt.status, tt.body)
		})
	}
}

func TestHandlerMethod(t *testing.T) {
	t.Parallel()
	h := newHandler(t, nil)
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPut, http.MethodOptions, "BREW"} {
		rec := serve(h, httptest.NewRequest(method, token.Path, strings.NewReader(goodBody)))
		want(t, rec, 405, `{"code":40005,"message":"the method must be POST"}`)
		if got := rec.Header().Get("Allow"); got != http.MethodPost {
			t.Errorf("%s: Allow %q, want POST", method, got)
		}
	}
}

func TestHandlerBoundsTheBody(t *testing.T) {
	t.Parallel()
	verifier, err := signing.NewVerifier(signing.VerifierConfig{Credentials: []signing.Credentials{signingtest.Credentials()}})
	if err != nil {
		t.Fatal(err)
	}
	body := []byte(`{"padding":"` + strings.Repeat("x", 100) + `",` + goodBody[1:])
	for name, auth := range map[string]func(*http.Request) (signing.Caller, error){
		"read by the handler": signing.Unsigned, "read by the verifier": verifier.VerifyRequest,
	} {
		for limit, status := range map[int]int{len(body) - 1: 413, len(body): 200} {
			h := newHandler(t, func(cfg *token.Config) { cfg.Auth, cfg.MaxBody = auth, int64(limit) })
			rec := serve(h, signingtest.NewRequest(t, signingtest.Credentials(), http.MethodPost, token.Path, body))
			if rec.Code != status {
				t.Errorf("%s, limit %d of %d: HTTP status %d, want %d", name, limit, len(body), rec.Code, status)
			}
			if status == 413 {
				want(t, rec, 413, `{"code":40005,"message":"the body is too large"}`)
			}
		}
	}
}

func TestHandlerGivesItsWorkADeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		block := func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}
		var log bytes.Buffer
		for name, change := range map[string]func(*token.Config){
			"authorize": func(cfg *token.Config) {
				cfg.Authorize = func(ctx context.Context, _ token.Request) error { return block(ctx) }
			},
			"source": func(cfg *token.Config) {
				cfg.Source = token.SourceFunc(func(ctx context.Context, _ string) (token.Token, error) {
					return token.Token{}, block(ctx)
				})
			},
			"auth": func(cfg *token.Config) {
				cfg.Auth = func(r *http.Request) (signing.Caller, error) { return signing.Caller{}, block(r.Context()) }
				cfg.MapError = func(error) token.Reply { return token.Reply{Status: 500, Code: 50001, Message: "internal error"} }
			},
		} {
			h := newHandler(t, func(cfg *token.Config) {
				cfg.Timeout = 3 * time.Second
				cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
				change(cfg)
			})
			start := time.Now()
			want(t, post(h, goodBody), 500, `{"code":50001,"message":"internal error"}`)
			if got := time.Since(start); got != 3*time.Second {
				t.Errorf("%s: answered after %v, want 3s", name, got)
			}
		}
		if n := strings.Count(log.String(), "deadline exceeded"); n != 3 {
			t.Errorf("the log names the deadline %d times, want 3:\n%s", n, &log)
		}
	})
}
