package callback_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/internal/callback"
	"github.com/weboffice-go/weboffice/signing"
)

func TestUnverified(t *testing.T) {
	t.Parallel()
	err := &callback.Unverified{Cause: fmt.Errorf("%w: digest", signing.ErrSignature)}
	if !errors.Is(err, callback.ErrUnauthorized) || !errors.Is(err, signing.ErrSignature) {
		t.Errorf("%v is not ErrUnauthorized and its cause", err)
	}
	if got := err.Error(); strings.Contains(got, "user") || !strings.Contains(got, "signature failure: digest") {
		t.Errorf("the error reads %q: it is not the user's token that is wrong", got)
	}
}

func TestUnverifiedAttrs(t *testing.T) {
	t.Parallel()
	refused := func(e *signing.Error) error { return fmt.Errorf("wrapped: %w", &callback.Unverified{Cause: e}) }
	long := strings.Repeat("x", 5000)
	const doc = "https://github.com/weboffice-go/weboffice/blob/main/docs/signature.md#"
	for _, c := range []struct {
		err    error
		header string
		want   string
	}{
		{io.EOF, "SX-2", "[]"},
		{signing.ErrSignature, "SX-2", "[]"}, // not of Config.Auth
		{&callback.Unverified{Cause: io.EOF}, "SX-2", "[claimed_app_id=SX-2]"},
		{refused(&signing.Error{Check: signing.CheckCaller, AppID: "SX-1"}), "SX-2", "[check=caller claimed_app_id=SX-1 doc=" + doc + "caller]"},
		{refused(&signing.Error{Check: signing.CheckDate}), "SX-2", "[check=date claimed_app_id=SX-2 doc=" + doc + "date]"},
		{refused(&signing.Error{Check: signing.CheckDigest}), "", "[check=digest claimed_app_id= doc=" + doc + "digest]"},
		{refused(&signing.Error{Check: signing.CheckDigest}), long, "[check=digest claimed_app_id=" + long[:100] + " doc=" + doc + "digest]"},
		{refused(&signing.Error{Check: signing.CheckSignature, AppID: long}), "", "[check=signature claimed_app_id=" + long[:100] + " doc=" + doc + "signature]"},
	} {
		if got := fmt.Sprint(callback.UnverifiedAttrs(c.err, http.Header{"X-App-Id": {c.header}})); got != c.want {
			t.Errorf("UnverifiedAttrs(%v) = %.300s, want %.300s", c.err, got, c.want)
		}
	}
}

func TestKind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{fmt.Errorf("store: %w", context.Canceled), "canceled"},
		{context.DeadlineExceeded, "timeout"},
		{callback.ErrTooSlow, "timeout"},
		{&callback.Unverified{Cause: &signing.Error{Check: signing.CheckDate}}, "signature"},
		{&callback.Unverified{Cause: &signing.Error{Check: signing.CheckCaller}}, "signature"},
		{&callback.Unverified{Cause: io.EOF}, "unauthorized"},
		{callback.ErrUnauthorized, "unauthorized"},
		{callback.ErrForbidden, "forbidden"},
		{callback.ErrNotFound, "not_found"},
		{callback.ErrInvalid, "invalid"},
		{callback.ErrTooLarge, "failed"}, // its answer says more
		{callback.Recovered("oops"), "failed"},
		{io.EOF, "failed"},
	} {
		if got := callback.Kind(c.err, callback.CodeInternal); got != c.want {
			t.Errorf("Kind(%v) = %q, want %q", c.err, got, c.want)
		}
	}
	for code, want := range map[int]string{40002: "unauthorized", 40003: "forbidden", 40004: "not_found", 40005: "invalid", 50001: "failed", 7: "failed"} {
		if got := callback.Kind(io.EOF, code); got != want {
			t.Errorf("Kind of code %d = %q, want %q", code, got, want)
		}
	}
	if got := callback.Kind(callback.ErrForbidden, 7); got != "forbidden" {
		t.Errorf("Kind of ErrForbidden with a code of one's own = %q", got)
	}
}

// panickyHandler is a broken Logger.
type panickyHandler struct{ slog.Handler }

func (panickyHandler) Enabled(context.Context, slog.Level) bool { panic("broken") }

func TestWarnUnsigned(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	callback.WarnUnsigned(logger, "everyone", func(*http.Request) (signing.Caller, error) { return signing.Caller{}, nil }, signing.Unsigned)
	if log.Len() > 0 {
		t.Errorf("another function was taken for Unsigned: %s", &log)
	}
	callback.WarnUnsigned(logger, "everyone", signing.Unsigned, signing.Unsigned)
	if got := log.String(); strings.Count(got, "level=WARN msg=everyone") != 1 {
		t.Errorf("logged %q, want one warning", got)
	}
	callback.WarnUnsigned(slog.New(panickyHandler{slog.DiscardHandler}), "x", signing.Unsigned, signing.Unsigned)
}
