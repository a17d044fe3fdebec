package previewtest_test

import (
	"context"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
)

// brokenTogether gives stores that keep every rule about a single save.
func brokenTogether() map[string]breaking {
	return map[string]breaking{
		"save-together": func(o *office, f *previewtest.Fixture) { f.Config.Saver = lostUpdate{o} },
		"save-together: an id given out twice": func(o *office, _ *previewtest.Fixture) {
			o.nextID = func() string { return strconv.Itoa(len(o.puts) + 1) }
		},
		"save-together: an id for each version": func(o *office, _ *previewtest.Fixture) {
			o.nextID = func() string { return strconv.Itoa(len(o.docs["plan"].contents)) }
		},
		"save-together: the bytes of another": func(o *office, f *previewtest.Fixture) {
			f.Config.Saver = saver{office: o, calls: new(atomic.Int32), complete: func(f preview.File, _ int) preview.File {
				if f.Version == 9 {
					o.mu.Lock()
					defer o.mu.Unlock()
					c := o.docs["plan"].contents
					c[6], c[7] = c[7], c[6]
				}
				return f
			}}
		},
		"save-repeated-together": func(o *office, f *previewtest.Fixture) { f.Config.Saver = slowToRemember{o} },
		"save-kept":              func(o *office, f *previewtest.Fixture) { f.Config.History = newestOfSize{o} },
		"save-address-used": func(o *office, f *previewtest.Fixture) {
			put := f.Put
			f.Put = func(ctx context.Context, a preview.UploadAddress, body []byte) (preview.UploadResult, error) {
				o.mu.Lock()
				if saved, done := o.saves[a.SendBack["upload"]]; done {
					o.docs[saved.ID].contents[saved.Version-1] = body
				}
				o.mu.Unlock()
				return put(ctx, a, body)
			}
		},
		"save-signed":                  saving(saver{complete: func(f preview.File, _ int) preview.File { f.ModifierID = "root"; return f }}),
		"save-signed: time goes back":  saving(saver{complete: func(f preview.File, _ int) preview.File { f.ModifiedAt = firstSave; return f }}),
		"save-signed: another creator": saving(saver{complete: func(f preview.File, _ int) preview.File { f.CreatorID = "bob"; return f }}),
		"save-signed: another time":    saving(saver{complete: func(f preview.File, _ int) preview.File { f.CreatedAt = f.ModifiedAt; return f }}),
	}
}

// lostUpdate looks up the number of the next version, and takes it a moment later.
type lostUpdate struct{ *office }

func (s lostUpdate) CompleteUpload(ctx context.Context, r preview.Request, u preview.Upload, got preview.UploadResult) (preview.File, error) {
	s.mu.Lock()
	_, done := s.saves[got.SendBack["upload"]]
	old := 0
	if d := s.docs[r.FileID]; d != nil {
		old = len(d.contents)
	}
	s.mu.Unlock()
	if done {
		return s.office.CompleteUpload(ctx, r, u, got)
	}
	time.Sleep(time.Millisecond)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.complete(ctx, r, u, got, old)
}

// slowToRemember notes a moment after the save that it is done.
type slowToRemember struct{ *office }

func (s slowToRemember) CompleteUpload(ctx context.Context, r preview.Request, u preview.Upload, got preview.UploadResult) (preview.File, error) {
	upload := got.SendBack["upload"]
	s.mu.Lock()
	f, done := s.saves[upload]
	s.mu.Unlock()
	if done {
		return f, nil
	}
	time.Sleep(time.Millisecond)
	s.mu.Lock()
	delete(s.saves, upload)
	s.mu.Unlock()
	return s.office.CompleteUpload(ctx, r, u, got)
}

// newestOfSize finds the bytes of a version by their size.
type newestOfSize struct{ *office }

func (h newestOfSize) DownloadVersion(ctx context.Context, r preview.Request, version uint32) (preview.Download, error) {
	wanted, err := h.Version(ctx, r, version)
	if err != nil {
		return preview.Download{}, err
	}
	f, err := h.File(ctx, r)
	for err == nil && f.Size != wanted.Size {
		f, err = h.Version(ctx, r, f.Version-1)
	}
	return h.office.DownloadVersion(ctx, r, f.Version)
}
