package preview

import (
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/weboffice-go/weboffice"
	"github.com/weboffice-go/weboffice/internal/callback"
	"github.com/weboffice-go/weboffice/internal/observe"
	"github.com/weboffice-go/weboffice/signing"
)

// Handler is an http.Handler for the callbacks.
type Handler struct {
	cfg    Config
	served Callbacks        // by cfg
	clock  func() time.Time // for deadlines, which timers keep, whatever cfg.Now says
	calls  sync.Pool
	said   sync.Map // advice and kinds of refusals that were logged; a short fixed list
}

// NewHandler reports every problem of cfg at once. It logs a warning if Auth is
// [signing.Unsigned].
func NewHandler(cfg Config) (*Handler, error) {
	served, err := cfg.check()
	if err != nil {
		return nil, err
	}
	cfg.fillDefaults()
	callback.WarnUnsigned(cfg.Logger, "preview: Auth is signing.Unsigned, which lets every caller in: use the VerifyRequest of a signing.Verifier", cfg.Auth, signing.Unsigned)
	h := &Handler{cfg: cfg, served: served}
	h.clock = time.Now
	h.calls.New = func() any { return &call{out: make([]byte, 0, usualAnswer)} }
	return h, nil
}

// ServeHTTP answers in JSON, also if code of yours panics, except in Config.Observe or with
// http.ErrAbortHandler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL == nil {
		r = located(r)
	}
	c, _ := h.calls.Get().(*call)
	defer h.keep(c)
	c.h, c.w, c.started = h, w, h.clock()
	c.route, c.rawID, c.rawVer = findRoute(r.URL.EscapedPath())
	c.req.RequestID = callback.RequestID(r.Header)
	c.outcome.RequestID, c.outcome.Error = c.req.RequestID, "failed"
	ctx, end := observe.Start(r.Context(), h.cfg.Observe, weboffice.Operation{Name: c.route.name, Callback: true})
	defer func() { end(c.outcome) }()
	deadline := callback.NewDeadline(ctx, c.started.Add(h.timeout(c.route)))
	defer deadline.Cancel()

	r = r.WithContext(deadline) //nolint:contextcheck // NewDeadline derives it from the request's.
	if err := c.answer(r); err == nil {
		c.outcome.Status, c.outcome.Error = http.StatusOK, ""
	} else {
		c.fail(r, err)
	}
	callback.Write(w, c.outcome.Status, c.out)
}

// located gives a request that was built by hand, for another kind of server, the
// URL that net/http would have read from its RequestURI.
func located(r *http.Request) *http.Request {
	u, err := url.ParseRequestURI(r.RequestURI)
	if err != nil {
		u = &url.URL{}
	}
	r = r.WithContext(r.Context())
	r.URL = u
	return r
}

const (
	usualAnswer = 512      // bytes that most answers fit into
	maxKept     = 16 << 10 // the largest buffer that is used again
)

func (h *Handler) keep(c *call) {
	if cap(c.out) <= maxKept {
		*c = call{out: c.out[:0]}
		h.calls.Put(c)
	}
}
