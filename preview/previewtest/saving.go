package previewtest

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/weboffice-go/weboffice/preview"
)

// saving is a save that is under way.
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
	save.upload = announced(save.before.Name, body, types)
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
