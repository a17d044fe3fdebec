package token

import (
	"net/http"
	"time"

	"github.com/weboffice-go/weboffice/internal/callback"
	"github.com/weboffice-go/weboffice/signing"
)

// Handler answers the access token callback (protocol 4.3), at whatever path it
// is mounted; see [Path]. It is safe for concurrent use.
type Handler struct {
	cfg   Config
	clock func() time.Time // for deadlines, which timers keep, whatever cfg.Now says
}

// NewHandler copies cfg, fills in its defaults and reports every problem at once.
func NewHandler(cfg Config) (*Handler, error) {
	if err := cfg.problems(); err != nil {
		return nil, err
	}
	cfg.fillDefaults()
	h := &Handler{cfg: cfg}
	h.clock = time.Now
	if h.cfg.Now == nil {
		h.cfg.Now = h.clock
	}
	return h, nil
}

// ServeHTTP answers in JSON, always: also to another method, to a body that is
// too large or too slow, and when code of yours panics.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	asked := Request{RequestID: callback.RequestID(r.Header)}
	deadline := h.clock().Add(h.cfg.Timeout)
	ctx := callback.NewDeadline(r.Context(), deadline)
	defer ctx.Cancel()

	t, seconds, err := h.decide(w, r.WithContext(ctx), &asked, deadline) //nolint:contextcheck // A Deadline is of the request's context.
	if err != nil {
		h.refuse(w, r, &asked, err)
		return
	}
	callback.Write(w, http.StatusOK, successBody(t.AccessToken.Reveal(), seconds))
}

// decide finds the token for r, and the whole seconds that are left of it. The
// order is that of trust: who calls, what they ask, for which app, for which
// user, and only then the token.
func (h *Handler) decide(w http.ResponseWriter, r *http.Request, asked *Request, deadline time.Time) (t Token, seconds int64, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = callback.Recovered(v)
		}
	}()
	caller, err := h.read(w, r, asked, deadline)
	if err != nil {
		return Token{}, 0, err
	}
	if !h.cfg.AppMatch(caller, asked.AppID) {
		return Token{}, 0, notItsApp()
	}
	if err := h.cfg.Authorize(r.Context(), *asked); err != nil {
		return Token{}, 0, err
	}
	t, err = h.cfg.Source.Token(r.Context(), asked.AppID)
	if err != nil {
		return Token{}, 0, err
	}
	seconds, err = t.seconds(h.cfg.Now())
	return t, seconds, err
}

// read finds out who calls and what they ask. Auth may read the body, so the
// bounds stand before it.
func (h *Handler) read(w http.ResponseWriter, r *http.Request, asked *Request, deadline time.Time) (signing.Caller, error) {
	release := callback.Bound(w, r, h.cfg.MaxBody, deadline)
	defer release()
	if r.Method != http.MethodPost {
		w.Header()["Allow"] = []string{http.MethodPost}
		return signing.Caller{}, malformed(http.StatusMethodNotAllowed, "the method must be POST", nil)
	}
	caller, err := h.cfg.Auth(r)
	if err != nil {
		if unread := unreadable(err); unread != nil {
			return caller, unread
		}
		return caller, unverified(err)
	}
	return caller, readRequest(r, asked)
}
