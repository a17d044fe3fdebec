package preview

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice"
	"github.com/weboffice-go/weboffice/internal/callback"
	"github.com/weboffice-go/weboffice/signing"
)

// call is one callback in progress.
type call struct {
	h       *Handler
	w       http.ResponseWriter
	started time.Time
	route   *route
	rawID   string // of the path, escaped
	rawVer  string // as rawID
	req     Request
	version uint32 // of the callbacks about one version
	outcome weboffice.Outcome
	body    []byte // of the callbacks that have one
	out     []byte // the answer
}

// answer writes the answer to r into c.out. Who calls comes first, then what they
// ask, then for which user, and then the store. The panics that it recovers from are
// those of the integrator's code.
func (c *call) answer(r *http.Request) (err error) {
	defer callback.Catch(&err)
	if err := c.receive(r); err != nil {
		return err
	}
	if identify := c.h.cfg.Identify; identify != nil {
		if c.req.UserID, err = identify(r.Context(), c.req); err != nil {
			return err
		}
	}
	if err = c.route.answer(c, r); err == nil {
		c.done(r)
	}
	return err
}

// receive verifies and reads r. It takes the deadline for the body back once the body
// is read: the server would take it for the caller going away.
func (c *call) receive(r *http.Request) error {
	deadline := c.started.Add(c.h.cfg.Timeout)
	release := callback.Bound(c.w, r, c.h.cfg.MaxBody, deadline)
	defer release()
	if r.ContentLength > c.h.cfg.MaxBody {
		return unread(callback.ErrTooLarge)
	}
	if err := c.authenticate(r); err != nil {
		return err
	}
	if err := c.locate(r); err != nil || c.route.method == http.MethodGet {
		return err
	}
	body, err := callback.ReadBody(r)
	if err == nil && !c.h.clock().Before(deadline) { // a ResponseWriter without deadlines
		err = callback.ErrTooSlow
	}
	if err != nil {
		return cmp.Or(unread(err), invalid("the body could not be read"))
	}
	c.body = body
	return nil
}

// Names of headers, in the canonical form that net/http gives them.
const (
	headerAppID     = "X-App-Id"
	headerToken     = "X-Weboffice-Token" //nolint:gosec // The name of a header.
	headerUserQuery = "X-User-Query"
)

// authenticate finds out who calls. The app that signed is the app that the
// store sees (public reference 3.2).
func (c *call) authenticate(r *http.Request) error {
	caller, err := c.h.cfg.Auth(r)
	if err != nil {
		if tooMuch := unread(err); tooMuch != nil {
			return tooMuch
		}
		code := DefaultReply(err).Code
		if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, signing.ErrLookup) || code != callback.CodeInternal && code != callback.CodeUnauthorized {
			return err // no one was refused, or Auth has chosen the answer
		}
		return &callback.Unverified{Cause: err}
	}
	if caller.AppID == "" && !caller.RobotKey.IsZero() {
		return &callback.Unverified{Cause: errors.New("a robot signed, and robots have no documents")}
	}
	c.req.AppID = caller.AppID
	for _, named := range r.Header[headerAppID] {
		c.req.AppID = cmp.Or(c.req.AppID, named)
		if named != "" && named != c.req.AppID {
			return &callback.Unverified{Cause: errors.New("X-App-Id names another app than the one that signed")}
		}
	}
	c.outcome.App = c.req.AppID
	c.req.WebOfficeToken = signing.NewSecret(header(r, headerToken))
	c.req.UserQuery = header(r, headerUserQuery)
	return nil
}

// header is r.Header.Get for a canonical name.
func header(r *http.Request, canonical string) string {
	if values := r.Header[canonical]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// locate checks the route, and what the path holds.
func (c *call) locate(r *http.Request) error {
	switch found := c.route; {
	case found.method == "":
		return &refusal{Reply{http.StatusNotFound, callback.CodeNotFound, "no such callback"}, "path", nil}
	case found.needs&^c.h.served != 0:
		return Reply{http.StatusNotFound, callback.CodeNotFound, "this callback is not served here"}
	case r.Method != found.method:
		c.w.Header().Set("Allow", found.method)
		return Reply{http.StatusMethodNotAllowed, callback.CodeInvalid, "method not allowed"}
	case found.path[1] != segmentID:
		return nil
	}
	if err := c.setFileID(c.rawID); err != nil || c.route.path[3] != segmentVersion {
		return err
	}
	version, err := strconv.ParseUint(c.rawVer, 10, 32)
	if err != nil || version == 0 {
		return invalid("a version is a number from 1 on (protocol 2.4)")
	}
	c.version = uint32(version)
	return nil
}

// setFileID lets only ids pass that a store may see, whatever CheckID says.
func (c *call) setFileID(escaped string) error {
	id, err := url.PathUnescape(escaped)
	switch {
	case err != nil:
		id, err = escaped, invalid("the file id cannot be read")
	case id == "":
		err = invalid("the file id is empty")
	case utf8.RuneCountInString(id) > MaxFileIDLength:
		err = invalid("the file id is longer than 47 characters (protocol 8)")
	case !utf8.ValidString(id) || strings.ContainsFunc(id, unicode.IsControl):
		err = invalid("the file id is not text")
	default:
		if err = c.h.cfg.CheckID(id); err != nil { // which counts first, if it has a code
			err = fmt.Errorf("%w: %w", err, ErrInvalid)
		}
	}
	if err != nil {
		return &refusal{err, "id", []slog.Attr{slog.String("refused_id", cut(id))}}
	}
	c.req.FileID = id
	return nil
}

func (c *call) file(r *http.Request) error {
	f, err := c.h.cfg.Store.File(r.Context(), c.req)
	return c.success(r, f, err)
}

func (c *call) download(r *http.Request) error {
	d, err := c.h.cfg.Store.Download(r.Context(), c.req)
	return c.successDownload(r, d, err)
}

func (c *call) permission(r *http.Request) error {
	p, err := c.h.cfg.Store.Permission(r.Context(), c.req)
	if err != nil {
		return err
	}
	p.UserID = cmp.Or(p.UserID, c.req.UserID)
	if err := p.check(c.h.served | c.h.cfg.Elsewhere); err != nil {
		return err
	}
	c.advisePermission(r, p)
	c.out = append(appendPermission(append(c.out, success...), &p), '}')
	return nil
}
