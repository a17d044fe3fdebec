package previewtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/weboffice-go/weboffice/preview"
)

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
				return nil // Another rule says it.
			}
			return check(ctx, save)
		})
	}}
}

// save announces a save of the document's own bytes and a line feed, so that a
// store which looks into documents still takes them.
func (s *subject) save(ctx context.Context, check func(save *saving, err error) error) error {
	if s.Config.Saver == nil {
		return skipped("there is no Saver")
	}
	d := s.editor(ctx, func(p preview.Permission) bool { return p.Update })
	if d == nil {
		return skipped("no Permission of Existing has Update")
	}
	return check(d.announce(ctx))
}

// editor finds the first document that may be changed.
func (s *subject) editor(ctx context.Context, may func(preview.Permission) bool) *document {
	for _, d := range s.docs {
		p, err := d.Permission(ctx)
		if _, fileErr := d.File(ctx); err == nil && fileErr == nil && may(p) {
			return d
		}
	}
	return nil
}

func (d *document) announce(ctx context.Context) (*saving, error) {
	var body bytes.Buffer
	if download, err := d.Download(ctx); err == nil {
		_, _ = fetch(ctx, d.s.open, download, &body) // Where that fails, a rule says so, and any text will do.
	}
	return d.announceBytes(ctx, append(body.Bytes(), '\n'))
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

func (save *saving) addressProblem() error {
	a := save.address
	switch {
	case !absolute(a.URL):
		return errors.New("the URL is not absolute")
	case !slices.Contains([]string{"", http.MethodPut, http.MethodPost}, a.Method):
		return fmt.Errorf("the Method is %q", a.Method)
	case headerProblem(a.Header) != "":
		return errors.New("Header " + headerProblem(a.Header))
	}
	return nil
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
	if save.addressProblem() != nil {
		return false
	}
	save.got, save.err = save.d.s.Put(ctx, save.address, body)
	if save.err == nil && (save.got.StatusCode < 200 || save.got.StatusCode > 299) {
		save.err = fmt.Errorf("the upload is answered with HTTP %d", save.got.StatusCode)
	}
	return save.err == nil
}

func (save *saving) completeAgain(ctx context.Context) (f preview.File, err error) {
	d := save.d
	err = d.s.with(ctx, d.r, func(ctx context.Context, r preview.Request) error {
		f, err = d.s.Config.Saver.CompleteUpload(ctx, r, save.upload, save.got)
		return err
	})
	return f, err
}

// visible asks anew for the document.
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
