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

// renameRules are about Renamer, for the first document whose Permission has Rename.
var renameRules = []rule{
	renameRule("rename-visible", "after Rename, File has the new name (public reference 5)", func(ctx context.Context, d *document) error {
		name := "renamed-" + rand.Text()[:8] + path.Ext(d.file.value.Name)
		if err := d.rename(ctx, name); err != nil {
			return err
		}
		f, err := (&document{s: d.s, r: d.r}).File(ctx)
		if err == nil && f.Name != name {
			return fmt.Errorf("Name is %q after Rename to %q", f.Name, name)
		}
		return err
	}),
	renameRule("rename-conflict", "Rename to a name that is taken is ErrNameConflict, or leaves both documents as they are (public reference 5)", conflict),
	{"rename-denied", "Rename refuses a user who may not rename, with ErrForbidden (protocol 2.6 rule 3)", true, renameDenied},
}

func renameRule(name, explain string, check func(ctx context.Context, d *document) error) rule {
	return rule{name, explain, true, func(ctx context.Context, s *subject) error {
		if err := s.has("Renamer", s.Config.Renamer != nil); err != nil {
			return err
		}
		d := s.editor(ctx, mayRename)
		if d == nil {
			return skipped("no Permission of Existing has Rename")
		}
		return check(ctx, d)
	}}
}

func (d *document) rename(ctx context.Context, name string) error {
	return d.s.with(ctx, d.r, func(ctx context.Context, r preview.Request) error {
		return d.s.Config.Renamer.Rename(ctx, r, name)
	})
}

// conflict renames d to the name of another document. A store in which several may
// have one name lets it, and keeps the other as it was.
func conflict(ctx context.Context, d *document) error {
	i := slices.IndexFunc(d.s.docs, func(other *document) bool {
		_, err := other.File(ctx)
		return err == nil && other.r.FileID != d.r.FileID
	})
	if i < 0 {
		return skipped("Existing has no second document")
	}
	other := d.s.docs[i]
	taken := other.file.value
	err := d.rename(ctx, taken.Name)
	if err != nil && !d.s.is(err, preview.ErrNameConflict) {
		return d.s.refused("it", err, preview.ErrNameConflict)
	}
	f, err := (&document{s: d.s, r: other.r}).File(ctx)
	if err != nil {
		return fmt.Errorf("the document that had the name: %w", err)
	}
	if f.Name != taken.Name || f.Size != taken.Size {
		return errors.New("the document that had the name is another one now")
	}
	return nil
}
