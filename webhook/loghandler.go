package webhook

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"
)

// DefaultLogInterval is how long a [LogHandler] collects records before it posts
// them.
const DefaultLogInterval = 10 * time.Second

// ErrLogClosed is what [LogHandler.Handle] returns after Shutdown.
var ErrLogClosed = errors.New("webhook: log handler: shut down")

// LogHandlerOptions change a [LogHandler]. The zero value is ready.
type LogHandlerOptions struct {
	_ [0]func()

	// Which records are posted. If nil, slog.LevelError and above.
	Level slog.Leveler

	// How long records are collected before they are posted. If zero,
	// DefaultLogInterval. A robot takes 20 messages a minute in all, so less than
	// three seconds can use them up.
	Interval time.Duration

	// First line of every message, in markdown, such as "checkout, production". If
	// empty, "Log". Where the robot demands a keyword and Title has none, the first
	// one is put before it.
	Title string

	// How many kinds of record one message lists; the rest are counted together.
	// Records of one level and one text are of a kind, whatever their attributes.
	// If zero, 20.
	Kinds int

	// Told of a message that could not be posted, from the goroutine that posts. It
	// must not log to this handler. If nil, Shutdown reports the last failure.
	OnError func(error)
}

// LogHandler is a slog.Handler that posts records into a group chat. Records from
// a level upwards are collected for a while and posted together: a thousand equal
// ones are one line with a count. Handle never waits for the network: it keeps
// the record in memory, which grows with the kinds of record and not with their
// number.
//
//	alerts := webhook.NewLogHandler(robot, nil)
//	defer alerts.Shutdown(ctx)
//	logger := slog.New(alerts)
//
// The Robot must not log to the handler that posts through it; what it logs
// while posting is dropped.
//
// A message that the service did not accept is posted again, later and later, up
// to a minute apart, and what comes in the meantime is collected. One that may
// have arrived is not repeated. A LogHandler is safe for concurrent use, and so
// are the handlers that WithAttrs and WithGroup derive; all share one queue. It
// has a goroutine only while there is something to post.
type LogHandler struct {
	queue *logQueue
	text  slog.Handler // writes the attributes of a record into queue.line
}

// NewLogHandler returns a handler that posts through r; nil stands for the
// defaults. Use a robot of its own for it, since alerts wait behind reports.
func NewLogHandler(r *Robot, opts *LogHandlerOptions) *LogHandler {
	q := &logQueue{robot: r, hurry: make(chan struct{}), idle: closedChannel()}
	if opts != nil {
		q.opts = *opts
	}
	if q.opts.Level == nil {
		q.opts.Level = slog.LevelError
	}
	if q.opts.Interval <= 0 {
		q.opts.Interval = DefaultLogInterval
	}
	if q.opts.Title == "" {
		q.opts.Title = "Log"
	}
	if words := r.cfg.Keywords; len(words) > 0 && !contains([]string{q.opts.Title}, words) {
		q.opts.Title = words[0] + " " + q.opts.Title
	}
	if q.opts.Kinds <= 0 {
		q.opts.Kinds = 20
	}
	text := slog.NewTextHandler(&q.line, &slog.HandlerOptions{Level: q.opts.Level})
	return &LogHandler{queue: q, text: text}
}

func closedChannel() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// Enabled reports whether records of that level are posted.
func (h *LogHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= h.queue.opts.Level.Level() && ctx.Value(posting{}) == nil
}

// Handle puts a record into the queue. It fails only after Shutdown.
func (h *LogHandler) Handle(ctx context.Context, record slog.Record) error {
	if ctx.Value(posting{}) != nil {
		return nil // what the robot logs about this very queue
	}
	q := h.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return ErrLogClosed
	}
	attrs, err := q.attributes(ctx, h.text, record)
	if err != nil {
		return err
	}
	q.add(logKind{record.Level, record.Message}, record.Time, attrs) //nolint:contextcheck // Posting outlives the call that logs.
	return nil
}

// WithAttrs returns a handler whose records also have attrs, on the same queue.
func (h *LogHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &LogHandler{queue: h.queue, text: h.text.WithAttrs(attrs)}
}

// WithGroup returns a handler whose records have their attributes in a group, on
// the same queue.
func (h *LogHandler) WithGroup(name string) slog.Handler {
	return &LogHandler{queue: h.queue, text: h.text.WithGroup(name)}
}

// Shutdown stops taking records, posts at once what is left, and returns when the
// service has accepted it. If ctx ends before, or a message was lost, the error
// says how many records were not posted, and why. A second call waits for the
// first.
func (h *LogHandler) Shutdown(ctx context.Context) error { return h.queue.shutdown(ctx) }

// attributesPrefix is what a TextHandler writes of a record without time and text.
const attributesPrefix = `level=INFO msg=""`

// attributes returns those of record as "key=value …", with values as slog shows
// them. The queue is locked.
func (q *logQueue) attributes(ctx context.Context, text slog.Handler, record slog.Record) (string, error) {
	q.line.Reset()
	bare := slog.NewRecord(time.Time{}, slog.LevelInfo, "", 0)
	record.Attrs(func(a slog.Attr) bool {
		bare.AddAttrs(a)
		return true
	})
	if err := text.Handle(ctx, bare); err != nil {
		return "", err
	}
	return strings.TrimSpace(strings.TrimPrefix(q.line.String(), attributesPrefix)), nil
}

var _ slog.Handler = (*LogHandler)(nil)

// posting marks the context in which a queue posts.
type posting struct{}
