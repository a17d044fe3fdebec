package callback

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"reflect"

	"github.com/weboffice-go/weboffice/signing"
)

// Unverified is a request that Config.Auth refused. It is [ErrUnauthorized], but its
// text does not blame the user's token.
type Unverified struct{ Cause error }

// Error returns the text of the cause.
func (e *Unverified) Error() string { return "the caller is not verified: " + e.Cause.Error() }

// Unwrap returns the cause, and ErrUnauthorized.
func (e *Unverified) Unwrap() []error { return []error{e.Cause, ErrUnauthorized} }

// UnverifiedAttrs says for the log which check an [Unverified] request with header h has
// failed, and which app it claims to be; nil for other errors.
func UnverifiedAttrs(err error, h http.Header) (attrs []slog.Attr) {
	var unverified *Unverified
	if !errors.As(err, &unverified) {
		return nil
	}
	claimed := h.Get("X-App-Id")
	var signature *signing.Error
	if errors.As(err, &signature) {
		attrs = append(attrs, slog.String("check", signature.Check.String()))
		claimed = cmp.Or(signature.AppID, claimed)
	}
	const most = 100 // nobody has proven it
	attrs = append(attrs, slog.String("claimed_app_id", claimed[:min(len(claimed), most)]))
	if signature != nil {
		attrs = append(attrs, slog.String("doc", signature.DocURL()))
	}
	return attrs
}

// Kind is the weboffice.Outcome.Error of a callback that err ended, and that was answered
// with code.
func Kind(err error, code int) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, ErrTooSlow):
		return "timeout"
	case errors.Is(err, signing.ErrTimestamp), errors.Is(err, signing.ErrSignature):
		return "signature"
	}
	if _, own, _, ok := Known(err); ok {
		code = own
	}
	for _, k := range known {
		if k.code == code {
			return k.kind
		}
	}
	return "failed"
}

// WarnUnsigned logs text if auth is unsigned, which is signing.Unsigned. Two funcs
// cannot be compared with ==; the code of a declared function has one address.
func WarnUnsigned(logger *slog.Logger, text string, auth, unsigned any) {
	defer func() { _ = recover() }() // a Logger that panics must not end a constructor
	if reflect.ValueOf(auth).Pointer() == reflect.ValueOf(unsigned).Pointer() {
		logger.Warn(text)
	}
}
