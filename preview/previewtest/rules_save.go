package previewtest

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/weboffice-go/weboffice/preview"
)

// saveRules are about Saver, for the first document whose Permission has Update.
var saveRules = []rule{
	{"save-announced", "PrepareUpload and UploadAddress answer for a document whose Permission has Update (public reference 5)", func(ctx context.Context, s *subject) error {
		return other(failure(s.announce(ctx)))
	}},
	savedRule("save-digests", "PrepareUpload gives known digest types (public reference 5)", "digest_types"),
	savedRule("save-address", "UploadAddress gives an absolute URL, a Method of PUT or POST, and headers that can be sent (public reference 5)", "url", "method", "headers", "params", "send_back_params"),
	saveRule("save-version", "CompleteUpload describes a version that is one higher than before (protocol 2.4)", (*saving).complete, saveVersion),
	savedRule("save-file", "CompleteUpload describes a file as File does (protocol 2.4)", fileFields...),
	saveRule("save-completed", "CompleteUpload answers, and describes as many bytes as were uploaded (public reference 5)", nil, saveCompleted),
	saveRule("save-repeated", "CompleteUpload, called again for the same upload, gives the same File (public reference 5)", (*saving).complete, saveRepeated),
	saveRule("save-visible", "after a save, File and Download are of what was uploaded (protocol 2.4)", (*saving).complete, saveVisible),
	saveRule("save-missing", "CompleteUpload of bytes that did not arrive is ErrNotUploaded, whatever the caller says (public reference 5)", nil, saveMissing),
	saveRule("save-torn", "CompleteUpload of other bytes than were announced is ErrNotUploaded (public reference 5)", nil, saveTorn),
	{"save-denied", "each method of Saver refuses a user who may not edit, by itself", saveDenied},
}

// saveRule looks at a save that was announced, and is ready. If it is not, another rule
// says so.
func saveRule(name, explain string, ready func(*saving, context.Context) bool, check func(ctx context.Context, save *saving) error) rule {
	return rule{name, explain, func(ctx context.Context, s *subject) error {
		save, err := s.announce(ctx)
		if err != nil || ready != nil && !ready(save, ctx) {
			return quiet(err)
		}
		return check(ctx, save)
	}}
}

// savedRule is a rule that the Handler enforces, about some fields of the answers to a save.
func savedRule(name, explain string, fields ...string) rule {
	return rule{name, explain, func(ctx context.Context, s *subject) error {
		save, err := s.announce(ctx)
		if err == nil && !save.complete(ctx) {
			err = save.err
		}
		return about(err, fields...)
	}}
}

func saveVersion(_ context.Context, save *saving) error {
	if save.after.Version != save.before.Version+1 {
		return fmt.Errorf("the version was %d and is %d", save.before.Version, save.after.Version)
	}
	return nil
}

func saveCompleted(ctx context.Context, save *saving) error {
	if save.complete(ctx) && save.after.Size != int64(len(save.body)) {
		return fmt.Errorf("%d bytes were uploaded, and Size is %d", len(save.body), save.after.Size)
	}
	return other(save.err)
}

func saveRepeated(ctx context.Context, save *saving) error {
	second, err := save.completeAgain(ctx)
	if err != nil {
		return err
	}
	if save.after != second {
		return fmt.Errorf("%+v became %+v", save.after, second)
	}
	if f, err := save.d.v.File(ctx, save.d.id); err == nil && f.Version == second.Version+1 {
		return fmt.Errorf("it is saved again, as version %d", f.Version)
	}
	return nil
}

// saveVisible asks again for the document.
func saveVisible(ctx context.Context, save *saving) error {
	f, err := save.d.v.File(ctx, save.d.id)
	if err != nil {
		return err
	}
	if f.Version != save.after.Version {
		return fmt.Errorf("CompleteUpload described version %d, and File describes %d", save.after.Version, f.Version)
	}
	body, err := save.d.content(ctx)
	if err != nil {
		return quiet(err)
	}
	if !bytes.Equal(body, save.body) {
		return errors.New("the address gives other bytes")
	}
	return nil
}

// saveMissing completes a save whose bytes were not sent. They are of its own, since a
// store that is addressed by content may have others from before.
func saveMissing(ctx context.Context, save *saving) error {
	unsent, err := save.d.announce(ctx, append(slices.Clone(save.body), rand.Text()...))
	if err != nil {
		return nil // another rule reports it
	}
	unsent.got = preview.UploadResult{StatusCode: http.StatusOK, SendBack: unsent.address.SendBack}
	return unsent.notUploaded(ctx)
}

// saveTorn sends too little, and, where the store can tell, as much of something else.
func saveTorn(ctx context.Context, save *saving) error {
	torn := [][]byte{save.body[:len(save.body)-1]}
	if len(save.upload.Digests) > 0 {
		torn = append(torn, save.otherBytes())
	}
	for _, body := range torn {
		again, err := save.d.announce(ctx, save.body)
		if err != nil || !again.send(ctx, body) {
			continue // another rule reports it, or the upload itself is refused.
		}
		if err := again.notUploaded(ctx); err != nil {
			return fmt.Errorf("%d bytes were announced, and %d others sent: %w", len(save.body), len(body), err)
		}
	}
	return nil
}

// notUploaded completes a save that cannot be completed.
func (save *saving) notUploaded(ctx context.Context) error {
	return save.d.s.refused("CompleteUpload", failure(save.completeAgain(ctx)), preview.ErrNotUploaded)
}

func saveDenied(ctx context.Context, s *subject) error {
	return s.everyDenied(ctx, "Saver", s.Config.Saver != nil, mayEdit, func(d *document) error {
		save := &saving{d: d, upload: announced(preview.Upload{Name: "document.docx"}, []byte("denied"), nil), got: preview.UploadResult{StatusCode: http.StatusOK}}
		if twins := s.permitted(ctx, d.id, mayEdit); len(twins) > 0 { // whose upload is there to be completed
			body, _ := twins[0].content(ctx)
			if theirs, err := twins[0].announce(ctx, append(body, '\n')); err == nil && theirs.send(ctx, theirs.body) {
				save.upload, save.got = theirs.upload, theirs.got
			}
		}
		return errors.Join(
			s.denied("PrepareUpload", failure(d.v.PrepareUpload(ctx, d.id))),
			s.denied("UploadAddress", failure(d.v.UploadAddress(ctx, d.id, save.upload))),
			s.denied("CompleteUpload", failure(save.completeAgain(ctx)), preview.ErrNotUploaded, preview.ErrInvalid),
		)
	})
}

// saving is a save in progress.
type saving struct {
	d       *document
	before  preview.File
	body    []byte
	upload  preview.Upload
	address preview.UploadAddress
	got     preview.UploadResult
	after   preview.File
	err     error
}

// announce announces a save of the document's own bytes and a line feed, so that a
// store which looks into documents still takes them.
func (s *subject) announce(ctx context.Context) (*saving, error) {
	d, err := s.editor(ctx, "Saver", s.Config.Saver != nil, "Update", mayEdit)
	if err != nil {
		return nil, err
	}
	body, _ := d.content(ctx) // If that fails another rule reports it, and any bytes will do.
	return d.announce(ctx, append(body, '\n'))
}

// content fetches the bytes of d.
func (d *document) content(ctx context.Context) ([]byte, error) {
	download, err := d.v.Download(ctx, d.id)
	return d.s.content(ctx, download, err)
}

// content fetches what a callback said, unless that failed.
func (s *subject) content(ctx context.Context, download preview.Download, err error) ([]byte, error) {
	var body bytes.Buffer
	if err == nil {
		_, err = fetch(ctx, s.Get, download, &body)
	}
	return body.Bytes(), err
}

func (d *document) announce(ctx context.Context, body []byte) (*saving, error) {
	save := &saving{d: d, before: d.file.value, body: body}
	types, err := d.v.PrepareUpload(ctx, d.id)
	if err != nil {
		return nil, err
	}
	save.upload = announced(preview.Upload{Name: save.before.Name, Manual: true}, body, types)
	save.address, err = d.v.UploadAddress(ctx, d.id, save.upload)
	return save, err
}

// send uploads body. It reports whether that worked, and keeps why not.
func (save *saving) send(ctx context.Context, body []byte) bool {
	save.got, save.err = save.d.s.Put(ctx, save.address, body)
	if save.err == nil && (save.got.StatusCode < 200 || save.got.StatusCode > 299) {
		save.err = fmt.Errorf("the upload is answered with HTTP %d", save.got.StatusCode)
	}
	return save.err == nil
}

// complete uploads and completes. It reports whether that worked, and keeps why not.
func (save *saving) complete(ctx context.Context) bool {
	if save.send(ctx, save.body) {
		save.after, save.err = save.completeAgain(ctx)
	}
	return save.err == nil
}

func (save *saving) completeAgain(ctx context.Context) (preview.File, error) {
	return save.d.v.complete(ctx, save.d.id, save.upload, save.got)
}

// otherBytes are as many as those of save.
func (save *saving) otherBytes() []byte {
	other := slices.Clone(save.body)
	other[len(other)-1] = ' '
	return other
}
