package previewtest

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/signing"
)

// document is one of a fixture, and what the store says of it.
type document struct {
	s  *subject
	r  preview.Request
	id string  // of r
	v  *Viewer // calls the store through a Handler, as the user of r

	file       answered[preview.File]
	permission answered[preview.Permission]
	download   answered[preview.Download]
	bytes      answered[fetched]
}

func (s *subject) document(r preview.Request) *document {
	d := &document{s: s, r: r, id: r.FileID}
	d.v = &Viewer{base: defaultBaseURL, callbacks: d, token: r.WebOfficeToken, userQuery: signing.NewSecret(r.UserQuery)}
	return d
}

// Do calls a Handler without a connection: the context of a request may have ended. Its
// error is what the Handler was to make an answer of.
func (d *document) Do(r *http.Request) (*http.Response, error) {
	var cause error
	cfg := d.s.Config
	cfg.Auth = func(*http.Request) (signing.Caller, error) { return signing.Caller{AppID: d.r.AppID}, nil }
	cfg.CheckID = func(string) error { return nil } // It has a rule of its own.
	cfg.MapError = func(err error) preview.Reply {
		cause = err
		return preview.DefaultReply(err)
	}
	h, _ := preview.NewHandler(cfg) // newSubject has seen that there is no error
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if cause != nil {
		return nil, said{cause}
	}
	return w.Result(), nil
}

// said is the error that a store returned, or the rules that its answer breaks.
type said struct{ error }

func (s said) Unwrap() error { return s.error }

// rules gives those of which the error consists, or none: what a store wraps is an error of
// its own.
func (s said) rules() (rules []*preview.RuleError) {
	all := []error{s.error}
	if joined, ok := s.error.(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	}
	for _, one := range all {
		rule, ok := one.(*preview.RuleError) //nolint:errorlint // See above.
		if !ok {
			return nil
		}
		rules = append(rules, rule)
	}
	return rules
}

// answered is what a callback was answered with.
type answered[T any] struct {
	asked bool
	value T
	err   error
}

func (a *answered[T]) once(ask func() (T, error)) (T, error) {
	if !a.asked {
		a.asked = true
		a.value, a.err = ask()
	}
	return a.value, a.err
}

// asking asks the store something about a document.
type asking func(ctx context.Context, d *document) error

func asks[T any](method func(*document, context.Context) (T, error)) asking {
	return func(ctx context.Context, d *document) error { return failure(method(d, ctx)) }
}

func askDownload(ctx context.Context, d *document) error { return failure(d.v.Download(ctx, d.id)) }

func failure[T any](_ T, err error) error { return err }

// other gives err unless it is about rules, which the rules about fields report.
func other(err error) error {
	var store said
	if errors.As(err, &store) && store.rules() != nil {
		return nil
	}
	return err
}

// about gives the rules about fields that an answer breaks.
func about(err error, fields ...string) error {
	var store said
	if !errors.As(err, &store) {
		return quiet(err)
	}
	var found []error
	for _, broken := range store.rules() {
		if slices.Contains(fields, broken.Field[strings.LastIndexByte(broken.Field, '.')+1:]) {
			found = append(found, broken)
		}
	}
	return errors.Join(found...)
}

func (d *document) File(ctx context.Context) (preview.File, error) {
	return d.file.once(func() (preview.File, error) { return d.v.File(ctx, d.id) })
}

func (d *document) Permission(ctx context.Context) (preview.Permission, error) {
	return d.permission.once(func() (preview.Permission, error) { return d.v.Permission(ctx, d.id) })
}

// Download is skipped for a user who may not read.
func (d *document) Download(ctx context.Context) (preview.Download, error) {
	if p, err := d.Permission(ctx); err != nil || !p.Read {
		return preview.Download{}, skipped("no user of Existing may read")
	}
	return d.download.once(func() (preview.Download, error) { return d.v.Download(ctx, d.id) })
}

// Bytes fetches what Download says. If there is nothing to fetch it is skipped: another
// rule says why.
func (d *document) Bytes(ctx context.Context) (fetched, error) {
	download, err := d.Download(ctx)
	if err != nil {
		return fetched{}, skipped("there is no download to fetch")
	}
	return d.bytes.once(func() (fetched, error) { return fetch(ctx, d.s.Get, download, nil) })
}

// identified is the request with its user.
func (d *document) identified(ctx context.Context) (r preview.Request, err error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(d.s.Config.Timeout, preview.DefaultTimeout))
	defer cancel()
	r = d.r
	if identify := d.s.Config.Identify; identify != nil {
		r.UserID, err = identify(ctx, r)
	}
	return r, err
}
