package callback

import (
	"context"
	"errors"
	"log/slog"

	"github.com/weboffice-go/weboffice/signing"
)

// Unverified is a request that Config.Auth refused. It is [ErrUnauthorized], but its
// text does not blame the user's token.
type Unverified struct{ Cause error }

// Error returns the text of the cause.
func (e *Unverified) Error() string { return "the caller is not verified: " + e.Cause.Error() }

// Unwrap returns the cause, and ErrUnauthorized.
func (e *Unverified) Unwrap() []error { return []error{e.Cause, ErrUnauthorized} }

// SignatureAttrs says for the log which check of a signature failed, and which app the
// sender claims to be; nil for other errors.
func SignatureAttrs(err error) []slog.Attr {
	var e *signing.Error
	if !errors.As(err, &e) {
		return nil
	}
	attrs := []slog.Attr{slog.String("check", e.Check.String())}
	if e.AppID != "" {
		attrs = append(attrs, slog.String("claimed_app_id", e.AppID[:min(len(e.AppID), maxClaimed)]))
	}
	return attrs
}

// maxClaimed bounds what is logged of an app id that nobody has proven.
const maxClaimed = 100

// Kind is the weboffice.Outcome.Error of a callback that err ended.
func Kind(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, ErrTooSlow):
		return "timeout"
	case errors.Is(err, signing.ErrTimestamp), errors.Is(err, signing.ErrSignature):
		return "signature"
	case errors.Is(err, ErrUnauthorized):
		return "unauthorized"
	case errors.Is(err, ErrForbidden):
		return "forbidden"
	case errors.Is(err, ErrNotFound):
		return "not_found"
	case errors.Is(err, ErrInvalid), errors.Is(err, ErrTooLarge):
		return "invalid"
	default:
		return "failed"
	}
}
