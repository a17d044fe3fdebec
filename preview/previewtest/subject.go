package previewtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"

	"github.com/weboffice-go/weboffice/internal/callback"
	"github.com/weboffice-go/weboffice/internal/redact"
	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/signing"
)

// subject is a fixture under check. It asks for each document once, and the rules
// look at the answers. It is not safe for concurrent use.
type subject struct {
	Fixture
	docs []*document
}

// newSubject reports what keeps f from being checked at all.
func newSubject(f Fixture) (*subject, error) {
	f.Config.Auth, f.Config.Logger = signing.Unsigned, slog.New(slog.DiscardHandler)
	_, err := preview.NewHandler(f.Config)
	if err != nil {
		err = fmt.Errorf("previewtest: fixture: Config: %w", err)
	}
	if len(f.Existing) == 0 {
		err = errors.Join(errors.New("previewtest: fixture: Existing is required"), err)
	}
	if err != nil {
		return nil, err
	}
	if f.Config.CheckID == nil {
		f.Config.CheckID = preview.DefaultCheckID
	}
	if f.Config.MapError == nil {
		f.Config.MapError = preview.DefaultReply
	}
	if f.Get == nil {
		f.Get = fetchable
	}
	if f.Put == nil {
		f.Put = func(ctx context.Context, a preview.UploadAddress, body []byte) (preview.UploadResult, error) {
			return upload(ctx, &http.Client{}, a, preview.Upload{Size: int64(len(body))}, bytes.NewReader(body))
		}
	}
	s := &subject{Fixture: f}
	for _, r := range f.Existing {
		s.docs = append(s.docs, s.document(r))
	}
	return s, nil
}

// fetchable is overHTTP without the hosts that cannot exist.
func fetchable(ctx context.Context, d preview.Download) (io.ReadCloser, error) {
	if u, err := url.Parse(d.URL); err == nil && regexp.MustCompile(reserved).MatchString(u.Hostname()) {
		return nil, skipped("the address is at a name that is reserved for documentation; see Fixture.Get")
	}
	return overHTTP(&http.Client{})(ctx, d)
}

// reserved are the hosts of RFC 2606.
const reserved = `(?i)(^|\.)(test|invalid|example(\.(com|net|org))?)$`

// guard turns a panic of a store into an error.
func guard(f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = callback.Recovered(value)
		}
	}()
	return f()
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
			errs = append(errs, fmt.Errorf("%q: %w", d.id, err))
		}
	}
	return errors.Join(errs...)
}

// has skips what needs a part of the Config that is not there.
func (s *subject) has(part string, there bool) error {
	if !there {
		return skipped("there is no " + part)
	}
	return nil
}

// permitted gives the existing documents whose user may do something: all of them, or
// those of one id.
func (s *subject) permitted(ctx context.Context, id string, may func(preview.Permission) bool) (who []*document) {
	for _, d := range s.docs {
		p, err := d.Permission(ctx)
		if _, fileErr := d.File(ctx); err == nil && fileErr == nil && (id == "" || id == d.id) && may(p) {
			who = append(who, d)
		}
	}
	return who
}

func mayRead(p preview.Permission) bool   { return p.Read }
func mayEdit(p preview.Permission) bool   { return p.Update }
func mayRename(p preview.Permission) bool { return p.Rename }

// editor is the first document whose Permission has a flag that needs a part of the Config.
func (s *subject) editor(ctx context.Context, part string, there bool, flag string, may func(preview.Permission) bool) (*document, error) {
	if err := s.has(part, there); err != nil {
		return nil, err
	}
	who := s.permitted(ctx, "", may)
	if len(who) == 0 {
		return nil, skipped("no Permission of Existing has " + flag)
	}
	return who[0], nil
}

// code is the code with which err is answered.
func (s *subject) code(err error) int {
	var store said
	if errors.As(err, &store) {
		err = store.error
	}
	return s.Config.MapError(err).Code
}

// is reports whether err is answered as one of wanted would be.
func (s *subject) is(err error, wanted ...error) bool {
	return slices.ContainsFunc(wanted, func(want error) bool {
		return errors.Is(err, want) || s.code(err) == s.code(want)
	})
}

// refused reports a call of what that was answered, or refused in none of the wanted ways.
func (s *subject) refused(what string, err error, wanted ...error) error {
	switch {
	case other(err) == nil:
		return errors.New(what + " is answered")
	case !s.is(err, wanted...):
		return fmt.Errorf("%s is refused with code %d, and not with %d: %w", what, s.code(err), s.code(wanted[0]), err)
	}
	return nil
}

// denied reports a method that does not refuse a user, or not as it should.
func (s *subject) denied(method string, err error, also ...error) error {
	return s.refused(method, err, append([]error{preview.ErrForbidden, preview.ErrUnauthorized, preview.ErrNotFound}, also...)...)
}
