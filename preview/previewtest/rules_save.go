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
	{"save-announced", "PrepareUpload and UploadAddress answer for a document whose Permission has Update (public reference 5)", true, func(ctx context.Context, s *subject) error {
		return s.save(ctx, func(_ *saving, err error) error { return err })
	}},
	fieldRule("save-digests", "PrepareUpload gives known digest types (public reference 5)", askSave, "digest_types"),
	fieldRule("save-address", "UploadAddress gives an absolute URL, a Method of PUT or POST, and headers that can be sent (public reference 5)", askSave, "url", "method", "headers", "params", "send_back_params"),
	saveRule("save-version", "CompleteUpload describes a version that is one higher than before (protocol 2.4)", saveVersion),
	fieldRule("save-file", "CompleteUpload describes a file as File does (protocol 2.4)", askSave, fileFields...),
	saveRule("save-completed", "CompleteUpload answers, and describes as many bytes as were uploaded (public reference 5)", saveCompleted),
	saveRule("save-repeated", "CompleteUpload, called again for the same upload, gives the same File (public reference 5)", saveRepeated),
	saveRule("save-visible", "after a save, File and Download are of what was uploaded (protocol 2.4)", saveVisible),
	saveRule("save-missing", "CompleteUpload of bytes that did not arrive is ErrNotUploaded, whatever the caller says (public reference 5)", saveMissing),
	saveRule("save-torn", "CompleteUpload of other bytes than were announced is ErrNotUploaded (public reference 5)", saveTorn),
	{"save-denied", "each method of Saver refuses a user who may not edit, by itself", true, saveDenied},
}

func saveVersion(ctx context.Context, save *saving) error {
	after, ok := save.complete(ctx)
	if ok && after.Version != save.before.Version+1 {
		return fmt.Errorf("the version was %d and is %d", save.before.Version, after.Version)
	}
	return nil
}

func saveCompleted(ctx context.Context, save *saving) error {
	after, ok := save.complete(ctx)
	if ok && after.Size != int64(len(save.body)) {
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

func saveVisible(ctx context.Context, save *saving) error {
	if after, ok := save.complete(ctx); ok {
		return save.visible(ctx, after)
	}
	return nil
}

// saving is a save that is under way.
type saving struct {
	d       *document
	before  preview.File
	body    []byte
	types   []preview.DigestType
	upload  preview.Upload
	address preview.UploadAddress
	got     preview.UploadResult
	after   preview.File
	err     error
}

// saveRule looks at a save that was announced.
func saveRule(name, explain string, check func(ctx context.Context, save *saving) error) rule {
	return rule{name, explain, true, func(ctx context.Context, s *subject) error {
		return s.save(ctx, func(save *saving, err error) error {
			if err != nil {
				return nil // another rule reports it
			}
			return check(ctx, save)
		})
	}}
}

// save announces a save of the document's own bytes and a line feed, so that a
// store which looks into documents still takes them.
func (s *subject) save(ctx context.Context, check func(save *saving, err error) error) error {
	d, err := s.saver(ctx)
	if err != nil {
		return err
	}
	return check(d.announceBytes(ctx, append(d.content(ctx), '\n')))
}

// saver is the document that is saved.
func (s *subject) saver(ctx context.Context) (*document, error) {
	if err := s.has("Saver", s.Config.Saver != nil); err != nil {
		return nil, err
	}
	d := s.editor(ctx, mayEdit)
	return d, s.has("Permission of Existing with Update", d != nil)
}

// editor finds the first document that may be changed.
func (s *subject) editor(ctx context.Context, may func(preview.Permission) bool) *document {
	if who := s.permitted(ctx, "", may); len(who) > 0 {
		return who[0]
	}
	return nil
}

// content fetches the bytes of d. If that fails another rule reports it, and any bytes
// will do.
func (d *document) content(ctx context.Context) []byte {
	var body bytes.Buffer
	if download, err := d.Download(ctx); err == nil {
		_, _ = fetch(ctx, d.s.open, download, &body)
	}
	return body.Bytes()
}

func (d *document) announceBytes(ctx context.Context, body []byte) (*saving, error) {
	save := &saving{d: d, before: d.file.value, body: body}
	err := d.s.with(ctx, d.r, func(ctx context.Context, r preview.Request) (err error) {
		if save.types, err = d.s.Config.Saver.PrepareUpload(ctx, r); err != nil {
			return fmt.Errorf("PrepareUpload: %w", err)
		}
		save.upload = announced(save.before.Name, save.body, save.types)
		if save.address, err = d.s.Config.Saver.UploadAddress(ctx, r, save.upload); err != nil {
			return fmt.Errorf("UploadAddress: %w", err)
		}
		return nil
	})
	return save, err
}

// sendable reports whether the address can be used. Another rule says why not.
func (save *saving) sendable() bool {
	a := save.address
	return absolute(a.URL) && headerProblem(a.Header) == "" && slices.Contains([]string{"", http.MethodPut, http.MethodPost}, a.Method)
}

// complete uploads and completes. It reports whether that worked, and keeps why not.
func (save *saving) complete(ctx context.Context) (preview.File, bool) {
	if !save.send(ctx, save.body) {
		return preview.File{}, false
	}
	save.after, save.err = save.completeAgain(ctx)
	return save.after, save.err == nil
}

// send uploads body. It reports whether that worked, and keeps why not.
func (save *saving) send(ctx context.Context, body []byte) bool {
	if !save.sendable() {
		return false
	}
	save.got, save.err = save.d.s.Put(ctx, save.address, body)
	if save.err == nil && (save.got.StatusCode < 200 || save.got.StatusCode > 299) {
		save.err = fmt.Errorf("the upload is answered with HTTP %d", save.got.StatusCode)
	}
	return save.err == nil
}

func (save *saving) completeAgain(ctx context.Context) (preview.File, error) {
	return ask(ctx, save.d, func(ctx context.Context, r preview.Request) (preview.File, error) {
		return save.d.s.Config.Saver.CompleteUpload(ctx, r, save.upload, save.got)
	})
}

// visible asks again for the document.
func (save *saving) visible(ctx context.Context, after preview.File) error {
	d := &document{s: save.d.s, r: save.d.r}
	f, err := d.File(ctx)
	if err != nil {
		return err
	}
	if f.Version != after.Version {
		return fmt.Errorf("CompleteUpload described version %d, and File describes %d", after.Version, f.Version)
	}
	var body bytes.Buffer
	download, err := d.Download(ctx)
	if err != nil || !absolute(download.URL) || headerProblem(download.Header) != "" {
		return quiet(err)
	}
	if _, err := fetch(ctx, d.s.open, download, &body); err != nil {
		return quiet(err)
	}
	if !bytes.Equal(body.Bytes(), save.body) {
		return errors.New("the address gives other bytes")
	}
	return nil
}

// saveMissing completes a save whose bytes nobody sent. They are of its own, since a
// store that is addressed by content may have others from before.
func saveMissing(ctx context.Context, save *saving) error {
	unsent, err := save.d.announceBytes(ctx, append(slices.Clone(save.body), rand.Text()...))
	if err != nil {
		return nil // another rule reports it
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
	_, err := save.completeAgain(ctx)
	return save.d.s.refused("CompleteUpload", err, preview.ErrNotUploaded)
}
