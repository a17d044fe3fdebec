package previewtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/weboffice-go/weboffice/preview"
)

// refusalRules are about who and what is refused, and how.
var refusalRules = []rule{
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

// refusal is a rule that a call fails in one of some ways.
func refusal(name, explain string, request func(*subject) preview.Request,
	call func(*subject, context.Context, preview.Request) error, wanted ...error,
) rule {
	return rule{name, explain, false, func(ctx context.Context, s *subject) error {
		r := request(s)
		if r.FileID == "" {
			return skipped("the fixture has no such request")
		}
		return s.refused(strconv.Quote(r.FileID), call(s, ctx, r), wanted...)
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

// hidesErrors lets the Config fail before the store is asked.
func hidesErrors(ctx context.Context, s *subject) error {
	text := rand.Text()
	cfg := s.Config
	cfg.Identify = func(context.Context, preview.Request) (string, error) { return "", errors.New(text) }
	v, err := s.viewer(cfg, s.Existing[0])
	if err != nil {
		return err
	}
	_, err = v.File(ctx, s.Existing[0].FileID)
	var answer *AnswerError
	if errors.As(err, &answer) && strings.Contains(string(answer.Body), text) {
		return errors.New("MapError passes it on")
	}
	return nil
}

// refused reports a call of what that was answered, or refused in none of the wanted ways.
func (s *subject) refused(what string, err error, wanted ...error) error {
	switch {
	case err == nil:
		return errors.New(what + " is answered")
	case !s.is(err, wanted...):
		return fmt.Errorf("%s is refused with code %d, and not with %d: %w", what, s.code(err), s.code(wanted[0]), err)
	}
	return nil
}

// denied reports a method that does not refuse somebody, or not as it should.
func (s *subject) denied(method string, err error, also ...error) error {
	return s.refused(method, err, append([]error{preview.ErrForbidden, preview.ErrUnauthorized, preview.ErrNotFound}, also...)...)
}

// everyDenied calls check for each user of the fixture who may not do something with a
// part of the Config.
func (s *subject) everyDenied(ctx context.Context, part string, there bool, may func(preview.Permission) bool, check func(d *document) error) error {
	if err := s.has(part, there); err != nil {
		return err
	}
	var who []*document
	if s.Denied.FileID != "" {
		who = append(who, &document{s: s, r: s.Denied})
	}
	for _, d := range s.docs {
		if p, err := d.Permission(ctx); err == nil && !may(p) {
			who = append(who, d)
		}
	}
	if len(who) == 0 {
		return skipped("the fixture has no Denied, and the users of Existing may")
	}
	return (&subject{docs: who}).each(check)
}

// permitted gives the existing documents whose user may do something: all of them, or
// those of one id.
func (s *subject) permitted(ctx context.Context, id string, may func(preview.Permission) bool) (who []*document) {
	for _, d := range s.docs {
		p, err := d.Permission(ctx)
		if _, fileErr := d.File(ctx); err == nil && fileErr == nil && (id == "" || id == d.r.FileID) && may(p) {
			who = append(who, d)
		}
	}
	return who
}

func mayRead(p preview.Permission) bool   { return p.Read }
func mayEdit(p preview.Permission) bool   { return p.Update }
func mayRename(p preview.Permission) bool { return p.Rename }

func historyDenied(ctx context.Context, s *subject) error {
	return s.everyDenied(ctx, "History", s.Config.History != nil, mayRead, func(d *document) error {
		version := uint32(1)
		if twins := s.permitted(ctx, d.r.FileID, mayRead); len(twins) > 0 {
			version = twins[0].file.value.Version
		}
		_, listErr := d.versions(ctx, preview.Page{})
		_, versionErr := d.version(ctx, version)
		_, downloadErr := d.downloadVersion(ctx, version)
		return errors.Join(
			s.denied("Versions", listErr),
			s.denied("Version", versionErr, preview.ErrVersionNotFound),
			s.denied("DownloadVersion", downloadErr, preview.ErrVersionNotFound),
		)
	})
}

func saveDenied(ctx context.Context, s *subject) error {
	return s.everyDenied(ctx, "Saver", s.Config.Saver != nil, mayEdit, func(d *document) error {
		upload := announced("document.docx", []byte("denied"), nil)
		done := &saving{d: d, upload: upload, got: claimed(nil)}
		if twins := s.permitted(ctx, d.r.FileID, mayEdit); len(twins) > 0 { // whose upload is there to be completed
			if save, err := twins[0].announceBytes(ctx, append(twins[0].content(ctx), '\n')); err == nil && save.send(ctx, save.body) {
				done.upload, done.got = save.upload, save.got
			}
		}
		_, prepareErr := ask(ctx, d, s.Config.Saver.PrepareUpload)
		_, addressErr := ask(ctx, d, func(ctx context.Context, r preview.Request) (preview.UploadAddress, error) {
			return s.Config.Saver.UploadAddress(ctx, r, upload)
		})
		_, completeErr := done.completeAgain(ctx)
		return errors.Join(
			s.denied("PrepareUpload", prepareErr),
			s.denied("UploadAddress", addressErr),
			s.denied("CompleteUpload", completeErr, preview.ErrNotUploaded, preview.ErrInvalid),
		)
	})
}

func renameDenied(ctx context.Context, s *subject) error {
	return s.everyDenied(ctx, "Renamer", s.Config.Renamer != nil, mayRename, func(d *document) error {
		return s.denied("Rename", d.rename(ctx, "denied.docx"))
	})
}

// missingElsewhere asks what is not Store for a document that does not exist.
func missingElsewhere(ctx context.Context, s *subject) error {
	cfg := s.Config
	if s.Missing.FileID == "" || cfg.Renamer == nil && cfg.History == nil && cfg.Saver == nil {
		return skipped("the fixture has no Missing, or neither Renamer, History nor Saver")
	}
	d := &document{s: s, r: s.Missing}
	var errs []error
	if cfg.Renamer != nil {
		errs = append(errs, s.denied("Rename", d.rename(ctx, "missing.docx")))
	}
	if cfg.History != nil {
		_, err := d.versions(ctx, preview.Page{})
		errs = append(errs, s.denied("Versions", err))
	}
	if cfg.Saver != nil {
		d.file.value.Name = "missing.docx"
		_, err := d.announceBytes(ctx, []byte("missing"))
		errs = append(errs, s.denied("UploadAddress", err))
	}
	return errors.Join(errs...)
}
