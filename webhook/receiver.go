package webhook

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/weboffice-go/weboffice/internal/callback"
	"github.com/weboffice-go/weboffice/signing"
)

const (
	// DefaultHandleTimeout bounds one call of ReceiverConfig.Handle.
	DefaultHandleTimeout = time.Minute
	// DefaultMaxBody is the largest request, in bytes, that a [Receiver] takes.
	DefaultMaxBody = 1 << 20
)

// ReceiverConfig says whose events a [Receiver] takes, and what to do about them.
type ReceiverConfig struct {
	// Required. What to do about an event. It is called concurrently. Its context
	// ends after Timeout, and without Background also when the service hangs up.
	// Its error is logged; without Background it also makes the answer a failure,
	// which says nothing of it. A panic counts as an error.
	Handle func(ctx context.Context, e Event) error

	// Required. Keys of the robots whose events are accepted. The key in an event is
	// the one thing that proves where it comes from (protocol 2.10).
	RobotKeys []signing.Secret

	// How many calls of Handle may go on after their events have been answered. If
	// zero, Handle runs before the answer, and the service waits for it. When all are
	// busy, an event is answered by 503 and not handled.
	Background int

	// How long one Handle may take. If zero, DefaultHandleTimeout.
	Timeout time.Duration

	// Largest request that is taken, in bytes. If zero, DefaultMaxBody.
	MaxBody int64

	// Told of requests that were refused, and of errors of Handle; never of what an
	// event says. If nil, slog.Default().
	Logger *slog.Logger
}

// Receiver is the http.Handler of a callback address that was registered for a
// robot (protocol 4.4, 6). It ignores the path: mount it where you like. It is
// safe for concurrent use.
type Receiver struct {
	cfg  ReceiverConfig
	hide func(error) string // an error of Handle, fit for the log

	mu      sync.Mutex
	closed  bool
	next    int // names the next background call
	running map[int]context.CancelFunc
	idle    chan struct{} // closed once closed is set and nothing is running
}

// NewReceiver copies cfg, fills in its defaults and reports every problem at once,
// as joined [*FieldError]s.
func NewReceiver(cfg ReceiverConfig) (*Receiver, error) {
	if err := joinFields(cfg.complete()); err != nil {
		return nil, err
	}
	var keys []string
	for _, key := range cfg.RobotKeys {
		keys = append(keys, key.Reveal())
	}
	return &Receiver{
		cfg:     cfg,
		hide:    func(err error) string { return callback.ScrubError(err, keys...) },
		running: make(map[int]context.CancelFunc),
		idle:    make(chan struct{}),
	}, nil
}

func (cfg *ReceiverConfig) complete() []*FieldError {
	var c checker
	if cfg.Handle == nil {
		c.add("Handle", "is required")
	}
	cfg.RobotKeys = slices.Clone(cfg.RobotKeys)
	if len(cfg.RobotKeys) == 0 {
		c.add("RobotKeys", "is required: nobody's events would be accepted")
	}
	for i, key := range cfg.RobotKeys {
		if key.IsZero() {
			c.add(fmt.Sprintf("RobotKeys[%d]", i), "is empty: everybody's events would be accepted")
		}
	}
	if cfg.Background < 0 {
		c.add("Background", "must not be negative")
	}
	if cfg.Timeout < 0 {
		c.add("Timeout", "must not be negative")
	}
	if cfg.MaxBody < 0 {
		c.add("MaxBody", "must not be negative")
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = DefaultHandleTimeout
	}
	if cfg.MaxBody == 0 {
		cfg.MaxBody = DefaultMaxBody
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	return c.problems
}

// The answers. The protocol shows the first (protocol 4.4); the others have its form.
const (
	answerOK       = `{"result":"ok"}`
	answerInvalid  = `{"result":"invalid argument"}`
	answerRefused  = `{"result":"forbidden"}`
	answerMethod   = `{"result":"method not allowed"}`
	answerSlow     = `{"result":"timeout"}`
	answerTooLarge = `{"result":"body too large"}`
	answerFailed   = `{"result":"internal error"}`
	answerBusy     = `{"result":"busy"}`
)

func reply(w http.ResponseWriter, status int, body string) {
	callback.Write(w, status, []byte(body))
}

// ServeHTTP takes events by POST, and answers the GET by which the service checks
// a callback address before it accepts it. All of its answers are JSON.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	release := callback.Bound(w, req, r.cfg.MaxBody, clock(nil)().Add(bodyTimeout))
	switch req.Method {
	case http.MethodGet, http.MethodHead:
		release()
		reply(w, http.StatusOK, answerOK)
	case http.MethodPost:
		body, err := callback.ReadBody(req)
		release()
		r.post(w, req, body, err)
	default:
		release()
		w.Header().Set("Allow", "GET, HEAD, POST")
		reply(w, http.StatusMethodNotAllowed, answerMethod)
	}
}

func (r *Receiver) post(w http.ResponseWriter, req *http.Request, body []byte, err error) {
	e, refused := r.read(body, err)
	if refused != nil {
		r.cfg.Logger.WarnContext(req.Context(), "webhook: event refused",
			slog.Int("status", refused.status), slog.String("reason", refused.reason), slog.String("remote", req.RemoteAddr))
		reply(w, refused.status, refused.body)
		return
	}
	switch {
	case r.isClosed() || r.cfg.Background > 0 && !r.start(req.Context(), e):
		r.cfg.Logger.WarnContext(req.Context(), "webhook: event not handled: busy or shut down", slog.Any("event", e))
		w.Header().Set("Retry-After", "1")
		reply(w, http.StatusServiceUnavailable, answerBusy)
	case r.cfg.Background == 0 && !r.handle(req.Context(), e):
		reply(w, http.StatusInternalServerError, answerFailed)
	default:
		reply(w, http.StatusOK, answerOK)
	}
}

// handle runs Handle, and reports whether it succeeded.
func (r *Receiver) handle(ctx context.Context, e Event) bool {
	err := r.call(ctx, e)
	if err == nil {
		return true
	}
	args := []any{slog.Any("event", e), slog.String("error", r.hide(err))}
	if p, ok := err.(*callback.PanicError); ok { //nolint:errorlint // Only one that was recovered here, not one that Handle returns.
		args = append(args, slog.String("stack", string(p.Stack)))
	}
	r.cfg.Logger.ErrorContext(ctx, "webhook: handle event", args...)
	return false
}

func (r *Receiver) call(ctx context.Context, e Event) (err error) {
	ctx, cancel := context.WithTimeout(ctx, r.cfg.Timeout)
	defer cancel()
	defer func() {
		if v := recover(); v != nil {
			err = callback.Recovered(v)
		}
	}()
	return r.cfg.Handle(ctx, e)
}
