package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/weboffice-go/weboffice/markdown"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
)

const (
	// maxBody is how many bytes of a delivery are read.
	maxBody = 2 << 20
	// maxWaiting is how many deliveries wait for the chat at most.
	maxWaiting = 50
	// maxPosting is how long one delivery may take to be posted.
	maxPosting = 10 * time.Minute
	// patience is how long shutdown waits for what is not posted yet.
	patience = 30 * time.Second
)

// source is a sender of webhooks.
type source struct {
	name     string // the path
	variable string // environment variable of its secret
	help     string
	delivery string // header with the id of a delivery, for the log
	verify   func(secret signing.Secret, h http.Header, body []byte) bool
	// read makes the message of a delivery. One that nobody wants to read has no text.
	read func(h http.Header, body []byte) (message, error)
}

var sources = []source{
	{"github", "WEBOFFICE_GITHUB_SECRET", "secret of the webhooks of GitHub", "X-Github-Delivery", verifyGitHub, readGitHub},
	{"gitlab", "WEBOFFICE_GITLAB_TOKEN", "secret token of the webhooks of GitLab", "X-Gitlab-Event-Uuid", verifyGitLab, readGitLab},
	{"grafana", "WEBOFFICE_GRAFANA_SECRET", "HMAC secret or bearer token of the contact point of Grafana", "", verifyGrafana, readGrafana},
}

// message is what the group reads. The title begins each piece if there are several.
type message struct{ title, text string }

// hooks takes deliveries and posts them.
type hooks struct {
	robot  *webhook.Robot
	wait   time.Duration
	logger *slog.Logger
	mux    http.ServeMux

	slots   chan struct{} // one for each delivery that is being posted
	posting sync.WaitGroup
	ctx     context.Context //nolint:containedctx // Posting outlives the request.
	cancel  context.CancelFunc
}

// newHooks serves the sources that have a secret.
func newHooks(robot *webhook.Robot, secrets map[string]signing.Secret, wait time.Duration, logger *slog.Logger) *hooks {
	h := &hooks{robot: robot, wait: wait, logger: logger, slots: make(chan struct{}, maxWaiting)}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	h.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	for _, s := range sources {
		if secret := secrets[s.name]; !secret.IsZero() {
			h.mux.HandleFunc("POST /"+s.name, func(w http.ResponseWriter, r *http.Request) { h.take(w, r, s, secret) })
		}
	}
	return h
}

// ServeHTTP answers a sender.
func (h *hooks) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }

// take answers one delivery.
func (h *hooks) take(w http.ResponseWriter, r *http.Request, s source, secret signing.Secret) {
	log := h.logger.With("source", s.name, "delivery", r.Header.Get(cmp.Or(s.delivery, "X-Request-Id")))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		http.Error(w, fmt.Sprintf("more than %d bytes", maxBody), http.StatusRequestEntityTooLarge)
		return
	} else if err != nil {
		return // the sender is gone
	}
	if !s.verify(secret, r.Header, body) {
		log.WarnContext(r.Context(), "refused: the secret is another one")
		http.Error(w, "the signature or token does not match", http.StatusUnauthorized)
		return
	}
	m, err := s.read(r.Header, body)
	switch {
	case err != nil:
		log.WarnContext(r.Context(), "not understood", "error", err)
		http.Error(w, err.Error(), http.StatusBadRequest)
	case m.text == "":
		w.WriteHeader(http.StatusNoContent)
	default:
		h.post(w, r, m, log)
	}
}

// post sends m, and answers 202 if that takes longer than the sender waits.
func (h *hooks) post(w http.ResponseWriter, r *http.Request, m message, log *slog.Logger) {
	select {
	case h.slots <- struct{}{}:
	default:
		log.ErrorContext(r.Context(), "refused: too many messages wait for the chat")
		http.Error(w, "too many messages wait for the chat", http.StatusServiceUnavailable)
		return
	}
	done := make(chan error, 1)
	h.posting.Go(func() { //nolint:contextcheck // Posting outlives the request.
		defer func() { <-h.slots }()
		done <- h.send(m, log)
	})
	late := time.NewTimer(h.wait)
	defer late.Stop()
	select {
	case err := <-done:
		if err != nil {
			http.Error(w, "not posted: "+err.Error(), http.StatusBadGateway)
		}
	case <-late.C:
		w.WriteHeader(http.StatusAccepted)
	case <-r.Context().Done():
	}
}

// send posts all pieces of m.
func (h *hooks) send(m message, log *slog.Logger) error {
	ctx, cancel := context.WithTimeout(h.ctx, maxPosting)
	defer cancel()
	sent, err := h.robot.SendLong(ctx, webhook.Markdown{Text: h.keyword() + m.text}, &webhook.SplitOptions{Title: markdown.Escape(m.title), LongLinksAsText: true})
	if err != nil {
		log.ErrorContext(ctx, "not posted", "title", m.title, "sent", sent, "error", err)
		return err
	}
	log.InfoContext(ctx, "posted", "title", m.title, "messages", sent)
	return nil
}

// keyword is the beginning of every message, which the robot may demand.
func (h *hooks) keyword() string {
	words := h.robot.Keywords()
	if len(words) == 0 {
		return ""
	}
	return words[0] + "\n\n"
}

// shutdown waits for what is not posted yet, and gives up after some time.
func (h *hooks) shutdown() {
	late := time.AfterFunc(patience, h.cancel)
	h.posting.Wait()
	late.Stop()
	h.cancel()
}
