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

func TestSignatureAttrs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want string
	}{
		{io.EOF, "[]"},
		{signing.ErrSignature, "[]"},
		{&callback.Unverified{Cause: &signing.Error{Check: signing.CheckCaller, AppID: "SX-1"}}, "[check=caller claimed_app_id=SX-1]"},
		{&signing.Error{Check: signing.CheckDate}, "[check=date]"},
		{&signing.Error{Check: signing.CheckSignature, AppID: strings.Repeat("x", 5000)}, "[check=signature claimed_app_id=" + strings.Repeat("x", 100) + "]"},
	} {
		if got := fmt.Sprint(callback.SignatureAttrs(c.err)); got != c.want {
			t.Errorf("SignatureAttrs(%v) = %s, want %s", c.err, got, c.want)
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
		{callback.ErrTooLarge, "invalid"},
		{callback.Recovered("oops"), "failed"},
		{io.EOF, "failed"},
	} {
		if got := callback.Kind(c.err); got != c.want {
			t.Errorf("Kind(%v) = %q, want %q", c.err, got, c.want)
		}
	}
}

// panickyHandler is a broken Logger.
type panickyHandler struct{ slog.Handler }

func (panickyHandler) Enabled(context.Context, slog.Level) bool { panic("broken") }

func TestWarnUnsigned(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	callback.WarnUnsigned(logger, "x: Config.Auth", func(r *http.Request) (signing.Caller, error) { return signing.Unsigned(r) })
	if log.Len() > 0 {
		t.Errorf("another function was taken for Unsigned: %s", &log)
	}
	callback.WarnUnsigned(logger, "x: Config.Auth", signing.Unsigned)
	if got := log.String(); strings.Count(got, "level=WARN") != 1 || !strings.Contains(got, "x: Config.Auth is signing.Unsigned") {
		t.Errorf("logged %q, want one warning that names the field", got)
	}
	callback.WarnUnsigned(slog.New(panickyHandler{slog.DiscardHandler}), "x", signing.Unsigned)
}
