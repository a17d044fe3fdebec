package previewtest

import (
	"context"
	"fmt"
	"slices"

	"github.com/weboffice-go/weboffice/preview"
)

// saveRules are about Saver, for the first document whose Permission has Update.
func saveRules() []rule {
	return []rule{
		{"save-announced", "PrepareUpload and UploadAddress answer for a document whose Permission has Update (public reference 5)", true, func(ctx context.Context, s *subject) error {
			return s.save(ctx, func(_ *saving, err error) error { return err })
		}},
		saveRule("save-digests", "PrepareUpload gives digest types that there are (public reference 5)", saveDigests),
		saveRule("save-address", "UploadAddress gives an absolute URL, a Method of PUT or POST, and headers that can be sent (public reference 5)", saveAddress),
		saveRule("save-version", "CompleteUpload describes a version that is one higher than before (protocol 2.4)", saveVersion),
		saveRule("save-file", "CompleteUpload describes a file as File does (protocol 2.4)", saveFile),
		saveRule("save-completed", "CompleteUpload answers, and describes as many bytes as were uploaded (public reference 5)", saveCompleted),
		saveRule("save-repeated", "CompleteUpload, called again for the same upload, gives the same File (public reference 5)", saveRepeated),
		saveRule("save-visible", "after a save, File and Download are of what was uploaded (protocol 2.4)", saveVisible),
		saveRule("save-missing", "CompleteUpload of bytes that did not arrive is ErrNotUploaded, whatever the caller says (public reference 5)", saveMissing),
		saveRule("save-torn", "CompleteUpload of other bytes than were announced is ErrNotUploaded (public reference 5)", saveTorn),
		{"save-denied", "each method of Saver refuses a user who may not edit, by itself", true, saveDenied},
	}
}

func saveDigests(_ context.Context, save *saving) error {
	for _, t := range save.types {
		if !slices.Contains([]preview.DigestType{preview.MD5, preview.SHA1, preview.SHA256}, t) {
			return fmt.Errorf("it gives %q", t)
		}
	}
	return nil
}

func saveAddress(_ context.Context, save *saving) error { return save.addressProblem() }

func saveVersion(ctx context.Context, save *saving) error {
	after, ok := save.complete(ctx)
	if ok && after.Version != save.before.Version+1 {
		return fmt.Errorf("the version was %d and is %d", save.before.Version, after.Version)
	}
	return nil
}

func saveCompleted(ctx context.Context, save *saving) error {
	if save.addressProblem() != nil {
		return nil
	}
	after, _ := save.complete(ctx)
	if save.err == nil && after.Size != int64(len(save.body)) {
		return fmt.Errorf("%d bytes were uploaded, and Size is %d", len(save.body), after.Size)
	}
	return save.err
}

func saveRepeated(ctx context.Context, save *saving) error {
	first, ok := save.complete(ctx)
	if !ok {
		return nil
	}
	second, err := save.completeAgain(ctx)
	if err != nil {
		return err
	}
	if !sameFile(first, second) {
		return fmt.Errorf("%+v became %+v", first, second)
	}
	after := &document{s: save.d.s, r: save.d.r}
	if f, err := after.File(ctx); err == nil && f.Version == first.Version+1 {
		return fmt.Errorf("it is saved again, as version %d", f.Version)
	}
	return nil
}

func sameFile(a, b preview.File) bool {
	if !a.CreatedAt.Equal(b.CreatedAt) || !a.ModifiedAt.Equal(b.ModifiedAt) {
		return false
	}
	b.CreatedAt, b.ModifiedAt = a.CreatedAt, a.ModifiedAt // apart from zone and monotonic clock
	return a == b
}

func saveFile(ctx context.Context, save *saving) error {
	if after, ok := save.complete(ctx); ok {
		return fileProblem(save.d.r.FileID, after)
	}
	return nil
}

func saveVisible(ctx context.Context, save *saving) error {
	if after, ok := save.complete(ctx); ok {
		return save.visible(ctx, after)
	}
	return nil
}
