// Package webhooklog posts what a program logs into a group chat:
//
//	alerts := webhooklog.New(robot, nil)
//	defer alerts.Shutdown(ctx)
//	logger := slog.New(alerts)
//
// Records are collected for some seconds and posted together: a thousand equal ones are
// one line with a count.
//
// # Failures
//
// A message that was not accepted, or was answered by 503, is posted again, up
// to a minute apart, and given up after ten refusals. One that may have arrived
// is not posted again. Both are counted, and Options.OnError is told.
//
// # Concurrency
//
// A [Handler] and those derived from it are safe for concurrent use and share one
// queue. It has a goroutine only while there is something to post. Logging never waits
// for the network.
//
// What the [webhook.Robot] logs while it posts is dropped. A transport that logs to
// the handler without the call's context makes every message cause another.
package webhooklog

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/webhook"
)

const (
	defaultInterval = 10 * time.Second
	defaultKinds    = 20
	maxText         = 400 // characters of a record's text, and of its attributes
)

// Options change a [Handler].
type Options struct {
	_ [0]func()

	// What is posted. If nil, slog.LevelError and above.
	Level slog.Leveler

	// How long records are collected. If zero, ten seconds.
	Interval time.Duration

	// First line of every message, in markdown, after a keyword of the robot if it has
	// none. If empty, "Log".
	Title string

	// How many kinds of record, by level and text, one message lists. If zero, 20.
	Kinds int

	// Told of every failure to post. It must not log to this handler. Optional.
	OnError func(error)
}

// Handler is a slog.Handler that posts into a group chat.
type Handler struct {
	queue *queue
	with  []func(slog.Handler) slog.Handler // what WithAttrs and WithGroup added
}

var _ slog.Handler = (*Handler)(nil)

// New returns a handler that posts through r. Give it a robot of its own.
func New(r *webhook.Robot, opts *Options) *Handler {
	o := *cmp.Or(opts, &Options{})
	o.Level = cmp.Or[slog.Leveler](o.Level, slog.LevelError)
	o.Interval = cmp.Or(max(o.Interval, 0), defaultInterval)
	o.Title = cmp.Or(o.Title, "Log")
	o.Kinds = cmp.Or(max(o.Kinds, 0), defaultKinds)
	if words := r.Keywords(); len(words) > 0 && !slices.ContainsFunc(words, func(word string) bool { return strings.Contains(o.Title, word) }) {
		o.Title = words[0] + " " + o.Title
	}
	return &Handler{queue: newQueue(r, o)}
}

// Enabled reports whether records of that level are posted.
func (h *Handler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= h.queue.opts.Level.Level()
}

// Handle queues a record. It fails only after Shutdown.
func (h *Handler) Handle(ctx context.Context, record slog.Record) error {
	if ctx.Value(posting{}) != nil {
		return nil
	}
	k := kind{record.Level, shorten(record.Message)}
	return h.queue.add(&count{kind: k, n: 1, first: record.Time, last: record.Time, attrs: shorten(h.attributes(ctx, record))})
}

// WithAttrs returns a handler whose records also have attrs.
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return h.adding(func(text slog.Handler) slog.Handler { return text.WithAttrs(attrs) })
}

// WithGroup returns a handler whose records have attributes in a group.
func (h *Handler) WithGroup(name string) slog.Handler {
	return h.adding(func(text slog.Handler) slog.Handler { return text.WithGroup(name) })
}

func (h *Handler) adding(more func(slog.Handler) slog.Handler) *Handler {
	return &Handler{queue: h.queue, with: append(slices.Clip(h.with), more)}
}

// Shutdown posts what is left, and returns when that is done, has failed ten times, or
// ctx ends. The error counts records that were not posted, or may not have been, and
// says why.
func (h *Handler) Shutdown(ctx context.Context) error { return h.queue.shutdown(ctx) }

// attributes returns those of record as "key=value …", with values as slog shows
// them. It calls methods of the values, which may log, so no lock is held.
func (h *Handler) attributes(ctx context.Context, record slog.Record) string {
	var line strings.Builder
	var text slog.Handler = slog.NewTextHandler(&line, nil)
	for _, more := range h.with {
		text = more(text)
	}
	record.Time, record.Level, record.Message = time.Time{}, slog.LevelInfo, ""
	_ = text.Handle(ctx, record) // its error is that of line, which has none
	return strings.TrimSpace(strings.TrimPrefix(line.String(), `level=INFO msg=""`))
}

func shorten(s string) string {
	if utf8.RuneCountInString(s) <= maxText {
		return s
	}
	return string([]rune(s)[:maxText]) + "…"
}

// posting marks the context in which a queue posts.
type posting struct{}
