package previewtest

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/signing"
)

// document is one of a fixture, and what the store says of it.
type document struct {
	s *subject
	r preview.Request

	file       answered[preview.File]
	permission answered[preview.Permission]
	download   answered[preview.Download]
	bytes      answered[fetched]
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

func failure[T any](_ T, err error) error { return err }

// ask makes a callback to a Handler, as the user of d. The error is what the store
// returned, or it is faulty.
func ask[T any](d *document, call func(v *Viewer) (T, error)) (value T, err error) {
	var cause error
	cfg := d.s.Config
	cfg.Auth = func(*http.Request) (signing.Caller, error) { return signing.Caller{AppID: d.r.AppID}, nil }
	cfg.CheckID = func(string) error { return nil } // It has a rule of its own.
	cfg.MapError = func(err error) preview.Reply {
		cause = err
		return preview.DefaultReply(err)
	}
	h, err := preview.NewHandler(cfg)
	if err != nil {
		return value, err
	}
	value, err = call(&Viewer{
		base: defaultBaseURL, callbacks: &http.Client{Transport: direct{h}},
		token: d.r.WebOfficeToken, userQuery: signing.NewSecret(d.r.UserQuery),
	})
	if rules := rulesOf(cause); rules != nil {
		return value, faulty{cause, rules}
	}
	return value, cmp.Or(cause, err)
}

// direct calls a Handler as it is, with a context that may have ended.
type direct struct{ http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w.Result(), nil
}

// faulty is an answer of a store that the Handler does not send, for the rules that it
// breaks. The rules about fields report it, and no others.
type faulty struct {
	error
	rules []*preview.RuleError
}

// rulesOf gives the rules of which err consists, or none. What a store wraps is an error of
// its own.
func rulesOf(err error) (rules []*preview.RuleError) {
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
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

// other gives err unless it is faulty.
func other(err error) error {
	if errors.As(err, new(faulty)) {
		return nil
	}
	return err
}

// about gives the rules about fields that a faulty answer breaks.
func about(err error, fields ...string) error {
	var answer faulty
	if !errors.As(err, &answer) {
		return quiet(err)
	}
	var found []error
	for _, broken := range answer.rules {
		if slices.Contains(fields, broken.Field[strings.LastIndexByte(broken.Field, '.')+1:]) {
			found = append(found, broken)
		}
	}
	return errors.Join(found...)
}

// again is d before anything was asked.
func (d *document) again() *document { return &document{s: d.s, r: d.r} }

func (d *document) File(ctx context.Context) (preview.File, error) {
	return d.file.once(func() (preview.File, error) {
		return ask(d, func(v *Viewer) (preview.File, error) { return v.File(ctx, d.r.FileID) })
	})
}

func (d *document) Permission(ctx context.Context) (preview.Permission, error) {
	return d.permission.once(func() (preview.Permission, error) {
		return ask(d, func(v *Viewer) (preview.Permission, error) { return v.Permission(ctx, d.r.FileID) })
	})
}

// Download is skipped for a user who may not read.
func (d *document) Download(ctx context.Context) (preview.Download, error) {
	if p, err := d.Permission(ctx); err != nil || !p.Read {
		return preview.Download{}, skipped("no user of Existing may read")
	}
	return d.download.once(func() (preview.Download, error) { return d.newDownload(ctx) })
}

func (d *document) newDownload(ctx context.Context) (preview.Download, error) {
	return ask(d, func(v *Viewer) (preview.Download, error) { return v.Download(ctx, d.r.FileID) })
}

// Bytes fetches what Download says. If there is nothing to fetch it is skipped: another
// rule says why.
func (d *document) Bytes(ctx context.Context) (fetched, error) {
	download, err := d.Download(ctx)
	if err != nil {
		return fetched{}, skipped("there is no download to fetch")
	}
	return d.bytes.once(func() (fetched, error) { return fetch(ctx, d.s.Get, download, io.Discard) })
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
