package token

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/weboffice-go/weboffice/internal/callback"
)

// Errors by which Config.Authorize and a [Source] choose the answer, also wrapped. The first
// four are those of package preview.
var (
	ErrUnauthorized = callback.ErrUnauthorized         // Code 40002: weboffice_token is unknown or expired.
	ErrForbidden    = callback.ErrForbidden            // Code 40003: this user may not have this document.
	ErrNotFound     = callback.ErrNotFound             // Code 40004: the document does not exist.
	ErrInvalid      = callback.ErrInvalid              // Code 40005: the request is not valid.
	ErrUnknownApp   = errors.New("token: unknown app") // Code 40003: no credentials for this app.
)

// Reply is an error of Authorize or a [Source], alone or wrapped, that is sent unchanged.
type Reply struct {
	Status  int    // HTTP status, 200 to 599. If zero, 200.
	Code    int    // Must not be zero, which means success.
	Message string // The caller reads it.
}

func (r Reply) Error() string { return fmt.Sprintf("token: reply %d: %s", r.Code, r.Message) }

// DefaultReply chooses the answer to an error: a [Reply] is itself, the errors above have
// HTTP status 401, 403, 404 or 400, and all else is code 50001 with status 500 (public
// reference 3.3).
func DefaultReply(err error) Reply {
	var reply Reply
	var pointer *Reply
	switch {
	case errors.As(err, &reply):
		return reply
	case errors.As(err, &pointer) && pointer != nil:
		return *pointer
	case errors.Is(err, ErrUnknownApp):
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

func (e *refusal) Unwrap() error { return errors.Join(e.cause, e.reply, e.kind) }

// malformed is a request that is not in the form of protocol 2.11.
func malformed(status int, message string, cause error) error {
	return &refusal{Reply{status, callback.CodeInvalid, message}, ErrInvalid, cause}
}

// refuse logs err and sends the answer that Config.MapError chooses. If that panics
// twice, for example in a Logger, there is an answer but no log.
func (c *call) refuse(r *http.Request, err error) {
	reply, kind := Reply{}, ""
	settled := callback.Settle(err, func(err error) {
		var mapping error
		reply, mapping = c.reply(err)
		kind = callback.Kind(err, reply.Code)
		if mapping != nil {
			c.log(r, internal, mapping)
		}
		c.log(r, reply, err)
	})
	if !settled {
		reply, kind = internal, "failed"
	}
	c.out.Status, c.out.Code, c.out.Error = reply.Status, reply.Code, kind
	callback.Write(c.w, reply.Status, callback.AppendFailure(nil, reply.Code, reply.Message))
}

// reply asks MapError. A panic in it, and a Reply that cannot be sent, are internal
// errors too.
func (c *call) reply(err error) (reply Reply, mapping error) {
	defer callback.Catch(&mapping)
	reply = internal
	mapped := c.cfg.MapError(err)
	mapped.Status = cmp.Or(mapped.Status, http.StatusOK)
	if problem := callback.CheckReply(mapped.Status, mapped.Code); problem != nil {
		return internal, problem
	}
	return mapped, nil
}

// secrets are the parts of the request that an error might repeat.
func (c *call) secrets() []string { return []string{c.asked.WebOfficeToken.Reveal()} }

// log tells the operator what the caller is not told. What needs attention is above Debug.
func (c *call) log(r *http.Request, reply Reply, err error) {
	ctx, level := r.Context(), slog.LevelDebug
	var panicked *callback.PanicError
	switch {
	case errors.As(err, &panicked):
		level = slog.LevelError
	case errors.Is(ctx.Err(), context.Canceled): // the caller has left, and the failure follows from that
	case errors.As(err, new(*callback.Unverified)):
		level = slog.LevelWarn
	case reply.Status >= 500 || reply.Code == callback.CodeInternal:
		level = slog.LevelError
	}
	logger := cmp.Or(c.cfg.Logger, slog.Default())
	if !logger.Enabled(ctx, level) {
		return
	}
	attrs := append([]slog.Attr{
		slog.Int("status", reply.Status), slog.Int("code", reply.Code), slog.String("app_id", c.asked.AppID),
		slog.String("file_id", c.asked.FileID), slog.String("request_id", c.asked.RequestID),
		slog.String("error", callback.ScrubError(err, c.secrets()...)),
	}, callback.UnverifiedAttrs(err, r.Header)...)
	if panicked != nil {
		attrs = append(attrs, slog.String("stack", string(panicked.Stack)))
	}
	logger.LogAttrs(ctx, level, "token: callback refused", attrs...)
}
