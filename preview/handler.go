package preview

import (
	"errors"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weboffice-go/weboffice/internal/callback"
)

// Handler answers the callbacks of protocol 4.2, and those of public reference 4
// and 5 for which its [Config] holds a capability.
//
// It finds [PathPrefix] in the path of a request by itself, at its last
// occurrence, and so works under any prefix of any router. It also works where
// the router, or http.StripPrefix, has taken away the prefix, with or without
// PathPrefix.
//
// It is immutable and safe for concurrent use.
type Handler struct {
	cfg     Config
	served  Callbacks        // what cfg gives
	clock   func() time.Time // for deadlines, which timers keep, whatever cfg.Now says
	buffers sync.Pool
	given   atomic.Uint32 // advice that was given, a bit each
}

// NewHandler copies cfg, fills in its defaults and reports every problem at once.
func NewHandler(cfg Config) (*Handler, error) {
	if err := errors.Join(cfg.problems()...); err != nil {
		return nil, err
	}
	cfg.fillDefaults()
	h := &Handler{cfg: cfg, served: cfg.given()}
	h.clock = time.Now
	if h.cfg.Now == nil {
		h.cfg.Now = h.clock
	}
	h.buffers.New = func() any {
		buf := make([]byte, 0, usualAnswer)
		return &buf
	}
	return h, nil
}

// ServeHTTP answers in JSON, whatever happens: also on an unknown path or a wrong
// method, when a body is too large or too slow, and when the store takes too
// long, breaks a rule or panics.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL == nil {
		r = located(r)
	}
	deadline := h.clock().Add(h.cfg.Timeout)
	ctx := callback.NewDeadline(r.Context(), deadline)
	defer ctx.Cancel()

	buf, _ := h.buffers.Get().(*[]byte)
	defer h.keep(buf)

	c := call{h: h, w: w, out: (*buf)[:0]}
	c.req.RequestID = callback.RequestID(r.Header)
	status, err := http.StatusOK, c.answer(r.WithContext(ctx), deadline) //nolint:contextcheck // NewDeadline derives it from the request's.
	if err == nil {
		c.done(r)
	} else {
		status = c.fail(r, err)
	}
	callback.Write(w, status, c.out)
	*buf = c.out
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

func (h *Handler) keep(buf *[]byte) {
	if cap(*buf) <= maxKept {
		h.buffers.Put(buf)
	}
}
