package token

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/weboffice-go/weboffice/internal/callback"
)

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
	if mapped.Status == 0 {
		mapped.Status = http.StatusOK
	}
	switch {
	case mapped.Code == 0:
		return internal, errors.New("token: a Reply with code 0 would be a success")
	case mapped.Status < 200 || mapped.Status > 599 || mapped.Status == http.StatusNoContent || mapped.Status == http.StatusNotModified:
		return internal, errors.New("token: a Reply has an HTTP status that cannot have a body")
	default:
		return mapped, nil
	}
}

// log tells the operator what the caller is not told. What needs attention is above Debug.
func (c *call) log(r *http.Request, reply Reply, err error) {
	ctx, level := r.Context(), slog.LevelDebug
	var unverified *callback.Unverified
	var panicked *callback.PanicError
	switch {
	case errors.As(err, &panicked):
		level = slog.LevelError
	case errors.Is(ctx.Err(), context.Canceled): // the caller has left, and the failure follows from that
	case errors.As(err, &unverified):
		level = slog.LevelWarn
	case reply.Status >= 500 || reply.Code == callback.CodeInternal:
		level = slog.LevelError
	}
	logger := cmp.Or(c.cfg.Logger, slog.Default())
	if !logger.Enabled(ctx, level) {
		return
	}
	attrs := append([]slog.Attr{
		slog.Int("status", reply.Status),
		slog.Int("code", reply.Code),
		slog.String("app_id", c.asked.AppID),
		slog.String("file_id", c.asked.FileID),
		slog.String("request_id", c.asked.RequestID),
		slog.String("error", callback.ScrubError(err, c.asked.WebOfficeToken.Reveal())),
	}, callback.UnverifiedAttrs(err, r.Header)...)
	if panicked != nil {
		attrs = append(attrs, slog.String("stack", string(panicked.Stack)))
	}
	logger.LogAttrs(ctx, level, "token: callback refused", attrs...)
}
