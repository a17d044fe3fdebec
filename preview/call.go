package preview

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/internal/callback"
	"github.com/weboffice-go/weboffice/signing"
)

// call is one callback under way.
type call struct {
	h       *Handler
	w       http.ResponseWriter
	op      operation
	version uint32 // of the callbacks about one version
	req     Request
	body    []byte // of the callbacks that have one
	out     []byte // the answer
}

// answer writes the answer to r, whose context has the deadline, into c.out. The
// order is that of trust: who calls, what they ask, for which user, and only then
// the store. What it recovers from is code of the integrator.
func (c *call) answer(r *http.Request, deadline time.Time) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = callback.Recovered(v)
		}
	}()
	if err := c.receive(r, deadline); err != nil {
		return err
	}
	if identify := c.h.cfg.Identify; identify != nil {
		if c.req.UserID, err = identify(r.Context(), c.req); err != nil {
			return err
		}
	}
	return c.ask(r)
}

// receive takes r in. The deadline for its body ends with it, where it was read:
// the server would take one for the caller going away.
func (c *call) receive(r *http.Request, deadline time.Time) error {
	release := callback.Bound(c.w, r, c.h.cfg.MaxBody, deadline)
	defer release()
	if r.ContentLength > c.h.cfg.MaxBody {
		return unread(callback.ErrTooLarge)
	}
	if err := c.authenticate(r); err != nil {
		return err
	}
	if err := c.route(r); err != nil || operations[c.op].method == http.MethodGet {
		return err
	}
	body, err := callback.ReadBody(r)
	if err == nil && !c.h.clock().Before(deadline) { // a ResponseWriter without deadlines
		err = callback.ErrTooSlow
	}
	if err != nil {
		return notRead(err)
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
		return notAuthenticated(err)
	}
	if caller.AppID == "" && !caller.RobotKey.IsZero() {
		return notAuthenticated(errors.New("a robot signed, and robots have no documents"))
	}
	c.req.AppID = caller.AppID
	for _, named := range r.Header[headerAppID] {
		if c.req.AppID == "" {
			c.req.AppID = named
		}
		if named != "" && named != c.req.AppID {
			return notAuthenticated(errors.New("X-App-Id names another app than the one that signed"))
		}
	}
	c.req.WebOfficeToken = signing.NewSecret(r.Header.Get(headerToken))
	c.req.UserQuery = r.Header.Get(headerUserQuery)
	return nil
}

// route finds the callback, and checks what its path holds.
func (c *call) route(r *http.Request) error {
	op, id, version := route(r.URL.EscapedPath())
	how := &operations[op]
	switch {
	case op == opNone:
		return refuse(http.StatusNotFound, callback.CodeNotFound, "no such callback", nil)
	case how.needs&^c.h.served != 0:
		return refuse(http.StatusNotFound, callback.CodeNotFound, "this callback is not served here", nil)
	case r.Method != how.method:
		c.w.Header().Set("Allow", how.method)
		return refuse(http.StatusMethodNotAllowed, callback.CodeInvalid, "method not allowed", nil)
	}
	c.op = op
	if op == opUsers {
		return nil
	}
	if err := c.setFileID(id); err != nil {
		return err
	}
	if op == opVersion || op == opVersionDownload {
		return c.setVersion(version)
	}
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
	case tooLong(id, MaxFileIDLength):
		err = invalid("the file id is longer than 47 characters (protocol 8)")
	case !utf8.ValidString(id) || strings.ContainsFunc(id, unicode.IsControl):
		err = invalid("the file id is no text")
	default:
		err = c.h.cfg.CheckID(id)
	}
	if err != nil {
		return &refusedID{id: id, error: orElse(err, ErrInvalid)}
	}
	c.req.FileID = id
	return nil
}

func (c *call) setVersion(text string) error {
	version, err := strconv.ParseUint(text, 10, 32)
	if err != nil || version == 0 {
		return invalid("a version is a number from 1 on (protocol 2.4)")
	}
	c.version = uint32(version)
	return nil
}

// tooLong counts characters, and only where bytes leave a doubt.
func tooLong(s string, limit int) bool { return len(s) > limit && utf8.RuneCountInString(s) > limit }

// ask asks the store, and writes what it says.
func (c *call) ask(r *http.Request) error {
	switch c.op {
	case opFile:
		return c.file(r)
	case opDownload:
		return c.download(r)
	case opPermission:
		return c.permission(r)
	case opUsers:
		return c.users(r)
	case opRename:
		return c.rename(r)
	case opVersions:
		return c.versions(r)
	case opVersion:
		return c.oneVersion(r)
	case opVersionDownload:
		return c.versionDownload(r)
	case opPrepareUpload:
		return c.prepareUpload(r)
	case opUploadAddress:
		return c.uploadAddress(r)
	default:
		return c.completeUpload(r)
	}
}

func (c *call) file(r *http.Request) error {
	f, err := c.h.cfg.Store.File(r.Context(), c.req)
	if err != nil {
		return err
	}
	return c.success(r, f)
}

func (c *call) download(r *http.Request) error {
	d, err := c.h.cfg.Store.Download(r.Context(), c.req)
	if err != nil {
		return err
	}
	return c.successDownload(r, d)
}

func (c *call) permission(r *http.Request) error {
	p, err := c.h.cfg.Store.Permission(r.Context(), c.req)
	if err != nil {
		return err
	}
	if p.UserID == "" {
		p.UserID = c.req.UserID
	}
	if err := p.check(c.h.served | c.h.cfg.Elsewhere); err != nil {
		return err
	}
	c.advisePermission(r, &p)
	c.out = append(appendPermission(append(c.out, success...), &p), '}')
	return nil
}
