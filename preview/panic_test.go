package preview_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/signing"
)

// nilError is an error that is a pointer, as a store's may be, without care for nil.
type nilError struct{ text string }

func (e *nilError) Error() string { return e.text }

// panickyIs is an error that cannot be compared.
type panickyIs struct{}

func (panickyIs) Error() string { return "inner text" }

func (panickyIs) Is(error) bool { panic("inner text") }

// brokenErrors are errors with methods that panic.
func brokenErrors() map[string]error {
	return map[string]error{
		"typed nil":            (*nilError)(nil),
		"nil Reply":            (*preview.Reply)(nil),
		"nil RuleError":        (*preview.RuleError)(nil),
		"wrapped nil Reply":    fmt.Errorf("store: %w", (*preview.Reply)(nil)),
		"Is":                   panickyIs{},
		"wrapped in something": &wrapped{panickyIs{}},
	}
}

type wrapped struct{ error }

func (w *wrapped) Unwrap() error { return w.error }

// TestErrorsThatPanic are answered like every other error that nobody knows.
func TestErrorsThatPanic(t *testing.T) {
	t.Parallel()
	for name, err := range brokenErrors() {
		for place, change := range map[string]func(*preview.Config){
			"store": func(cfg *preview.Config) { cfg.Store = failing(err) },
			"Auth":  func(cfg *preview.Config) { cfg.Auth = authFails(err) },
			"Identify": func(cfg *preview.Config) {
				cfg.Identify = func(context.Context, preview.Request) (string, error) { return "", err }
			},
			"CheckID": func(cfg *preview.Config) { cfg.CheckID = func(string) error { return err } },
			"MapError": func(cfg *preview.Config) {
				cfg.Store = failing(err)
				cfg.MapError = func(err error) preview.Reply { return preview.Reply{Status: 500, Code: 50001, Message: err.Error()} }
			},
		} {
			t.Run(name+" of "+place, func(t *testing.T) {
				t.Parallel()
				cfg, log := all(&backend{})
				change(&cfg)
				w := get(t, newHandler(t, cfg), "files/f1")
				if w.Code < 400 || strings.Contains(w.Body.String(), "inner text") && place != "MapError" {
					t.Errorf("answer = %d %s, want a failure", w.Code, w.Body)
				}
				if place == "store" && (w.Code != 500 || w.Body.String() != `{"code":50001,"message":"internal error"}`) {
					t.Errorf("answer = %d %s, want an internal error", w.Code, w.Body)
				}
				if place == "store" && len(log.lines(t, slog.LevelError)) == 0 {
					t.Errorf("nothing is logged as an error:\n%s", log)
				}
			})
		}
	}
}

// TestErrorThatPanicsIsNamed by its type, which is what helps to find it.
func TestErrorThatPanicsIsNamed(t *testing.T) {
	t.Parallel()
	cfg, log := all(failing((*nilError)(nil)))
	get(t, newHandler(t, cfg), "files/f1")
	line := log.only(t, slog.LevelError)
	if text := fmt.Sprint(line["error"]); !strings.Contains(text, "an error of type *preview_test.nilError") || line["stack"] == nil {
		t.Errorf("log = %v, want the type and a stack", line)
	}
}

// panickyLog is a Logger's handler that does not work.
type panickyLog struct{ slog.Handler }

func (panickyLog) Enabled(context.Context, slog.Level) bool { panic("inner text") }

// TestLoggerThatPanics takes nothing from a failure's answer but the reason, and makes a
// success a failure.
func TestLoggerThatPanics(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{"failure": signing.ErrSignature, "success": nil} {
		cfg, _ := all(&backend{})
		cfg.Auth = func(*http.Request) (signing.Caller, error) { return signing.Caller{}, err }
		cfg.Logger = slog.New(panickyLog{slog.DiscardHandler})
		h := newHandler(t, cfg)
		r := httptest.NewRequest(http.MethodGet, "/v3/3rd/files/f1", nil)
		r.Header.Set("X-Request-Id", "req-9")
		if w := serve(t, h, r); w.Code != 500 || w.Body.String() != `{"code":50001,"message":"internal error (request id req-9)"}` {
			t.Errorf("%s: answer = %d %s, want an internal error", name, w.Code, w.Body)
		}
	}
}
