package main

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"regexp"

	"go.opentelemetry.io/otel/trace"
)

type requestIDKey struct{}

func withRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}

// requestID is empty outside of a request and of the jobs that it made.
func requestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// sound is what a request id may be, so that nobody writes into our log.
var sound = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,64}$`)

// identified gives a request its id: that of the caller, such as the service or a proxy,
// or one of its own.
func identified(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("X-Request-Id")
		if !sound.MatchString(id) {
			id = rand.Text()
		}
		w.Header().Set("X-Request-Id", id)
		r.Header.Set("X-Request-Id", id) // for the SDK, which logs it too
		next.ServeHTTP(w, r.WithContext(withRequestID(r.Context(), id)))
	})
}

// contextHandler adds to a record what its context knows.
type contextHandler struct{ slog.Handler }

// Handle implements slog.Handler.
func (h *contextHandler) Handle(ctx context.Context, r slog.Record) error {
	known := false
	r.Attrs(func(a slog.Attr) bool { known = known || a.Key == "request_id"; return !known })
	if id := requestID(ctx); id != "" && !known {
		r.AddAttrs(slog.String("request_id", id))
	}
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		r.AddAttrs(slog.String("trace_id", span.TraceID().String()))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h *contextHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &contextHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h *contextHandler) WithGroup(name string) slog.Handler {
	return &contextHandler{h.Handler.WithGroup(name)}
}

// quietHandler drops what is below a warning.
type quietHandler struct{ slog.Handler }

// Enabled implements slog.Handler.
func (h quietHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && h.Handler.Enabled(ctx, level)
}

// WithAttrs implements slog.Handler.
func (h quietHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return quietHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h quietHandler) WithGroup(name string) slog.Handler {
	return quietHandler{h.Handler.WithGroup(name)}
}

// quiet is for parts that report their daily work.
func quiet(logger *slog.Logger) *slog.Logger { return slog.New(quietHandler{logger.Handler()}) }
