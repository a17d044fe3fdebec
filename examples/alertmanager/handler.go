package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/weboffice-go/weboffice/webhook"
)

// maxNotification is how many bytes of a notification are read.
const maxNotification = 10 << 20

// newHandler takes notifications and posts them.
func newHandler(robot *webhook.Robot, f format, wait time.Duration, logger *slog.Logger) *bridge {
	b := &bridge{robot: robot, format: f, wait: wait, logger: logger, jobs: map[jobKey]*job{}, room: maxKept}
	b.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	b.mux.HandleFunc("POST /alerts", func(w http.ResponseWriter, r *http.Request) {
		var n notification
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxNotification)).Decode(&n); err != nil {
			http.Error(w, "not a notification of Alertmanager: "+err.Error(), http.StatusBadRequest)
			return
		}
		if len(n.Alerts) == 0 {
			http.Error(w, "not a notification of Alertmanager: it has no alerts", http.StatusBadRequest)
			return
		}
		b.alerts(w, r, n)
	})
	return b
}

// ServeHTTP answers Alertmanager.
func (b *bridge) ServeHTTP(w http.ResponseWriter, r *http.Request) { b.mux.ServeHTTP(w, r) }

// alerts posts a notification and answers 200, or 503 if it takes longer than wait or
// fails: then Alertmanager repeats it, and the repeat goes on where this one was.
func (b *bridge) alerts(w http.ResponseWriter, r *http.Request, n notification) {
	attrs := []any{"group", n.GroupKey, "alerts", len(n.Alerts)}
	j, err := b.begin(n) //nolint:contextcheck // What posts outlives the request.
	if err == nil {
		ctx, cancel := context.WithTimeout(r.Context(), b.wait)
		defer cancel()
		var sent, all int
		sent, all, err = b.await(ctx, j)
		attrs = append(attrs, "sent", sent, "messages", all)
	}
	var broken *webhook.FieldError
	switch {
	case err == nil:
		b.logger.InfoContext(r.Context(), "posted", attrs...)
	case errors.Is(err, errInProgress):
		b.logger.InfoContext(r.Context(), "not posted yet", attrs...)
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	case errors.As(err, &broken): // Alertmanager does not repeat what is answered by 4xx
		b.logger.ErrorContext(r.Context(), "cannot be posted", append(attrs, "error", err)...)
		http.Error(w, fmt.Sprintf("cannot be posted: %v", err), http.StatusUnprocessableEntity)
	default:
		b.logger.ErrorContext(r.Context(), "not posted", append(attrs, "error", err)...)
		http.Error(w, fmt.Sprintf("not posted: %v", err), http.StatusServiceUnavailable)
	}
}
