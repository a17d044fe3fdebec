package previewtest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/weboffice-go/weboffice/internal/callback"
	"github.com/weboffice-go/weboffice/internal/redact"
	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/signing"
)

// subject is a fixture under check. It asks for each document once, and the rules
// look at the answers. It is not safe for concurrent use.
type subject struct {
	Fixture
	open opener
	docs []*document
}

// document is one of Fixture.Existing, and what the store says of it.
type document struct {
	s *subject
	r preview.Request

	user       answered[struct{}]
	file       answered[preview.File]
	permission answered[preview.Permission]
	download   answered[preview.Download]
	verdicts   map[string][]*preview.RuleError
	bytes      answered[fetched]
}

// answered is what a method of a store returned.
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

// newSubject reports what keeps f from being checked at all.
func newSubject(f Fixture) (*subject, error) {
	var errs []error
	if len(f.Existing) == 0 {
		errs = append(errs, errors.New("previewtest: fixture: Existing is required"))
	}
	f.Config.Auth, f.Config.Logger = signing.Unsigned, slog.New(slog.DiscardHandler)
	if _, err := preview.NewHandler(f.Config); err != nil {
		errs = append(errs, fmt.Errorf("previewtest: fixture: Config: %w", err))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	f.Config.Timeout = cmp.Or(f.Config.Timeout, preview.DefaultTimeout)
	if f.Config.CheckID == nil {
		f.Config.CheckID = preview.DefaultCheckID
	}
	if f.Config.MapError == nil {
		f.Config.MapError = preview.DefaultReply
	}
	if f.Put == nil {
		f.Put = func(ctx context.Context, a preview.UploadAddress, body []byte) (preview.UploadResult, error) {
			return upload(ctx, &http.Client{}, a, preview.Upload{Size: int64(len(body))}, bytes.NewReader(body))
		}
	}
	s := &subject{Fixture: f, open: f.Get}
	if s.open == nil {
		s.open = fetchable
	}
	for _, r := range f.Existing {
		s.docs = append(s.docs, &document{s: s, r: r})
	}
	return s, nil
}

// fetchable is overHTTP without the hosts that nobody can have.
func fetchable(ctx context.Context, d preview.Download) (io.ReadCloser, error) {
	if u, err := url.Parse(d.URL); err == nil && reserved(u.Hostname()) {
		return nil, skipped("the address is at a name that is reserved for documentation; see Fixture.Get")
	}
	return overHTTP(&http.Client{})(ctx, d)
}

// reserved reports whether host is one of RFC 2606.
func reserved(host string) bool {
	return slices.ContainsFunc([]string{".example", ".test", ".invalid", ".example.com", ".example.net", ".example.org"}, func(suffix string) bool {
		return strings.HasSuffix("."+strings.ToLower(host), suffix)
	})
}

// guard turns a panic of a store into an error.
func guard(f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = callback.Recovered(value)
		}
	}()
	return f()
}

// with calls f as the Handler would: with the user identified, and with Timeout.
func (s *subject) with(ctx context.Context, r preview.Request, f func(context.Context, preview.Request) error) error {
	ctx, cancel := context.WithTimeout(ctx, s.Config.Timeout)
	defer cancel()
	return guard(func() error {
		if s.Config.Identify != nil {
			user, err := s.Config.Identify(ctx, r)
			if err != nil {
				return err
			}
			r.UserID = user
		}
		return f(ctx, r)
	})
}

// code is the code with which err is answered.
func (s *subject) code(err error) int { return s.Config.MapError(err).Code }

// is reports whether err is answered as one of wanted would be.
func (s *subject) is(err error, wanted ...error) bool {
	return err != nil && slices.ContainsFunc(wanted, func(want error) bool {
		return errors.Is(err, want) || s.code(err) == s.code(want)
	})
}

// has skips what needs a part of the Config that is not there.
func (s *subject) has(part string, there bool) error {
	if !there {
		return skipped("there is no " + part)
	}
	return nil
}

// each checks every existing document, and joins what is wrong.
func (s *subject) each(check func(d *document) error) error {
	var errs []error
	skips := 0
	for _, d := range s.docs {
		err := check(d)
		switch reason := quiet(err); {
		case reason != nil:
			if skips++; skips == len(s.docs) {
				return reason
			}
		case err != nil:
			errs = append(errs, fmt.Errorf("%q: %w", d.r.FileID, err))
		}
	}
	return errors.Join(errs...)
}

// run checks one rule, and keeps the tokens of the fixture out of what a store says.
func (s *subject) run(ctx context.Context, r rule) error {
	err := guard(func() error { return r.check(ctx, s) })
	if reason := quiet(err); reason != nil {
		return reason
	}
	var tokens []signing.Secret
	for _, r := range append([]preview.Request{s.Missing, s.Denied, s.NoUser}, s.Existing...) {
		tokens = append(tokens, r.WebOfficeToken)
	}
	known := func(text string) bool { return slices.Contains(s.UserIDs, text) }
	return redact.Error(err, slices.DeleteFunc(hidden(tokens...), known)...)
}

// ask calls a method of the store for d.
func ask[T any](ctx context.Context, d *document, method func(context.Context, preview.Request) (T, error)) (value T, err error) {
	err = d.s.with(ctx, d.r, func(ctx context.Context, r preview.Request) error {
		value, err = method(ctx, r)
		return err
	})
	return value, err
}

func (d *document) File(ctx context.Context) (preview.File, error) {
	return d.file.once(func() (preview.File, error) { return ask(ctx, d, d.s.Config.Store.File) })
}

// Permission has the user that Identify found, as the Handler fills it in.
func (d *document) Permission(ctx context.Context) (preview.Permission, error) {
	return d.permission.once(func() (preview.Permission, error) {
		return ask(ctx, d, func(ctx context.Context, r preview.Request) (preview.Permission, error) {
			p, err := d.s.Config.Store.Permission(ctx, r)
			p.UserID = cmp.Or(p.UserID, r.UserID)
			return p, err
		})
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
	return ask(ctx, d, d.s.Config.Store.Download)
}

// Bytes fetches what Download says. Where there is nothing to fetch, it is
// skipped: another rule says why.
func (d *document) Bytes(ctx context.Context) (fetched, error) {
	download, err := d.Download(ctx)
	if err != nil || !absolute(download.URL) || headerProblem(download.Header) != "" {
		return fetched{}, skipped("there is no download to fetch")
	}
	return d.bytes.once(func() (fetched, error) { return fetch(ctx, d.s.open, download, io.Discard) })
}
