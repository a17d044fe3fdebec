package webhook

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/weboffice-go/weboffice"
	"github.com/weboffice-go/weboffice/internal/callback"
	"github.com/weboffice-go/weboffice/internal/observe"
	"github.com/weboffice-go/weboffice/signing"
)

// Defaults of a [ReceiverConfig].
const (
	DefaultHandleTimeout = time.Minute
	DefaultMaxBody       = 1 << 20
)

const (
	// bodyTimeout is how long a request's body may take to arrive. The service sends
	// it chunked (public reference 6.2), so that only reading it tells its length.
	bodyTimeout = 10 * time.Second
	// storeTimeout bounds a call of Lookup or Seen.
	storeTimeout = 10 * time.Second
	// leaseMargin is how much longer than Timeout a claim on an event lasts.
	leaseMargin = 30 * time.Second
	// rememberedEvents is the size of the default Seen.
	rememberedEvents = 1000
)

// ReceiverConfig configures a [Receiver].
type ReceiverConfig struct {
	// Required. What to do about an event. It is called concurrently. After an error or
	// a panic, which is logged, a repeat of the event is handled again. The context ends
	// after Timeout, and without Background also when the service hangs up. With
	// Background, it has the values of the request's only on a server of net/http.
	Handle func(ctx context.Context, e Event) error

	// Required, unless there is a Lookup. See [Robot.Key].
	RobotKeys []signing.Secret

	// For Event.Robot, in the order of RobotKeys.
	Names []string

	// Finds the robot of a key that is not in RobotKeys, and its name for Event.Robot.
	// Anyone can send any key. An error is answered by 503.
	Lookup func(ctx context.Context, key signing.Secret) (name string, ok bool, err error)

	// Keeps a repeat of an event from being handled, unless Handle failed or its process
	// ended. An event without a CTime is always handled. If the store fails, the answer
	// is 503. If nil, NewSeen(1000).
	Seen SeenStore

	// How many calls of Handle may go on after the answer; beyond them, it is 503. If
	// zero, the answer waits for Handle.
	Background int

	// How long one Handle may take. If zero, DefaultHandleTimeout.
	Timeout time.Duration

	// Largest request, in bytes. If zero, DefaultMaxBody.
	MaxBody int64

	// Told of webhook.event, until Handle has returned, and webhook.check.
	Observe weboffice.Observer

	// Told of refused requests and errors of Handle. If nil, slog.Default().
	Logger *slog.Logger
}

// Receiver is the http.Handler of a robot's callback URL (protocol 4.4, 6), at any
// path. A request's body has to arrive within ten seconds.
type Receiver struct {
	cfg ReceiverConfig

	mu      sync.Mutex
	closed  bool
	running int             // events that are claimed, or handled in the background
	idle    chan struct{}   // closed once closed is set and running is 0
	life    context.Context //nolint:containedctx // Its own, not a call's: it ends when Shutdown waits no longer.
	end     context.CancelFunc
}

// NewReceiver reports every problem of cfg at once, as joined [*FieldError]s.
func NewReceiver(cfg ReceiverConfig) (*Receiver, error) {
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	r := &Receiver{cfg: cfg, idle: make(chan struct{})}
	r.life, r.end = context.WithCancel(context.Background())
	return r, nil
}

func (cfg *ReceiverConfig) complete() error {
	var c checker
	c.when(cfg.Handle == nil, "Handle", "is required")
	cfg.RobotKeys, cfg.Names = slices.Clone(cfg.RobotKeys), slices.Clone(cfg.Names)
	c.when(len(cfg.RobotKeys) == 0 && cfg.Lookup == nil, "RobotKeys", "is required, unless there is a Lookup: no event would be accepted")
	for i, key := range cfg.RobotKeys {
		field := fmt.Sprintf("RobotKeys[%d]", i)
		c.trimmed(field, key)
		c.when(key.IsZero(), field, "is empty: events of anyone would be accepted")
	}
	c.when(len(cfg.Names) > 0 && len(cfg.Names) != len(cfg.RobotKeys), "Names", "must be as many as RobotKeys")
	c.notNegative("Background", int64(cfg.Background))
	c.notNegative("Timeout", int64(cfg.Timeout))
	c.notNegative("MaxBody", cfg.MaxBody)
	c.notNil("Seen", cfg.Seen)
	if cfg.Seen == nil {
		cfg.Seen = NewSeen(rememberedEvents)
	}
	cfg.Timeout = cmp.Or(cfg.Timeout, DefaultHandleTimeout)
	cfg.MaxBody = cmp.Or(cfg.MaxBody, DefaultMaxBody)
	cfg.Logger = cmp.Or(cfg.Logger, slog.Default())
	return c.err()
}

// verdict is how a request is answered.
type verdict struct {
	status int
	result string // the answer, in the form of the only one that the protocol shows (protocol 4.4)
	kind   string // for the Observer; empty: success
	reason string // for the log; empty: nothing is logged
}

func accepted() *verdict { return &verdict{status: http.StatusOK, result: "ok"} }

func invalid(reason string) *verdict {
	return &verdict{http.StatusBadRequest, "invalid argument", "invalid", reason}
}

func busy(kind, reason string) *verdict {
	return &verdict{http.StatusServiceUnavailable, "busy", kind, reason}
}

// ServeHTTP takes events by POST, and answers the GET that checks a callback URL.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	release := callback.Bound(w, req, r.cfg.MaxBody, now().Add(bodyTimeout))
	if req.Method == http.MethodPost {
		r.event(w, req, release)
		return
	}
	release()
	_, end := observe.Start(req.Context(), r.cfg.Observe, weboffice.Operation{Name: "webhook.check", Callback: true})
	v := accepted()
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD, POST")
		v = &verdict{http.StatusMethodNotAllowed, "method not allowed", "invalid", ""}
	}
	r.answer(w, req, Event{}, v)
	end(weboffice.Outcome{Status: v.status, Error: v.kind})
}

// event answers an event.
func (r *Receiver) event(w http.ResponseWriter, req *http.Request, release func()) {
	ctx := req.Context()
	if r.cfg.Background > 0 {
		ctx = detached(ctx)
	}
	ctx, end := observe.Start(ctx, r.cfg.Observe, weboffice.Operation{Name: "webhook.event", Callback: true})
	body, err := callback.ReadBody(req)
	release()
	e, v := r.read(ctx, body, err)
	if v == nil {
		v = r.accept(ctx, e, end)
	}
	r.answer(w, req, e, v)
	if v != handled {
		end(weboffice.Outcome{App: e.Robot, Status: v.status, Error: v.kind})
	}
}

// read reads an event from the body of a request, and takes the error of reading it.
func (r *Receiver) read(ctx context.Context, body []byte, err error) (Event, *verdict) {
	switch {
	case errors.Is(err, callback.ErrTooLarge):
		return Event{}, &verdict{http.StatusRequestEntityTooLarge, "body too large", "invalid", err.Error()}
	case errors.Is(err, callback.ErrTooSlow):
		return Event{}, &verdict{http.StatusRequestTimeout, "timeout", "timeout", err.Error()}
	case errors.Is(err, callback.ErrEaten), err == nil && len(body) == 0:
		return Event{}, invalid("the body is empty: did a middleware read it before?")
	case err != nil:
		return Event{}, &verdict{http.StatusBadRequest, "invalid argument", "network", "the body could not be read to its end"}
	}
	var wire *wireEvent
	if json.Unmarshal(body, &wire) != nil || wire == nil {
		return Event{}, invalid("the body is not an event (protocol 2.10)")
	}
	e, err := wire.event()
	if err != nil {
		return Event{}, invalid("an id in the event is " + err.Error())
	}
	v := r.identify(ctx, &e, signing.NewSecret(wire.RobotKey))
	return e, v
}

// identify finds the robot of a key among RobotKeys, in a time that does not tell
// which it is, or else by Lookup.
func (r *Receiver) identify(ctx context.Context, e *Event, sent signing.Secret) *verdict {
	for i, key := range r.cfg.RobotKeys {
		if key.Equal(sent) {
			if e.RobotKey = key; len(r.cfg.Names) > 0 {
				e.Robot = r.cfg.Names[i]
			}
		}
	}
	if !e.RobotKey.IsZero() {
		return nil
	}
	if r.cfg.Lookup != nil && !sent.IsZero() {
		found := *e
		found.RobotKey = sent
		var ok bool
		err := guarded(ctx, storeTimeout, func(ctx context.Context) (err error) {
			found.Robot, ok, err = r.cfg.Lookup(ctx, sent)
			return err
		})
		switch {
		case err != nil:
			r.logError(ctx, "webhook: look up robot", found, err)
			return busy("failed", "Lookup failed")
		case ok:
			*e = found
			return nil
		}
	}
	return &verdict{http.StatusForbidden, "forbidden", "unauthorized", "the robot key is unknown"}
}

// answer writes v and logs it.
func (r *Receiver) answer(w http.ResponseWriter, req *http.Request, e Event, v *verdict) {
	if v.reason != "" {
		args := []any{slog.Int("status", v.status), slog.String("reason", v.reason), slog.String("remote", req.RemoteAddr)}
		if !e.RobotKey.IsZero() {
			args = append(args, slog.Any("event", e))
		}
		r.cfg.Logger.WarnContext(req.Context(), "webhook: event refused", args...)
	}
	if v.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	callback.Write(w, v.status, []byte(`{"result":"`+v.result+`"}`))
}
