package main

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/riverqueue/river"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
)

// message is a job: the robot posts into the chat. Few workers of each replica wait for
// the next slot of the minute, so messages leave in the order in which they came.
type message struct {
	Key       string `json:"key" river:"unique"`
	Body      string `json:"body"` // As webhook.Encode writes it. A text, because PostgreSQL changes the form of JSON.
	RequestID string `json:"request_id"`
}

// Kind implements river.JobArgs.
func (message) Kind() string { return messageKind }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (message) InsertOpts() river.InsertOpts { return once(messageQueue) }

// messageState is what a message stores, always completely.
type messageState struct {
	intent
	Sent  bool   `json:"sent"`
	Error string `json:"error"` // Set: it failed.
}

// messenger works on messages.
type messenger struct {
	river.WorkerDefaults[message]
	app *app
}

// Work implements river.Worker.
func (w *messenger) Work(ctx context.Context, job *river.Job[message]) error {
	a := w.app
	ctx = withRequestID(ctx, job.Args.RequestID)
	state, err := readState[messageState](job.JobRow)
	if err != nil {
		return err
	}
	save := func(ctx context.Context) error { return a.store(ctx, job.ID, &state) }
	fail := func(why string) error {
		state.Error = why
		if err := save(ctx); err != nil {
			return err
		}
		a.metrics.messages.WithLabelValues("failed").Inc()
		a.logger.WarnContext(ctx, "not posted", "job", job.ID, "error", why)
		return river.JobCancel(errors.New(why))
	}
	switch {
	case state.Sent:
		return nil // The process died after it had stored that.
	case state.Error != "":
		return river.JobCancel(errors.New(state.Error))
	case a.robot == nil:
		return fail("no robot is configured any more")
	case time.Since(job.CreatedAt) > a.settings.deadline:
		return fail(state.expired("posted", a.settings.deadline))
	}
	m, err := webhook.Decode([]byte(job.Args.Body))
	if err != nil {
		return fail(err.Error())
	}
	err = a.robot.Send(before(ctx, func(ctx context.Context) error {
		if state.try() {
			a.metrics.repeated.WithLabelValues(messageKind).Inc()
			a.logger.WarnContext(ctx, "a message is posted again: the chat may have it twice", "job", job.ID)
		}
		return save(ctx)
	}), m)
	if err == nil {
		state.Begun, state.Sent = false, true
		if err := save(ctx); err != nil {
			return err
		}
		a.metrics.messages.WithLabelValues("sent").Inc()
		a.logger.InfoContext(ctx, "posted", "job", job.ID)
		return nil
	}
	if errors.Is(err, webhook.ErrNotAccepted) {
		if rejected(err) {
			return fail(err.Error())
		}
		state.refused()
	}
	state.Trouble = err.Error()
	if err := save(ctx); err != nil {
		return err
	}
	return w.later(ctx, job, err)
}

// later lets the message be tried again: at its slot, or after a pause.
func (w *messenger) later(ctx context.Context, job *river.Job[message], err error) error {
	var limit *webhook.LimitError
	if errors.As(err, &limit) {
		return river.JobSnooze(max(0, time.Until(limit.Next)))
	}
	w.app.logger.WarnContext(ctx, "not posted yet", "job", job.ID, "error", err)
	return river.JobSnooze(w.app.pause(job.CreatedAt))
}

// rejected reports whether the service will never take the message.
func rejected(err error) bool {
	var field *webhook.FieldError
	var answer *webhook.APIError
	if errors.As(err, &field) {
		return true
	}
	if !errors.As(err, &answer) || answer.StatusCode != http.StatusBadRequest {
		return false
	}
	// A clock or a key can be set right.
	return !errors.Is(err, webhook.ErrRateLimited) && !errors.Is(err, signing.ErrTimestamp) && !errors.Is(err, signing.ErrSignature)
}
