package previewtest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/weboffice-go/weboffice/preview"
)

// togetherRules are about saves that happen beside or after other saves.
var togetherRules = []rule{
	saveRule("save-together", "saves at the same time, of one user or of several, become one version each, with its own number and bytes (protocol 2.4)", saveTogether),
	saveRule("save-repeated-together", "CompleteUpload, called several times at once for one upload, makes one version (public reference 5)", saveRepeatedTogether),
	saveRule("save-kept", "an older version keeps its bytes after the next save (public reference 5)", saveKept),
	saveRule("save-address-used", "bytes sent to an upload address after CompleteUpload do not change the version (public reference 5)", saveAddressUsed),
	saveRule("save-signed", "after a save ModifierID is the user who saved, ModifiedAt does not go back, and CreatorID and CreatedAt stay (protocol 2.4)", saveSigned),
}

// atOnce is how many saves, or repeats of one, are made at the same time.
const atOnce = 8

// alone completes save, twice, and reports whether the rules about a single save hold.
// If they do not, the rules about several have nothing to add.
func (save *saving) alone(ctx context.Context) (preview.File, bool) {
	after, ok := save.complete(ctx)
	if !ok || after.Version != save.before.Version+1 || save.visible(ctx, after) != nil {
		return after, false
	}
	again, err := save.completeAgain(ctx)
	return after, err == nil && sameFile(after, again) && save.visible(ctx, after) == nil && save.kept(ctx, after) == nil
}

// parallel calls f for 0 to atOnce-1 at the same time, and joins the errors.
func parallel(f func(i int) error) error {
	errs := make([]error, atOnce)
	var group sync.WaitGroup
	for i := range errs {
		group.Go(func() {
			if err := guard(func() error { return f(i) }); err != nil {
				errs[i] = fmt.Errorf("%d of %d at once: %w", i+1, atOnce, err)
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

// saveTogether announces all saves, then uploads all, then completes all, so that each
// step of one is between those of the others.
func saveTogether(ctx context.Context, save *saving) error {
	first, ok := save.alone(ctx)
	if !ok {
		return nil
	}
	editors := save.d.s.permitted(ctx, save.d.r.FileID, mayEdit)
	saves := make([]*saving, atOnce)
	for i := range saves {
		// Each has a size of its own, so that no two are taken for the same.
		body := append(slices.Clone(save.body), strings.Repeat("+", i+1)...)
		var err error
		if saves[i], err = editors[i%len(editors)].announceBytes(ctx, body); err != nil {
			return fmt.Errorf("save %d, announced before the others are completed: %w", i+1, err)
		}
	}
	err := parallel(func(i int) error {
		saves[i].send(ctx, saves[i].body)
		return saves[i].err
	})
	if err != nil {
		return err
	}
	if err := parallel(func(i int) (err error) {
		saves[i].after, err = saves[i].completeAgain(ctx)
		return err
	}); err != nil {
		return err
	}
	slices.SortFunc(saves, func(a, b *saving) int { return cmp.Compare(a.after.Version, b.after.Version) })
	for i, s := range saves {
		if want := first.Version + uint32(i) + 1; s.after.Version != want {
			return fmt.Errorf("%d saves of version %d: one is version %d where %d was next", atOnce, first.Version, s.after.Version, want)
		}
		if err := s.kept(ctx, s.after); err != nil {
			return err
		}
	}
	newest := saves[atOnce-1]
	return newest.visible(ctx, newest.after)
}

func saveRepeatedTogether(ctx context.Context, save *saving) error {
	if _, ok := save.alone(ctx); !ok {
		return nil
	}
	next, err := save.d.announceBytes(ctx, append(slices.Clone(save.body), '+'))
	if err != nil || !next.send(ctx, next.body) {
		return errors.Join(err, next.err)
	}
	files := make([]preview.File, atOnce)
	if err := parallel(func(i int) (err error) {
		files[i], err = next.completeAgain(ctx)
		return err
	}); err != nil {
		return err
	}
	for _, f := range files {
		if !sameFile(f, files[0]) {
			return fmt.Errorf("one call describes version %d, another version %d", files[0].Version, f.Version)
		}
	}
	return next.visible(ctx, files[0])
}

// kept reports whether version f has the bytes of save, if there is a history to ask.
func (save *saving) kept(ctx context.Context, f preview.File) error {
	if save.d.s.Config.History == nil {
		return nil
	}
	var got bytes.Buffer
	download, err := save.d.downloadVersion(ctx, f.Version)
	if err == nil {
		_, err = fetch(ctx, save.d.s.open, download, &got)
	}
	switch {
	case quiet(err) != nil:
		return nil
	case err != nil:
		return fmt.Errorf("version %d: %w", f.Version, err)
	case !bytes.Equal(got.Bytes(), save.body):
		return fmt.Errorf("version %d has other bytes than were saved as that version", f.Version)
	}
	return nil
}

func saveKept(ctx context.Context, save *saving) error {
	if save.d.s.Config.History == nil {
		return skipped("there is no History")
	}
	first, ok := save.alone(ctx)
	if !ok {
		return nil
	}
	second, err := save.d.announceBytes(ctx, save.otherBytes())
	if err != nil {
		return err
	}
	if _, ok := second.complete(ctx); !ok {
		return second.err
	}
	return save.kept(ctx, first)
}

// otherBytes are as many as those of save.
func (save *saving) otherBytes() []byte {
	other := slices.Clone(save.body)
	other[len(other)-1] = ' '
	return other
}

func saveAddressUsed(ctx context.Context, save *saving) error {
	after, ok := save.alone(ctx)
	if !ok {
		return nil
	}
	_, _ = save.d.s.Put(ctx, save.address, save.otherBytes()) // To refuse it is right, too.
	return save.visible(ctx, after)
}

func saveSigned(ctx context.Context, save *saving) error {
	after, ok := save.alone(ctx)
	if !ok {
		return nil
	}
	p, _ := save.d.Permission(ctx)
	switch {
	case p.UserID != "" && after.ModifierID != p.UserID:
		return fmt.Errorf("ModifierID is %q, and %q saved", after.ModifierID, p.UserID)
	case after.ModifiedAt.Before(save.before.ModifiedAt):
		return fmt.Errorf("ModifiedAt was %v and is %v", save.before.ModifiedAt, after.ModifiedAt)
	case after.CreatorID != save.before.CreatorID || !after.CreatedAt.Equal(save.before.CreatedAt):
		return errors.New("CreatorID or CreatedAt changed")
	}
	return nil
}
