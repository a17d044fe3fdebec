package preview_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

func newVerifier(tb testing.TB, cfg signing.VerifierConfig) *signing.Verifier {
	tb.Helper()
	if cfg.Credentials == nil {
		cfg.Credentials = []signing.Credentials{signingtest.Credentials()}
	}
	v, err := signing.NewVerifier(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

// authFails is an Auth that refuses everybody.
func authFails(err error) func(*http.Request) (signing.Caller, error) {
	return func(*http.Request) (signing.Caller, error) { return signing.Caller{}, err }
}

// TestSigned verifies every route, with and without a body (public reference 3.2).
func TestSigned(t *testing.T) {
	t.Parallel()
	cfg, log := all(&backend{})
	cfg.Auth = newVerifier(t, signing.VerifierConfig{}).VerifyRequest
	h := newHandler(t, cfg)
	for route, good := range routes() {
		if good.method == "" {
			good.method = http.MethodGet
		}
		target := preview.PathPrefix + good.path
		if w := serve(t, h, signingtest.NewRequest(t, signingtest.Credentials(), good.method, target, []byte(good.body))); w.Code != 200 {
			t.Errorf("%s, signed = %d %s, want 200", route, w.Code, w.Body)
		}
		before := len(log.lines(t, slog.LevelWarn))
		w := serve(t, h, signingtest.NewRequest(t, signing.Credentials{}, good.method, target, []byte(good.body)))
		if want := `{"code":40002,"message":"unauthorized"}`; w.Code != 401 || w.Body.String() != want {
			t.Errorf("%s, unsigned = %d %s, want 401 %s", route, w.Code, w.Body, want)
		}
		if lines := log.lines(t, slog.LevelWarn); len(lines) != before+1 || !strings.Contains(fmt.Sprint(lines[before]["error"]), "timestamp failure") {
			t.Errorf("%s, unsigned: the log does not say why:\n%s", route, log)
		}
	}
}

// TestAuthComesFirst refuses strangers before anything else is looked at.
func TestAuthComesFirst(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"files/f1", "files/a.b", "files/", "nothing", "users", "files/f1/upload/complete"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			cfg, _ := all(&backend{})
			cfg.Auth = authFails(errors.New("no"))
			cfg.CheckID = func(string) error { t.Error("CheckID was called"); return nil }
			cfg.Identify = func(context.Context, preview.Request) (string, error) {
				t.Error("Identify was called")
				return "", nil
			}
			if w := get(t, newHandler(t, cfg), path); w.Code != 401 {
				t.Errorf("answer = %d %s, want 401", w.Code, w.Body)
			}
		})
	}
}

// TestAuthErrors are the answers to what Auth refuses.
func TestAuthErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		err    error
		status int
		body   string
	}{
		{"a signature", &signing.Error{Check: signing.CheckSignature}, 401, `{"code":40002,"message":"unauthorized"}`},
		{"anything", errors.New("inner text"), 401, `{"code":40002,"message":"unauthorized"}`},
		{"forbidden", fmt.Errorf("address: %w", preview.ErrForbidden), 403, `{"code":40003,"message":"forbidden"}`},
		{"a reply", preview.Reply{Status: 429, Code: 40007, Message: "Slow down"}, 429, `{"code":40007,"message":"Slow down"}`},
		{"body too large", fmt.Errorf("read: %w", &http.MaxBytesError{Limit: 1}), 413, `{"code":40005,"message":"request body too large"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cfg, _ := all(&backend{})
			cfg.Auth = authFails(c.err)
			if w := get(t, newHandler(t, cfg), "files/f1"); w.Code != c.status || w.Body.String() != c.body {
				t.Errorf("answer = %d %s, want %d %s", w.Code, w.Body, c.status, c.body)
			}
		})
	}
}

// TestAppID is public reference 3.2: the app that signed is the app that is meant.
func TestAppID(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		caller signing.Caller
		named  []string
		status int
		want   string
	}{
		{"signed", signing.Caller{AppID: "a"}, nil, 200, "a"},
		{"signed and named", signing.Caller{AppID: "a"}, []string{"a"}, 200, "a"},
		{"signed, named empty", signing.Caller{AppID: "a"}, []string{""}, 200, "a"},
		{"signed, another named", signing.Caller{AppID: "a"}, []string{"b"}, 401, ""},
		{"signed, in another case", signing.Caller{AppID: "a"}, []string{"A"}, 401, ""},
		{"signed, two named", signing.Caller{AppID: "a"}, []string{"a", "b"}, 401, ""},
		{"unsigned", signing.Caller{}, nil, 200, ""},
		{"unsigned, named", signing.Caller{}, []string{"b"}, 200, "b"},
		{"unsigned, two named", signing.Caller{}, []string{"b", "c"}, 401, ""},
		{"a robot", signing.Caller{RobotKey: signing.NewSecret("k")}, []string{"b"}, 401, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := &backend{}
			cfg, log := all(b)
			cfg.Auth = func(*http.Request) (signing.Caller, error) { return c.caller, nil }
			r := httptest.NewRequest(http.MethodGet, "/v3/3rd/files/f1", nil)
			r.Header["X-App-Id"] = c.named
			w := serve(t, newHandler(t, cfg), r)
			if w.Code != c.status || w.Code == 401 && w.Body.String() != `{"code":40002,"message":"unauthorized"}` {
				t.Errorf("answer = %d %s, want %d", w.Code, w.Body, c.status)
			}
			if c.status == 401 {
				log.only(t, slog.LevelWarn)
				if b.calls() > 0 {
					t.Error("the store was called")
				}
			} else if got := b.seen[0].AppID; got != c.want {
				t.Errorf("AppID = %q, want %q", got, c.want)
			}
		})
	}
}

// TestRequest is what a store is told.
func TestRequest(t *testing.T) {
	t.Parallel()
	for route, good := range routes() {
		t.Run(route, func(t *testing.T) {
			t.Parallel()
			if good.method == "" {
				good.method = http.MethodGet
			}
			b := &backend{}
			cfg, _ := all(b)
			var asked preview.Request
			cfg.Identify = func(_ context.Context, r preview.Request) (string, error) {
				asked = r
				return "u-" + r.WebOfficeToken.Reveal(), nil
			}
			req := httptest.NewRequest(good.method, "https://example.com/office/v3/3rd/"+good.path, strings.NewReader(good.body))
			req.Header.Set("X-App-Id", "app")
			req.Header.Set("X-WebOffice-Token", "tok")
			req.Header.Set("X-Request-Id", "req-7")
			req.Header.Set("X-User-Query", "_w_appid=app&file_id=f1&role=a%20b&%zz=1")
			if w := serve(t, newHandler(t, cfg), req); w.Code != 200 {
				t.Fatalf("answer = %d %s, want 200", w.Code, w.Body)
			}
			fileID := "f1"
			if route == "users" {
				fileID = ""
			}
			got := b.seen[0]
			if got.FileID != fileID || got.AppID != "app" || got.UserID != "u-tok" || got.RequestID != "req-7" || got.WebOfficeToken.Reveal() != "tok" || got.Query().Get("role") != "a b" {
				t.Errorf("the store was told %v with token %q and query %q", got, got.WebOfficeToken.Reveal(), got.UserQuery)
			}
			if asked.UserID != "" || asked.FileID != fileID || asked.AppID != "app" {
				t.Errorf("Identify was told %v", asked)
			}
		})
	}
}

// TestIdentifyRefuses answers with the error of Identify, and calls no store.
func TestIdentifyRefuses(t *testing.T) {
	t.Parallel()
	for _, e := range storeErrors() {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			b := &backend{}
			cfg, _ := all(b)
			cfg.Identify = func(context.Context, preview.Request) (string, error) { return "", e.err }
			if w := get(t, newHandler(t, cfg), "files/f1"); w.Code != e.status || !strings.Contains(w.Body.String(), fmt.Sprintf(`{"code":%d,`, e.code)) {
				t.Errorf("answer = %d %s, want %d with code %d", w.Code, w.Body, e.status, e.code)
			}
			if b.calls() > 0 {
				t.Error("the store was called")
			}
		})
	}
}

// TestOversize is more than MaxBody, announced or not, read by Auth or by the
// handler.
func TestOversize(t *testing.T) {
	t.Parallel()
	body := `{"name":"` + strings.Repeat("x", 100) + `"}`
	for _, c := range []struct {
		name   string
		limit  int64
		length int64
		auth   func(*http.Request) (signing.Caller, error)
		status int
	}{
		{"announced", 100, int64(len(body)), signing.Unsigned, 413},
		{"chunked", 100, -1, signing.Unsigned, 413},
		{"chunked, read by Auth", 100, -1, func(r *http.Request) (signing.Caller, error) {
			_, err := io.ReadAll(r.Body)
			return signing.Caller{}, err
		}, 413},
		{"exactly", int64(len(body)), int64(len(body)), signing.Unsigned, 200},
		{"exactly, chunked", int64(len(body)), -1, signing.Unsigned, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cfg, _ := all(&backend{})
			cfg.MaxBody, cfg.Auth = c.limit, c.auth
			r := httptest.NewRequest(http.MethodPut, "/v3/3rd/files/f1/name", strings.NewReader(body))
			r.ContentLength = c.length
			w := serve(t, newHandler(t, cfg), r)
			if w.Code != c.status || c.status == 413 && w.Body.String() != `{"code":40005,"message":"request body too large"}` {
				t.Errorf("answer = %d %s, want %d", w.Code, w.Body, c.status)
			}
		})
	}
	t.Run("more than the verifier reads", func(t *testing.T) {
		t.Parallel()
		cfg, _ := all(&backend{})
		cfg.Auth = newVerifier(t, signing.VerifierConfig{MaxBody: 50}).VerifyRequest
		r := signingtest.NewRequest(t, signingtest.Credentials(), http.MethodPut, "/v3/3rd/files/f1/name", []byte(body))
		if w := serve(t, newHandler(t, cfg), r); w.Code != 413 {
			t.Errorf("answer = %d %s, want 413", w.Code, w.Body)
		}
	})
}
