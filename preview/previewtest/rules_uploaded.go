package previewtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"

	"github.com/weboffice-go/weboffice/preview"
)

// saveMissing completes a save whose bytes nobody sent. They are of its own, since a
// store that is addressed by content may have others from before.
func saveMissing(ctx context.Context, save *saving) error {
	unsent, err := save.d.announceBytes(ctx, append(slices.Clone(save.body), rand.Text()...))
	if err != nil {
		return nil // Another rule says it.
	}
	unsent.got = claimed(unsent.address.SendBack)
	return unsent.notUploaded(ctx)
}

// claimed is an upload that worked, if one believes the caller.
func claimed(sendBack map[string]string) preview.UploadResult {
	if sendBack == nil {
		sendBack = map[string]string{}
	}
	return preview.UploadResult{StatusCode: http.StatusOK, Header: http.Header{}, SendBack: sendBack}
}

// saveTorn sends too little, and, where the store can tell, as much of something else.
func saveTorn(ctx context.Context, save *saving) error {
	last := len(save.body) - 1
	torn := [][]byte{save.body[:last]}
	if len(save.upload.Digests) > 0 {
		torn = append(torn, append(slices.Clone(save.body[:last]), ' '))
	}
	for _, body := range torn {
		again, err := save.d.announceBytes(ctx, save.body)
		if err != nil || !again.send(ctx, body) {
			continue // Another rule says it, or the upload itself is refused.
		}
		if err := again.notUploaded(ctx); err != nil {
			return fmt.Errorf("%d bytes were announced, and %d others sent: %w", len(save.body), len(body), err)
		}
	}
	return nil
}

// notUploaded completes a save that cannot be completed.
func (save *saving) notUploaded(ctx context.Context) error {
	s := save.d.s
	switch f, err := save.completeAgain(ctx); {
	case err == nil:
		return fmt.Errorf("it answers with version %d", f.Version)
	case !s.is(err, preview.ErrNotUploaded):
		return fmt.Errorf("it refuses with code %d, and not with %d: %w", s.code(err), s.code(preview.ErrNotUploaded), err)
	}
	return nil
}
