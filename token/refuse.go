package token

import (
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

// level chooses the log level: what needs attention is above Debug.
func level(ctx context.Context, reply Reply, err error) slog.Level {
	var unverified *callback.Unverified
	var panicked *callback.PanicError
	switch {
	case errors.As(err, &panicked):
		return slog.LevelError
	case errors.Is(ctx.Err(), context.Canceled):
		return slog.LevelDebug // the caller has left, and the failure follows from that
	case errors.As(err, &unverified):
		return slog.LevelWarn
	case reply.Status >= 500 || reply.Code == callback.CodeInternal:
		return slog.LevelError
	default:
		return slog.LevelDebug
	}
}

// secrets are the parts of the request that an error might repeat.
func (c *call) secrets() []string { return []string{c.asked.WebOfficeToken.Reveal()} }

// log tells the operator what the caller is not told.
func (c *call) log(r *http.Request, reply Reply, err error) {
	ctx := r.Context()
	logger, level := c.cfg.logger(), level(ctx, reply, err)
	if !logger.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.Int("status", reply.Status),
		slog.Int("code", reply.Code),
		slog.String("app_id", c.asked.AppID),
		slog.String("file_id", c.asked.FileID),
		slog.String("request_id", c.asked.RequestID),
		slog.String("error", callback.ScrubError(err, c.secrets()...)),
	}
	attrs = append(attrs, callback.UnverifiedAttrs(err, r.Header)...)
	var panicked *callback.PanicError
	if errors.As(err, &panicked) {
		attrs = append(attrs, slog.String("stack", string(panicked.Stack)))
	}
	logger.LogAttrs(ctx, level, "token: callback refused", attrs...)
}
