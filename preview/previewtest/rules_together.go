package previewtest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weboffice-go/weboffice/preview"
)

// togetherRules are about saves that happen beside or after other saves.
var togetherRules = []rule{
	saveRule("save-together", "saves at the same time, of one user or of several, become one version each, with its own number and bytes (protocol 2.4)", (*saving).alone, saveTogether),
	saveRule("save-repeated-together", "CompleteUpload, called several times at once for one upload, makes one version (public reference 5)", (*saving).alone, saveRepeatedTogether),
	saveRule("save-kept", "an older version keeps its bytes after the next save (public reference 5)", (*saving).alone, saveKept),
	saveRule("save-address-used", "bytes sent to an upload address after CompleteUpload do not change the version (public reference 5)", (*saving).alone, func(ctx context.Context, save *saving) error {
		_, _ = save.d.s.Put(ctx, save.address, save.otherBytes()) // To refuse it is right, too.
		return saveVisible(ctx, save)
	}),
	saveRule("save-signed", "after a save ModifierID is the user who saved, ModifiedAt does not go back, and CreatorID and CreatedAt stay (protocol 2.4)", (*saving).alone, saveSigned),
}

// atOnce is how many saves, or repeats of one, are made at the same time.
const atOnce = 8

// alone completes save, twice, and reports whether the rules about a single save hold.
// If they do not, the rules about several have nothing to add.
func (save *saving) alone(ctx context.Context) bool {
	return save.complete(ctx) &&
		cmp.Or(saveVersion(ctx, save), saveVisible(ctx, save), saveRepeated(ctx, save), saveVisible(ctx, save), save.kept(ctx)) == nil
}

// saveTogether announces all saves, then uploads all, then completes all, so that each
// step of one is between those of the others.
func saveTogether(ctx context.Context, save *saving) error {
	editors := save.d.s.permitted(ctx, save.d.id, mayEdit)
	saves := make([]*saving, atOnce)
	for i := range saves {
		// Each has a size of its own, so that no two are taken for the same.
		body := append(slices.Clone(save.body), strings.Repeat("+", i+1)...)
		var err error
		if saves[i], err = editors[i%len(editors)].announce(ctx, body); err != nil {
			return fmt.Errorf("save %d, announced before the others are completed: %w", i+1, err)
		}
	}
	for _, step := range []func(s *saving) error{
		func(s *saving) error { s.send(ctx, s.body); return s.err },
		func(s *saving) (err error) { s.after, err = s.completeAgain(ctx); return err },
	} {
		if err := parallel(atOnce, func(i int) error { return step(saves[i]) }); err != nil {
			return err
		}
	}
	slices.SortFunc(saves, func(a, b *saving) int { return cmp.Compare(a.after.Version, b.after.Version) })
	for i, s := range saves {
		if want := save.after.Version + uint32(i) + 1; s.after.Version != want {
			return fmt.Errorf("%d saves of version %d: one is version %d where %d was next", atOnce, save.after.Version, s.after.Version, want)
		}
		if err := s.kept(ctx); err != nil {
			return err
		}
	}
	return saveVisible(ctx, saves[atOnce-1])
}

func saveRepeatedTogether(ctx context.Context, save *saving) error {
	next, err := save.d.announce(ctx, append(slices.Clone(save.body), '+'))
	if err != nil {
		return err
	}
	if !next.send(ctx, next.body) {
		return next.err
	}
	files := make([]preview.File, atOnce)
	if err := parallel(atOnce, func(i int) (err error) {
		files[i], err = next.completeAgain(ctx)
		return err
	}); err != nil {
		return err
	}
	next.after = files[0]
	for _, f := range files {
		if f != next.after {
			return fmt.Errorf("one call describes version %d, another version %d", next.after.Version, f.Version)
		}
	}
	return saveVisible(ctx, next)
}

// kept reports whether the version has the bytes of save, if there is a history to ask.
func (save *saving) kept(ctx context.Context) error {
	if save.d.s.Config.History == nil {
		return nil
	}
	download, err := save.d.v.DownloadVersion(ctx, save.d.id, save.after.Version)
	body, err := save.d.s.content(ctx, download, err)
	switch {
	case quiet(err) != nil:
		return nil
	case err != nil:
		return fmt.Errorf("version %d: %w", save.after.Version, err)
	case !bytes.Equal(body, save.body):
		return fmt.Errorf("version %d has other bytes than were saved as that version", save.after.Version)
	}
	return nil
}

func saveKept(ctx context.Context, save *saving) error {
	if save.d.s.Config.History == nil {
		return skipped("there is no History")
	}
	next, err := save.d.announce(ctx, save.otherBytes())
	if err != nil {
		return err
	}
	if !next.complete(ctx) {
		return next.err
	}
	return save.kept(ctx)
}

func saveSigned(ctx context.Context, save *saving) error {
	p, _ := save.d.Permission(ctx)
	before, after := save.before, save.after
	switch {
	case p.UserID != "" && after.ModifierID != p.UserID:
		return fmt.Errorf("ModifierID is %q, and %q saved", after.ModifierID, p.UserID)
	case after.ModifiedAt.Before(before.ModifiedAt):
		return fmt.Errorf("ModifiedAt was %v and is %v", before.ModifiedAt, after.ModifiedAt)
	case after.CreatorID != before.CreatorID || after.CreatedAt != before.CreatedAt:
		return errors.New("CreatorID or CreatedAt changed")
	}
	return nil
}
