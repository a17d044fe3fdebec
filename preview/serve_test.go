package preview_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/signing"
)

// TestTimeout answers a store that obeys its context, at once when time is up.
func TestTimeout(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		timeout time.Duration
		want    time.Duration
	}{{"default", 0, preview.DefaultTimeout}, {"given", 3 * time.Second, 3 * time.Second}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				cfg, log := all(&backend{file: func(ctx context.Context, _ preview.Request) (preview.File, error) {
					<-ctx.Done()
					return preview.File{}, fmt.Errorf("query: %w", ctx.Err())
				}})
				cfg.Timeout = c.timeout
				cfg.Now = func() time.Time { return time.Unix(0, 0) } // judges times, and ends no call
				start := time.Now()
				w := get(t, newHandler(t, cfg), "files/f1")
				if took := time.Since(start); w.Code != 500 || w.Body.String() != `{"code":50001,"message":"internal error"}` || took != c.want {
					t.Errorf("answer after %v = %d %s, want an internal error after %v", took, w.Code, w.Body, c.want)
				}
				line := log.only(t, slog.LevelError)
				if line["error"] != "query: context deadline exceeded" || line["timeout"] != float64(c.want) {
					t.Errorf("log = %v, want the error and the timeout", line)
				}
			})
		})
	}
}

// TestTimeoutOfAuthAndIdentify bounds them as well.
func TestTimeoutOfAuthAndIdentify(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg, _ := all(&backend{})
		cfg.Identify = func(ctx context.Context, _ preview.Request) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		}
		if w := get(t, newHandler(t, cfg), "files/f1"); w.Code != 500 {
			t.Errorf("Identify: %d %s, want 500", w.Code, w.Body)
		}
		cfg.Auth = func(r *http.Request) (signing.Caller, error) {
			<-r.Context().Done()
			return signing.Caller{}, r.Context().Err()
		}
		if w := get(t, newHandler(t, cfg), "files/f1"); w.Code != 500 {
			t.Errorf("Auth: %d %s, want 500: it refused nobody", w.Code, w.Body)
		}
	})
}

// TestStoreThatIgnoresItsContext is waited for, and its answer is an answer.
func TestStoreThatIgnoresItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg, _ := all(&backend{file: func(context.Context, preview.Request) (preview.File, error) {
			time.Sleep(time.Minute)
			return goodFile(), nil
		}})
		if w := get(t, newHandler(t, cfg), "files/f1"); w.Code != 200 {
			t.Errorf("answer = %d %s, want 200", w.Code, w.Body)
		}
	})
}

type contextKey struct{}

// TestContext is that of the request: its values, its end, and the deadline.
func TestContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(context.WithValue(t.Context(), contextKey{}, "value"))
		gone := errors.New("client gone")
		var after context.Context
		cfg, log := all(&backend{file: func(ctx context.Context, _ preview.Request) (preview.File, error) {
			after = ctx
			if got := ctx.Value(contextKey{}); got != "value" {
				t.Errorf("value = %v", got)
			}
			if at, ok := ctx.Deadline(); !ok || time.Until(at) != preview.DefaultTimeout {
				t.Errorf("deadline = %v, %v", at, ok)
			}
			if ctx.Err() != nil {
				t.Error("the context has ended already")
			}
			child, stop := context.WithCancel(ctx)
			defer stop()
			cancel(gone)
			<-child.Done()
			if !errors.Is(context.Cause(child), gone) || !errors.Is(ctx.Err(), context.Canceled) {
				t.Errorf("cause = %v, err = %v", context.Cause(child), ctx.Err())
			}
			return preview.File{}, errors.New("driver: query cancelled")
		}})
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/v3/3rd/files/f1", nil)
		serve(t, newHandler(t, cfg), r)
		if after.Err() == nil {
			t.Error("the context goes on after the answer")
		}
		if lines := log.lines(t, slog.LevelInfo); len(lines) > 0 {
			t.Errorf("a caller who went away is logged above debug level: %v", lines)
		}
		if !strings.Contains(log.String(), "query cancelled") {
			t.Errorf("nothing is logged at debug level:\n%s", log)
		}
	})
}

// TestPanics are answered, wherever they happen. The log has their message.
func TestPanics(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*preview.Config, any){
		"store":   func(cfg *preview.Config, v any) { cfg.Store = &backend{file: panics(v)} },
		"Auth":    func(cfg *preview.Config, v any) { cfg.Auth = func(*http.Request) (signing.Caller, error) { panic(v) } },
		"CheckID": func(cfg *preview.Config, v any) { cfg.CheckID = func(string) error { panic(v) } },
		"Identify": func(cfg *preview.Config, v any) {
			cfg.Identify = func(context.Context, preview.Request) (string, error) { panic(v) }
		},
		"nil": func(cfg *preview.Config, _ any) { cfg.Store = struct{ preview.Store }{} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, value := range []any{"inner text", errors.New("inner text"), fmt.Sprint, nil} {
				cfg, log := all(&backend{})
				change(&cfg, value)
				w := get(t, newHandler(t, cfg), "files/f1")
				if w.Code != 500 || w.Body.String() != `{"code":50001,"message":"internal error"}` {
					t.Errorf("panic(%v) = %d %s, want an internal error", value, w.Code, w.Body)
				}
				line := log.only(t, slog.LevelError)
				stack, _ := line["stack"].(string)
				if !strings.HasPrefix(fmt.Sprint(line["error"]), "panic: ") || !strings.Contains(stack, "preview_test") {
					t.Errorf("log of panic(%v) = %v, want its message and a stack", value, line)
				}
			}
		})
	}
}

func panics(v any) func(context.Context, preview.Request) (preview.File, error) {
	return func(context.Context, preview.Request) (preview.File, error) { panic(v) }
}

// TestUsersAtOnce never see each other's error text, nor a part of an answer.
func TestUsersAtOnce(t *testing.T) {
	t.Parallel()
	cfg, _ := all(&backend{file: func(_ context.Context, r preview.Request) (preview.File, error) {
		token := r.WebOfficeToken.Reveal()
		if strings.HasPrefix(token, "ok") {
			f := goodFile()
			f.Name = token + strings.Repeat("x", len(r.FileID)) + ".doc"
			return f, nil
		}
		return preview.File{}, fmt.Errorf("for %s: %w", token, preview.Reply{Code: preview.CodeMessage, Message: "Not yet, " + token})
	}})
	h := newHandler(t, cfg)
	var wg sync.WaitGroup
	for user := range 16 {
		wg.Go(func() {
			for n := range 200 {
				token := fmt.Sprintf("%s-%d-%d", []string{"ok", "no"}[n%2], user, n)
				id := strings.Repeat("f", 1+n%47)
				r := httptest.NewRequest(http.MethodGet, "/v3/3rd/files/"+id, nil)
				r.Header.Set("X-WebOffice-Token", token)
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				want := `{"code":40007,"message":"Not yet, ` + token + `"}`
				if n%2 == 0 {
					want = `{"code":0,"data":{"id":"` + id + `","name":"` + token + strings.Repeat("x", len(id)) +
						`.doc","version":7,"size":20480,"create_time":1700000000,"modify_time":1700086400,"creator_id":"u1","modifier_id":"u2"}}`
				}
				if got := w.Body.String(); got != want {
					t.Errorf("user %d: answer = %s, want %s", user, got, want)
				}
			}
		})
	}
	wg.Wait()
}

// TestSuccessIsQuiet logs nothing above debug level, and one line at it.
func TestSuccessIsQuiet(t *testing.T) {
	t.Parallel()
	for route, good := range routes() {
		cfg, log := all(&backend{})
		if good.method == "" {
			good.method = http.MethodGet
		}
		send(t, newHandler(t, cfg), good.method, good.path, good.body)
		if lines := log.lines(t, slog.LevelDebug); len(lines) != 1 || lines[0]["level"] != "DEBUG" {
			t.Errorf("%s: log = %v, want one line at debug level", route, lines)
		}
	}
}

// TestTimeoutOverTheNetwork is the store's, and not taken for a caller who went
// away, although the request had a body with a deadline of its own.
func TestTimeoutOverTheNetwork(t *testing.T) {
	t.Parallel()
	cfg, log := all(&backend{rename: func(ctx context.Context, _ preview.Request, _ string) error {
		<-ctx.Done()
		return ctx.Err()
	}})
	cfg.Timeout = time.Second // the body has to be read by then
	server := httptest.NewServer(newHandler(t, cfg))
	t.Cleanup(server.Close)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, server.URL+"/v3/3rd/files/f1/name", strings.NewReader(`{"name":"a"}`))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 500 || log.only(t, slog.LevelError)["error"] != "context deadline exceeded" {
		t.Errorf("answer = %d, log:\n%s", resp.StatusCode, log)
	}
}
