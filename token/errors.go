package token

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/weboffice-go/weboffice/internal/callback"
)

// Errors by which Config.Authorize and a [Source] choose the answer; they may be wrapped.
// The first four are also those of package preview, so one check of a user serves both.
var (
	ErrUnauthorized = callback.ErrUnauthorized         // Code 40002: weboffice_token is unknown or expired.
	ErrForbidden    = callback.ErrForbidden            // Code 40003: this user may not have this document.
	ErrNotFound     = callback.ErrNotFound             // Code 40004: the document does not exist.
	ErrInvalid      = callback.ErrInvalid              // Code 40005: the request is not valid.
	ErrUnknownApp   = errors.New("token: unknown app") // Code 40003: no credentials for this app.
)

// Reply is a refusal that is sent unchanged. Authorize and a [Source] may return one as an
// error, also wrapped.
type Reply struct {
	Status  int    // HTTP status, 200 to 599. If zero, 200.
	Code    int    // Must not be zero, which means success (protocol 7 rule 1).
	Message string // What the caller reads; nothing internal.
}

// Error returns code and message.
func (r Reply) Error() string { return fmt.Sprintf("token: reply %d: %s", r.Code, r.Message) }

// DefaultReply chooses the answer to an error: a [Reply] is itself; the errors above have
// the codes noted there, with the HTTP statuses 401, 403, 404 and 400; everything else is
// code 50001, status 500 and a generic message (public reference 3.3; the protocol does
// not show failures of this callback).
func DefaultReply(err error) Reply {
	var reply Reply
	if errors.As(err, &reply) {
		return reply
	}
	var pointer *Reply
	if errors.As(err, &pointer) && pointer != nil {
		return *pointer
	}
	if errors.Is(err, ErrUnknownApp) {
		return Reply{Status: http.StatusForbidden, Code: callback.CodeForbidden, Message: "unknown app"}
	}
	status, code, message, _ := callback.Known(err)
	return Reply{Status: status, Code: code, Message: message}
}

// internal is the answer if MapError has none.
var internal = Reply{Status: http.StatusInternalServerError, Code: callback.CodeInternal, Message: "internal error"}

// refusal is an answer that the Handler itself gives. Config.MapError finds in it the
// Reply that DefaultReply would choose, one of the errors above, and the cause.
type refusal struct {
	reply Reply
	kind  error
	cause error // may be nil
}

func (e *refusal) Error() string {
	if e.cause != nil {
		return e.reply.Message + ": " + e.cause.Error()
	}
	return e.reply.Message
}

func (e *refusal) Unwrap() []error {
	if e.cause != nil {
		return []error{e.cause, e.reply, e.kind}
	}
	return []error{e.reply, e.kind}
}

// malformed is a request that is not in the form of protocol 2.11.
func malformed(status int, message string, cause error) error {
	return &refusal{Reply{status, callback.CodeInvalid, message}, ErrInvalid, cause}
}
