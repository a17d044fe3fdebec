package token

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/weboffice-go/weboffice/internal/callback"
)

// refuse logs err and answers with what Config.MapError makes of it. If that ends
// in a panic twice, such as in a Logger, only the answer is left.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, asked *Request, err error) {
	ctx, reply := r.Context(), Reply{}
	settled := callback.Settle(err, func(err error) {
		var mapping error
		reply, mapping = h.reply(err)
		if mapping != nil {
			h.log(ctx, asked, internal, mapping)
		}
		h.log(ctx, asked, reply, err)
	})
	if !settled {
		reply = internal
	}
	callback.Write(w, reply.Status, callback.AppendFailure(nil, reply.Code, reply.Message))
}

// reply asks MapError. A panic in it, and a Reply that cannot be sent, are
// internal errors of their own.
func (h *Handler) reply(err error) (reply Reply, mapping error) {
	defer func() {
		if v := recover(); v != nil {
			reply, mapping = internal, callback.Recovered(v)
		}
	}()
	reply = h.cfg.MapError(err)
	if reply.Status == 0 {
		reply.Status = http.StatusOK
	}
	switch {
	case reply.Code == 0:
		return internal, errors.New("token: a Reply with code 0 would be a success")
	case reply.Status < 200 || reply.Status > 599 || reply.Status == http.StatusNoContent || reply.Status == http.StatusNotModified:
		return internal, errors.New("token: a Reply has an HTTP status that no answer with a body can have")
	default:
		return reply, nil
	}
}

// level is how loud a failure is: what somebody has to look at is above debug.
func level(ctx context.Context, reply Reply, err error) slog.Level {
	var refused *refusal
	var panicked *callback.PanicError
	switch {
	case errors.As(err, &panicked):
		return slog.LevelError
	case errors.Is(ctx.Err(), context.Canceled):
		return slog.LevelDebug // the caller went away, and what failed follows from that
	case errors.As(err, &refused) && errors.Is(refused.kind, ErrUnauthorized):
		return slog.LevelWarn
	case reply.Status >= 500 || reply.Code == callback.CodeInternal:
		return slog.LevelError
	default:
		return slog.LevelDebug
	}
}

// log tells the operator what the caller is not told. What an integrator's error says is logged
// without the user's token and without queries of addresses.
func (h *Handler) log(ctx context.Context, asked *Request, reply Reply, err error) {
	logger := h.cfg.Logger
	if logger == nil {
		logger = slog.Default()
	}
	level := level(ctx, reply, err)
	if !logger.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.Int("status", reply.Status),
		slog.Int("code", reply.Code),
		slog.String("app_id", asked.AppID),
		slog.String("file_id", asked.FileID),
		slog.String("request_id", asked.RequestID),
		slog.String("error", callback.Scrub(err.Error(), asked.WebOfficeToken.Reveal())),
	}
	var panicked *callback.PanicError
	if errors.As(err, &panicked) {
		attrs = append(attrs, slog.String("stack", string(panicked.Stack)))
	}
	logger.LogAttrs(ctx, level, "token: callback refused", attrs...)
}
