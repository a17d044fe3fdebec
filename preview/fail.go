package preview

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/weboffice-go/weboffice/internal/callback"
	"github.com/weboffice-go/weboffice/internal/redact"
)

// fail writes the answer to a request that failed, and logs why. If that panics twice,
// as in a Logger, it still writes an answer.
func (c *call) fail(r *http.Request, err error) {
	settled := callback.Settle(err, func(err error) {
		reply, problem := c.reply(err)
		if problem != nil {
			c.log(r, slog.LevelError, problem, reply)
		}
		c.outcome.Error = c.kind(r, err, reply)
		level := c.level(r, err, reply)
		for _, one := range each(err) {
			c.log(r, level, one, reply)
		}
		c.refuse(reply)
	})
	if !settled {
		c.refuse(opaque())
	}
}

// refuse writes reply.
func (c *call) refuse(reply Reply) {
	message := reply.Message
	if reply == opaque() && c.req.RequestID != "" {
		message += " (request id " + c.req.RequestID + ")"
	}
	c.out = callback.AppendFailure(c.out[:0], reply.Code, message)
	c.outcome.Status, c.outcome.Code = reply.Status, reply.Code
}

// reply asks Config.MapError. If that gives no usable answer, problem says why, and
// reply is that to an internal error.
func (c *call) reply(err error) (reply Reply, problem error) {
	defer func() {
		if v := recover(); v != nil {
			reply, problem = opaque(), callback.Recovered(v)
		}
	}()
	reply = c.h.cfg.MapError(err)
	reply.Status = cmp.Or(reply.Status, http.StatusOK)
	if problem := callback.CheckReply(reply.Status, reply.Code); problem != nil {
		return opaque(), problem
	}
	return reply, nil
}

// kind is the Error of an Outcome.
func (c *call) kind(r *http.Request, err error, reply Reply) string {
	kind := callback.Kind(err, reply.Code)
	switch {
	case kind == "timeout":
	case errors.Is(r.Context().Err(), context.Canceled):
		return "canceled"
	case errors.As(err, new(*callback.Unverified)):
		return "signature"
	case errors.As(err, new(*RuleError)):
		return "invalid"
	case kind == "failed" && reply.Code == CodeMessage:
		return "refused"
	case kind == "failed":
		for _, known := range replies {
			if known.reply.Code == reply.Code {
				return known.kind
			}
		}
	}
	return kind
}

// level is above debug for what needs attention. A caller can cause any number of
// refusals, so only the first of each kind is.
func (c *call) level(r *http.Request, err error, reply Reply) slog.Level {
	var refused *refusal
	switch {
	case errors.As(err, new(*callback.PanicError)):
		return slog.LevelError
	case errors.As(err, new(*callback.Unverified)):
		return slog.LevelWarn
	case errors.As(err, &refused):
		if c.h.first(refused.kind) {
			return slog.LevelWarn
		}
	case errors.As(err, new(*RuleError)):
		return slog.LevelError
	case errors.Is(r.Context().Err(), context.Canceled):
		return slog.LevelDebug // the caller went away; what the store says follows from that
	case reply.Status >= 500 || reply.Code == callback.CodeInternal:
		return slog.LevelError
	}
	return slog.LevelDebug
}

// log writes one line about an error.
func (c *call) log(r *http.Request, level slog.Level, err error, reply Reply) {
	logger := c.h.cfg.Logger
	if !logger.Enabled(r.Context(), level) {
		return
	}
	attrs := append(c.attrs(r), slog.Int("status", reply.Status), slog.Int("code", reply.Code))
	var (
		refused *refusal
		rule    *RuleError
		panik   *callback.PanicError
	)
	text := "preview: callback refused"
	switch {
	case errors.As(err, &panik):
		text = "preview: callback panicked"
		attrs = append(attrs, slog.String("stack", string(panik.Stack)))
	case errors.As(err, &refused):
		attrs = append(attrs, refused.attrs...)
	case errors.As(err, &rule):
		text = "preview: answer of the store breaks a rule"
		attrs = append(attrs, slog.String("field", rule.Field), slog.String("rule", rule.Rule), slog.String("value", callback.Scrub(rule.Value, c.secrets(r)...)))
	case reply.Status >= 500:
		text = "preview: callback failed"
	}
	attrs = append(attrs, callback.UnverifiedAttrs(err, r.Header)...)
	if errors.Is(err, context.DeadlineExceeded) {
		attrs = append(attrs, slog.Duration("timeout", c.h.timeout(c.route)))
	}
	attrs = append(attrs, slog.String("error", callback.ScrubError(err, c.secrets(r)...)))
	logger.LogAttrs(r.Context(), level, text, attrs...)
}

// attrs says which request it was.
func (c *call) attrs(r *http.Request) []slog.Attr {
	attrs := []slog.Attr{slog.String("callback", strings.TrimPrefix(c.route.name, "preview."))}
	if c.req.FileID == "" {
		attrs = append(attrs, slog.String("method", cut(r.Method)), slog.String("path", cut(r.URL.Path)))
	}
	for _, a := range []slog.Attr{
		slog.String("file_id", c.req.FileID),
		slog.String("app_id", c.req.AppID),
		slog.String("user_id", c.req.UserID),
		slog.String("request_id", c.req.RequestID),
	} {
		if a.Value.String() != "" {
			attrs = append(attrs, a)
		}
	}
	return attrs
}

// secrets are the parts of r that an error might repeat. Short ones stay: otherwise a
// client could blank out the whole log line by sending single letters.
func (c *call) secrets(r *http.Request) []string {
	authorization, userQuery := header(r, "Authorization"), header(r, headerUserQuery)
	parts := []string{userQuery, r.URL.RawQuery, authorization, authorization[strings.LastIndex(authorization, ":")+1:]}
	query, _ := url.ParseQuery(userQuery) // it returns what it could read
	for key, values := range query {
		if key != "_w_appid" && key != "_w_tokentype" && key != "file_id" { // what the service adds
			parts = append(parts, values...)
		}
	}
	parts = slices.DeleteFunc(parts, func(part string) bool { return len(part) < redact.MinPart })
	return append(parts, header(r, headerToken)) // a short one is hidden as a word
}

// done logs a success, for those who want to see each call.
func (c *call) done(r *http.Request) {
	if logger := c.h.cfg.Logger; logger.Enabled(r.Context(), slog.LevelDebug) {
		logger.LogAttrs(r.Context(), slog.LevelDebug, "preview: callback answered", c.attrs(r)...)
	}
}
