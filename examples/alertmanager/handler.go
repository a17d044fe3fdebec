package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/weboffice-go/weboffice/webhook"
)

// maxNotification is how many bytes of a notification are read.
const maxNotification = 10 << 20

// newHandler takes notifications and posts them.
func newHandler(robot *webhook.Robot, f format, wait time.Duration, logger *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	mux.HandleFunc("POST /alerts", func(w http.ResponseWriter, r *http.Request) {
		var n notification
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxNotification)).Decode(&n); err != nil {
			http.Error(w, "not a notification of Alertmanager: "+err.Error(), http.StatusBadRequest)
			return
		}
		if len(n.Alerts) == 0 {
			http.Error(w, "not a notification of Alertmanager: it has no alerts", http.StatusBadRequest)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), wait)
		defer cancel()
		sent, err := post(ctx, robot, f, n)
		attrs := []any{"group", n.GroupKey, "alerts", len(n.Alerts), "messages", sent}
		if err != nil {
			logger.ErrorContext(ctx, "not posted", append(attrs, "error", err)...)
			http.Error(w, "not posted: "+err.Error(), status(err))
			return
		}
		logger.InfoContext(ctx, "posted", attrs...)
	})
	return mux
}

// post sends a notification, in pieces where it is too long.
func post(ctx context.Context, robot *webhook.Robot, f format, n notification) (sent int, err error) {
	pieces, err := webhook.Split(webhook.Markdown{Text: f.message(n)}, &webhook.SplitOptions{Label: f.label})
	if err != nil {
		return 0, err
	}
	return robot.SendAll(ctx, pieces...)
}

// status tells Alertmanager whether to try again: it repeats what is answered by
// 5xx, and gives up on 4xx.
func status(err error) int {
	var broken *webhook.FieldError
	if errors.As(err, &broken) {
		return http.StatusUnprocessableEntity
	}
	return http.StatusServiceUnavailable
}
