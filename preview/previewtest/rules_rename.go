package previewtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/weboffice-go/weboffice/preview"
)

// renameRules are about Renamer, for the first document whose Permission has Rename, and
// about what refuses a document that does not exist beside Store.
var renameRules = []rule{
	renameRule("rename-visible", "after Rename, File has the new name (public reference 5)", func(ctx context.Context, d *document) error {
		name := "renamed-" + rand.Text()[:8] + path.Ext(d.file.value.Name)
		if err := d.v.Rename(ctx, d.id, name); err != nil {
			return err
		}
		f, err := d.v.File(ctx, d.id)
		if err == nil && f.Name != name {
			return fmt.Errorf("Name is %q after Rename to %q", f.Name, name)
		}
		return err
	}),
	renameRule("rename-conflict", "Rename to a name that is taken is ErrNameConflict, or leaves both documents as they are (public reference 5)", conflict),
	{"rename-denied", "Rename refuses a user who may not rename, with ErrForbidden (protocol 2.6 rule 3)", func(ctx context.Context, s *subject) error {
		return s.everyDenied(ctx, "Renamer", s.Config.Renamer != nil, mayRename, func(d *document) error {
			return s.denied("Rename", d.v.Rename(ctx, d.id, "denied.docx"))
		})
	}},
	requestRule("missing-elsewhere", "Renamer, HistoryStore and Saver refuse a document that does not exist, with ErrNotFound", missing, missingElsewhere),
}

func renameRule(name, explain string, check asking) rule {
	return rule{name, explain, func(ctx context.Context, s *subject) error {
		d, err := s.editor(ctx, "Renamer", s.Config.Renamer != nil, "Rename", mayRename)
		if err != nil {
			return err
		}
		return check(ctx, d)
	}}
}

// conflict renames d to the name of another document. A store in which several may
// have one name lets it, and keeps the other as it was.
func conflict(ctx context.Context, d *document) error {
	i := slices.IndexFunc(d.s.docs, func(other *document) bool {
		_, err := other.File(ctx)
		return err == nil && other.id != d.id
	})
	if i < 0 {
		return skipped("Existing has no second document")
	}
	other := d.s.docs[i]
	taken := other.file.value
	err := d.v.Rename(ctx, d.id, taken.Name)
	if err != nil && !d.s.is(err, preview.ErrNameConflict) {
		return d.s.refused("it", err, preview.ErrNameConflict)
	}
	f, err := other.v.File(ctx, other.id)
	if err != nil {
		return fmt.Errorf("the document that had the name: %w", err)
	}
	if f.Name != taken.Name || f.Size != taken.Size {
		return errors.New("the document that had the name is another one now")
	}
	return nil
}

// missingElsewhere asks what is not Store for a document that does not exist.
func missingElsewhere(ctx context.Context, d *document) error {
	s, cfg := d.s, d.s.Config
	if cfg.Renamer == nil && cfg.History == nil && cfg.Saver == nil {
		return skipped("there is neither Renamer, History nor Saver")
	}
	var errs []error
	if cfg.Renamer != nil {
		errs = append(errs, s.denied("Rename", d.v.Rename(ctx, d.id, "missing.docx")))
	}
	if cfg.History != nil {
		errs = append(errs, s.denied("Versions", failure(d.v.Versions(ctx, d.id, preview.Page{}))))
	}
	if cfg.Saver != nil {
		d.file.value.Name = "missing.docx"
		errs = append(errs, s.denied("UploadAddress", failure(d.announce(ctx, []byte("missing")))))
	}
	return errors.Join(errs...)
}
