package preview

import (
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

// fail writes the answer to a request that err ended, and says in the log why. If
// that ends in a panic twice, such as in a Logger, only the answer is left.
func (c *call) fail(r *http.Request, err error) (status int) {
	settled := callback.Settle(err, func(err error) {
		reply, problem := c.reply(err)
		if problem != nil {
			c.log(r, slog.LevelError, problem, reply)
		}
		c.log(r, c.level(r, err, reply), err, reply)
		status = c.refuse(reply)
	})
	if !settled {
		status = c.refuse(opaque())
	}
	return status
}

// refuse writes reply.
func (c *call) refuse(reply Reply) (status int) {
	message := reply.Message
	if reply == opaque() && c.req.RequestID != "" {
		message += " (request id " + c.req.RequestID + ")"
	}
	c.out = callback.AppendFailure(c.out[:0], reply.Code, message)
	return reply.Status
}

var (
	errNoCode   = errors.New("preview: a Reply with code 0 would be a success")
	errNoStatus = errors.New("preview: a Reply has an HTTP status that no answer with a body can have")
)

// reply asks Config.MapError. Where that gives no answer, problem says why, and
// reply is that to an internal error.
func (c *call) reply(err error) (reply Reply, problem error) {
	defer func() {
		if v := recover(); v != nil {
			reply, problem = opaque(), callback.Recovered(v)
		}
	}()
	reply = c.h.cfg.MapError(err)
	if reply.Status == 0 {
		reply.Status = http.StatusOK
	}
	switch {
	case reply.Code == 0:
		return opaque(), errNoCode
	case reply.Status < 200 || reply.Status > 599 || reply.Status == http.StatusNoContent || reply.Status == http.StatusNotModified:
		return opaque(), errNoStatus
	default:
		return reply, nil
	}
}

// level is how loud a failure is: what somebody has to look at is above debug.
func (c *call) level(r *http.Request, err error, reply Reply) slog.Level {
	var (
		auth  *unauthenticated
		id    *refusedID
		rule  *RuleError
		panik *callback.PanicError
	)
	switch {
	case errors.As(err, &panik):
		return slog.LevelError
	case errors.As(err, &auth):
		return slog.LevelWarn
	case errors.As(err, &id):
		// Ids of a form that CheckID does not know would otherwise be refused in
		// silence; but anybody can send any number of wrong ones.
		if c.h.first(adviceRefusedID) {
			return slog.LevelWarn
		}
		return slog.LevelDebug
	case errors.As(err, &rule):
		return slog.LevelError
	case errors.Is(r.Context().Err(), context.Canceled):
		return slog.LevelDebug // the caller went away, and whatever the store says follows from that
	case reply.Status >= 500 || reply.Code == callback.CodeInternal:
		return slog.LevelError
	default:
		return slog.LevelDebug
	}
}

// log writes one line about an error.
func (c *call) log(r *http.Request, level slog.Level, err error, reply Reply) {
	logger := c.h.cfg.Logger
	if !logger.Enabled(r.Context(), level) {
		return
	}
	attrs := append(c.attrs(r), slog.Int("status", reply.Status), slog.Int("code", reply.Code))
	var (
		id    *refusedID
		rule  *RuleError
		panik *callback.PanicError
	)
	if errors.As(err, &id) {
		attrs = append(attrs, slog.String("refused_id", cut(id.id)))
	}
	text := "preview: callback refused"
	switch {
	case errors.As(err, &panik):
		text = "preview: callback panicked"
		attrs = append(attrs, slog.String("stack", string(panik.Stack)))
	case errors.As(err, &rule) && id == nil:
		text = "preview: answer of the store breaks a rule"
		attrs = append(attrs, slog.String("field", rule.Field), slog.String("rule", rule.Rule), slog.String("value", callback.Scrub(rule.Value, c.secrets(r)...)))
	case reply.Status >= 500:
		text = "preview: callback failed"
	}
	if errors.Is(err, context.DeadlineExceeded) {
		attrs = append(attrs, slog.Duration("timeout", c.h.cfg.Timeout))
	}
	attrs = append(attrs, slog.String("error", callback.ScrubError(err, c.secrets(r)...)))
	logger.LogAttrs(r.Context(), level, text, attrs...)
}

// attrs says which request it was.
func (c *call) attrs(r *http.Request) []slog.Attr {
	attrs := []slog.Attr{slog.String("callback", operations[c.op].name)}
	if c.op == opNone {
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

// secrets are the parts of r that an error might repeat. A short part of a query
// or of a signature is none: anybody could send each letter, and the log would say
// nothing any more.
func (c *call) secrets(r *http.Request) []string {
	authorization, userQuery := r.Header.Get("Authorization"), r.Header.Get(headerUserQuery)
	parts := []string{userQuery, r.URL.RawQuery, authorization, authorization[strings.LastIndex(authorization, ":")+1:]}
	query, _ := url.ParseQuery(userQuery) // it gives what it could read
	for key, values := range query {
		if key != "_w_appid" && key != "_w_tokentype" && key != "file_id" { // what the service puts there itself
			parts = append(parts, values...)
		}
	}
	parts = slices.DeleteFunc(parts, func(part string) bool { return len(part) < redact.MinPart })
	return append(parts, r.Header.Get(headerToken))
}

// done logs a success, for those who want to see each call.
func (c *call) done(r *http.Request) {
	if logger := c.h.cfg.Logger; logger.Enabled(r.Context(), slog.LevelDebug) {
		logger.LogAttrs(r.Context(), slog.LevelDebug, "preview: callback answered", c.attrs(r)...)
	}
}
