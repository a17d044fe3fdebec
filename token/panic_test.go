package token_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
)

// nilError is an error that is a pointer, as a Source's may be, without care for nil.
type nilError struct{ text string }

func (e *nilError) Error() string { return e.text }

// panickyIs is an error that cannot be compared.
type panickyIs struct{}

func (panickyIs) Error() string { return "inner text" }

func (panickyIs) Is(error) bool { panic("inner text") }

// TestErrorsThatPanic are answered like every other error that nobody knows.
func TestErrorsThatPanic(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]error{
		"typed nil":         (*nilError)(nil),
		"nil Reply":         (*token.Reply)(nil),
		"wrapped nil Reply": fmt.Errorf("source: %w", (*token.Reply)(nil)),
		"Is":                panickyIs{},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			want(t, post(newHandler(t, func(cfg *token.Config) {
				cfg.Logger = textLogger(&log)
				cfg.Authorize = func(context.Context, token.Request) error { return broken }
			}), goodBody), 500, `{"code":50001,"message":"internal error"}`)
			if !strings.Contains(log.String(), "level=ERROR") {
				t.Errorf("nothing is logged as an error:\n%s", &log)
			}
			rec := post(newHandler(t, func(cfg *token.Config) {
				cfg.Auth = func(*http.Request) (signing.Caller, error) { return signing.Caller{}, broken }
			}), goodBody)
			if rec.Code != 401 && rec.Code != 500 || strings.Contains(rec.Body.String(), "inner text") {
				t.Errorf("Auth: answer = %d %s, want a failure", rec.Code, rec.Body)
			}
		})
	}
}

// panickyLog is a Logger's handler that does not work.
type panickyLog struct{ slog.Handler }

func (panickyLog) Enabled(context.Context, slog.Level) bool { panic("inner text") }

// TestRefreshThatPanics has a refresh fail of which nothing can be said. It runs
// in a goroutine of its own, where a panic would end the program.
func TestRefreshThatPanics(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	for name, tt := range map[string]struct {
		err    error
		logger *slog.Logger
	}{
		"typed nil":     {(*nilError)(nil), textLogger(&log)},
		"broken Logger": {errors.New("down"), slog.New(panickyLog{slog.DiscardHandler})},
	} {
		synctest.Test(t, func(t *testing.T) {
			u := &upstream{life: time.Hour, hook: func(_ context.Context, n int) error {
				if n == 2 {
					return tt.err
				}
				return nil
			}}
			c := token.NewCache(u, &token.CacheOptions{Logger: tt.logger})
			fetch(t, c, "app-1")
			time.Sleep(time.Hour - token.DefaultEarly)
			get(t, c, "app-1")
			time.Sleep(time.Second)
			get(t, c, "app-1")
			synctest.Wait()
			t.Log(name)
			get(t, c, "app-3")
		})
	}
	if !strings.Contains(log.String(), "refresh failed") || !strings.Contains(log.String(), "*token_test.nilError") {
		t.Errorf("the failure is not logged:\n%s", &log)
	}
}

// TestLoggerThatPanics takes nothing from a failure's answer but the reason.
func TestLoggerThatPanics(t *testing.T) {
	t.Parallel()
	want(t, post(newHandler(t, func(cfg *token.Config) {
		cfg.Logger = slog.New(panickyLog{slog.DiscardHandler})
		cfg.Authorize = func(context.Context, token.Request) error { return token.ErrForbidden }
	}), goodBody), 500, `{"code":50001,"message":"internal error"}`)
}
