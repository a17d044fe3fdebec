package previewtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"

	"github.com/weboffice-go/weboffice/preview"
)

// refusalRules are about who and what is refused, and how.
func refusalRules() []rule {
	return []rule{
		refusal("missing-file", "File of a document that does not exist is ErrNotFound",
			func(s *subject) preview.Request { return s.Missing }, (*subject).file, preview.ErrNotFound),
		refusal("missing-download", "Download of a document that does not exist is ErrNotFound",
			func(s *subject) preview.Request { return s.Missing }, (*subject).download, preview.ErrNotFound),
		{"missing-permission", "Permission of a document that does not exist is no internal error", false, func(ctx context.Context, s *subject) error {
			if s.Missing.FileID == "" {
				return skipped("the fixture has no Missing")
			}
			if err := s.permission(ctx, s.Missing); err != nil && s.unknown(err) {
				return fmt.Errorf("it is code %d: %w", s.code(err), err)
			}
			return nil
		}},
		{"missing-elsewhere", "Renamer, HistoryStore and Saver refuse a document that does not exist, with ErrNotFound", true, missingElsewhere},
		{"denied-permission", "a user who may not read has a Permission that allows nothing, or ErrForbidden", false, func(ctx context.Context, s *subject) error {
			if s.Denied.FileID == "" {
				return skipped("the fixture has no Denied")
			}
			d := &document{s: s, r: s.Denied}
			p, err := d.Permission(ctx)
			p.UserID = ""
			switch {
			case err == nil && p != preview.Permission{}:
				return fmt.Errorf("it allows something: %v", p)
			case err != nil && !s.is(err, preview.ErrForbidden, preview.ErrUnauthorized, preview.ErrNotFound):
				return fmt.Errorf("it is code %d: %w", s.code(err), err)
			}
			return nil
		}},
		refusal("denied-download", "Download refuses a user who may not read, by itself, with ErrForbidden",
			func(s *subject) preview.Request { return s.Denied }, (*subject).download,
			preview.ErrForbidden, preview.ErrUnauthorized, preview.ErrNotFound),
		refusal("nobody-permission", "Permission for a token that is nobody's is ErrUnauthorized",
			func(s *subject) preview.Request { return s.NoUser }, (*subject).permission, preview.ErrUnauthorized),
		refusal("nobody-download", "Download refuses a token that is nobody's",
			func(s *subject) preview.Request { return s.NoUser }, (*subject).download,
			preview.ErrUnauthorized, preview.ErrForbidden, preview.ErrNotFound),
		{"error-text", "the text of an error that is not known does not reach the caller", false, hidesErrors},
	}
}

// refusal is a rule that a call fails in one of some ways.
func refusal(name, explain string, request func(*subject) preview.Request,
	call func(*subject, context.Context, preview.Request) error, wanted ...error,
) rule {
	return rule{name, explain, false, func(ctx context.Context, s *subject) error {
		r := request(s)
		if r.FileID == "" {
			return skipped("the fixture has no such request")
		}
		switch err := call(s, ctx, r); {
		case err == nil:
			return fmt.Errorf("%q is answered", r.FileID)
		case !s.is(err, wanted...):
			return fmt.Errorf("%q is refused with code %d, and not with %d: %w", r.FileID, s.code(err), s.code(wanted[0]), err)
		}
		return nil
	}}
}

// unknown reports whether err is answered as an internal error.
func (s *subject) unknown(err error) bool { return s.code(err) == s.code(errors.New("unknown")) }

func (s *subject) file(ctx context.Context, r preview.Request) error {
	_, err := (&document{s: s, r: r}).File(ctx)
	return err
}

func (s *subject) permission(ctx context.Context, r preview.Request) error {
	_, err := (&document{s: s, r: r}).Permission(ctx)
	return err
}

func (s *subject) download(ctx context.Context, r preview.Request) error {
	_, err := (&document{s: s, r: r}).newDownload(ctx)
	return err
}

// hidesErrors puts a store that only fails under the rest of the Config.
func hidesErrors(ctx context.Context, s *subject) error {
	text := rand.Text()
	cfg := s.Config
	cfg.Store = failing{errors.New(text)}
	cfg.Logger = slog.New(slog.DiscardHandler)
	h, err := preview.NewHandler(cfg)
	if err != nil {
		return err
	}
	r := s.Existing[0]
	v, err := NewViewer(ViewerConfig{Handler: h, WebOfficeToken: r.WebOfficeToken, UserQuery: r.Query()})
	if err != nil {
		return err
	}
	res, err := v.Do(ctx, http.MethodGet, filePath(r.FileID), nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if strings.Contains(string(body), text) {
		return errors.New("MapError passes it on")
	}
	return nil
}

// failing is a store that answers nothing.
type failing struct{ err error }

func (f failing) File(context.Context, preview.Request) (preview.File, error) {
	return preview.File{}, f.err
}

func (f failing) Download(context.Context, preview.Request) (preview.Download, error) {
	return preview.Download{}, f.err
}

func (f failing) Permission(context.Context, preview.Request) (preview.Permission, error) {
	return preview.Permission{}, f.err
}
