package previewtest

import (
	"context"
	"errors"
	"fmt"

	"github.com/weboffice-go/weboffice/preview"
)

// denied reports a method that does not refuse somebody, or not as it should.
func (s *subject) denied(method string, err error, also ...error) error {
	switch {
	case err == nil:
		return errors.New(method + " answers")
	case !s.is(err, append(also, preview.ErrForbidden, preview.ErrUnauthorized, preview.ErrNotFound)...):
		return fmt.Errorf("%s refuses with code %d, and not with %d: %w", method, s.code(err), s.code(preview.ErrForbidden), err)
	}
	return nil
}

// everyDenied calls check for each user of the fixture who may not do something.
func (s *subject) everyDenied(ctx context.Context, may func(preview.Permission) bool, check func(d *document) error) error {
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
	var errs []error
	for _, d := range who {
		if err := check(d); err != nil {
			errs = append(errs, fmt.Errorf("%q: %w", d.r.FileID, err))
		}
	}
	return errors.Join(errs...)
}

// twin gives the document of d with a user who may.
func (d *document) twin(ctx context.Context, may func(preview.Permission) bool) *document {
	for _, other := range d.s.docs {
		p, err := other.Permission(ctx)
		if _, fileErr := other.File(ctx); err == nil && fileErr == nil && other.r.FileID == d.r.FileID && may(p) {
			return other
		}
	}
	return nil
}

func mayRead(p preview.Permission) bool   { return p.Read }
func mayEdit(p preview.Permission) bool   { return p.Update }
func mayRename(p preview.Permission) bool { return p.Rename }

func historyDenied(ctx context.Context, s *subject) error {
	if s.Config.History == nil {
		return skipped("there is no History")
	}
	return s.everyDenied(ctx, mayRead, func(d *document) error {
		version := uint32(1)
		if twin := d.twin(ctx, mayRead); twin != nil {
			version = twin.file.value.Version
		}
		_, listErr := d.versions(ctx, preview.Page{})
		_, versionErr := d.version(ctx, version)
		return errors.Join(
			s.denied("Versions", listErr),
			s.denied("Version", versionErr, preview.ErrVersionNotFound),
			s.denied("DownloadVersion", d.s.with(ctx, d.r, func(ctx context.Context, r preview.Request) error {
				_, err := s.Config.History.DownloadVersion(ctx, r, version)
				return err
			}), preview.ErrVersionNotFound),
		)
	})
}

func saveDenied(ctx context.Context, s *subject) error {
	if s.Config.Saver == nil {
		return skipped("there is no Saver")
	}
	return s.everyDenied(ctx, mayEdit, func(d *document) error {
		upload := announced("document.docx", []byte("denied"), nil)
		done := &saving{d: d, upload: upload, got: claimed(nil)}
		if twin := d.twin(ctx, mayEdit); twin != nil { // whose upload is there to be completed
			if save, err := twin.announce(ctx); err == nil && save.send(ctx, save.body) {
				done.upload, done.got = save.upload, save.got
			}
		}
		_, completeErr := done.completeAgain(ctx)
		return errors.Join(
			s.denied("PrepareUpload", s.with(ctx, d.r, func(ctx context.Context, r preview.Request) error {
				_, err := s.Config.Saver.PrepareUpload(ctx, r)
				return err
			})),
			s.denied("UploadAddress", s.with(ctx, d.r, func(ctx context.Context, r preview.Request) error {
				_, err := s.Config.Saver.UploadAddress(ctx, r, upload)
				return err
			})),
			s.denied("CompleteUpload", completeErr, preview.ErrNotUploaded, preview.ErrInvalid),
		)
	})
}

func renameDenied(ctx context.Context, s *subject) error {
	if s.Config.Renamer == nil {
		return skipped("there is no Renamer")
	}
	return s.everyDenied(ctx, mayRename, func(d *document) error {
		return s.denied("Rename", d.rename(ctx, "denied.docx"))
	})
}
