package previewtest_test

import (
	"cmp"
	"context"
	"crypto/sha1"
	"net/http"
	"strconv"
	"sync/atomic"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
)

// saver changes the Saver of the office.
type saver struct {
	*office
	prepare  func(r preview.Request, types []preview.DigestType, err error) ([]preview.DigestType, error)
	address  func(r preview.Request, a preview.UploadAddress, err error) (preview.UploadAddress, error)
	complete func(f preview.File, calls int) preview.File
	calls    *atomic.Int32
}

func (s saver) PrepareUpload(ctx context.Context, r preview.Request) ([]preview.DigestType, error) {
	types, err := s.office.PrepareUpload(ctx, r)
	if s.prepare != nil {
		return s.prepare(r, types, err)
	}
	return types, err
}

func (s saver) UploadAddress(ctx context.Context, r preview.Request, u preview.Upload) (preview.UploadAddress, error) {
	a, err := s.office.UploadAddress(ctx, r, u)
	if s.address != nil {
		return s.address(r, a, err)
	}
	return a, err
}

func (s saver) CompleteUpload(ctx context.Context, r preview.Request, u preview.Upload, got preview.UploadResult) (preview.File, error) {
	f, err := s.office.CompleteUpload(ctx, r, u, got)
	if err == nil && s.complete != nil {
		calls := int(s.calls.Add(1))
		f = s.complete(f, calls)
	}
	return f, err
}

func saving(s saver) breaking {
	return func(o *office, f *previewtest.Fixture) {
		s.office, s.calls = o, new(atomic.Int32)
		f.Config.Saver = s
	}
}

func brokenSaves() map[string]breaking {
	return map[string]breaking{
		"save-announced": saving(saver{prepare: func(_ preview.Request, _ []preview.DigestType, err error) ([]preview.DigestType, error) {
			return nil, cmp.Or(err, errInternal)
		}}),
		"save-digests": saving(saver{prepare: func(_ preview.Request, types []preview.DigestType, err error) ([]preview.DigestType, error) {
			return append(types, "crc32"), err
		}}),
		"save-address": saving(saver{address: func(_ preview.Request, a preview.UploadAddress, err error) (preview.UploadAddress, error) {
			a.Method = "PATCH"
			return a, err
		}}),
		"save-version": func(o *office, f *previewtest.Fixture) {
			// Two versions for each save.
			f.Config.Saver = twice{saver{office: o}}
		},
		"save-file": saving(saver{complete: func(f preview.File, _ int) preview.File {
			f.ID = "another"
			return f
		}}),
		"save-completed": func(o *office, f *previewtest.Fixture) {
			put := f.Put
			f.Put = func(ctx context.Context, a preview.UploadAddress, body []byte) (preview.UploadResult, error) {
				return put(ctx, a, body[1:])
			}
		},
		"save-repeated": saving(saver{complete: func(f preview.File, calls int) preview.File {
			if calls > 1 {
				f.Version++
			}
			return f
		}}),
		"save-repeated: another name": saving(saver{complete: func(f preview.File, calls int) preview.File {
			f.Name = strconv.Itoa(calls) + ".docx"
			return f
		}}),
		"save-repeated: another version": func(o *office, f *previewtest.Fixture) { f.Config.Saver = forgetful{o} },
		"save-missing": credulous(func(o *office, upload string, status int, u *preview.Upload) {
			if _, there := o.puts[upload]; !there && status == http.StatusOK { // as the caller says
				o.puts[upload] = make([]byte, u.Size)
				u.Digests = announcing(o.puts[upload])
			}
		}),
		"save-torn": credulous(func(o *office, upload string, _ int, u *preview.Upload) {
			if body, there := o.puts[upload]; there {
				u.Size, u.Digests = int64(len(body)), announcing(body)
			}
		}),
		"save-torn: digest": credulous(func(o *office, upload string, _ int, u *preview.Upload) {
			if body, there := o.puts[upload]; there {
				u.Digests = announcing(body)
			}
		}),
		"save-visible": func(o *office, f *previewtest.Fixture) {
			file(func(f *preview.File) { f.Version = min(f.Version, 2) })(o, f)
			f.Config.Elsewhere, f.Config.History = preview.HistoryCallback, nil
		},
		"save-denied": saving(saver{address: func(_ preview.Request, a preview.UploadAddress, _ error) (preview.UploadAddress, error) {
			return a, nil
		}}),
		"save-denied: PrepareUpload": saving(saver{prepare: func(_ preview.Request, types []preview.DigestType, _ error) ([]preview.DigestType, error) {
			return types, nil
		}}),
		"save-denied: CompleteUpload": func(o *office, f *previewtest.Fixture) { f.Config.Saver = openDoor{o} },
		"save-denied: internal error": saving(saver{prepare: func(r preview.Request, types []preview.DigestType, err error) ([]preview.DigestType, error) {
			if r.UserID == "eve" {
				return nil, errInternal
			}
			return types, err
		}}),
		"save-denied: a reader": permission(func(p *preview.Permission) { p.Update = p.UserID == "ann" }),
	}
}

// forgetful saves what was uploaded each time that it is told to, and says that it
// did so once.
type forgetful struct{ *office }

func (s forgetful) CompleteUpload(ctx context.Context, r preview.Request, u preview.Upload, got preview.UploadResult) (preview.File, error) {
	s.mu.Lock()
	if _, saved := s.saves[got.SendBack["upload"]]; saved {
		d := s.docs[r.FileID]
		d.contents = append(d.contents, d.contents[len(d.contents)-1])
	}
	s.mu.Unlock()
	return s.office.CompleteUpload(ctx, r, u, got)
}

// credulous takes what was uploaded for what was announced.
func credulous(believe func(o *office, upload string, status int, u *preview.Upload)) breaking {
	return func(o *office, f *previewtest.Fixture) { f.Config.Saver = believer{o, believe} }
}

type believer struct {
	*office
	believe func(o *office, upload string, status int, u *preview.Upload)
}

func (s believer) CompleteUpload(ctx context.Context, r preview.Request, u preview.Upload, got preview.UploadResult) (preview.File, error) {
	s.mu.Lock()
	s.believe(s.office, got.SendBack["upload"], got.StatusCode, &u)
	s.mu.Unlock()
	return s.office.CompleteUpload(ctx, r, u, got)
}

func announcing(body []byte) []preview.Digest {
	return []preview.Digest{preview.SHA1Sum(sha1.Sum(body))}
}

// twice counts every save twice.
type twice struct{ saver }

func (s twice) CompleteUpload(ctx context.Context, r preview.Request, u preview.Upload, got preview.UploadResult) (preview.File, error) {
	o := s.office
	o.mu.Lock()
	if _, saved := o.saves[got.SendBack["upload"]]; !saved {
		d := o.docs[r.FileID]
		d.contents = append(d.contents, d.contents[0])
	}
	o.mu.Unlock()
	return o.CompleteUpload(ctx, r, u, got)
}

// openDoor looks at the user only before the upload.
type openDoor struct{ *office }

func (s openDoor) CompleteUpload(ctx context.Context, r preview.Request, u preview.Upload, got preview.UploadResult) (preview.File, error) {
	r.UserID = "ann"
	return s.office.CompleteUpload(ctx, r, u, got)
}

// renamer is a preview.Renamer.
type renamer func(ctx context.Context, o *office, r preview.Request, name string) error

type renames struct {
	*office
	renamer
}

func (n renames) Rename(ctx context.Context, r preview.Request, name string) error {
	return n.renamer(ctx, n.office, r, name)
}

func renaming(rename renamer) breaking {
	return func(o *office, f *previewtest.Fixture) { f.Config.Renamer = renames{o, rename} }
}

func brokenRenames() map[string]breaking {
	return map[string]breaking{
		"rename-visible": renaming(func(ctx context.Context, o *office, r preview.Request, name string) error {
			if name == "Budget 预算.xlsx" {
				return preview.ErrNameConflict
			}
			_, err := o.reader(ctx, r)
			return err
		}),
		"rename-conflict": renaming(func(ctx context.Context, o *office, r preview.Request, name string) error {
			err := o.Rename(ctx, r, name)
			if err == preview.ErrNameConflict { //nolint:errorlint // It is this very value.
				return errInternal
			}
			return err
		}),
		"rename-denied": renaming(func(ctx context.Context, o *office, r preview.Request, name string) error {
			r.UserID = "ann"
			return o.Rename(ctx, r, name)
		}),
		"rename-denied: internal error": renaming(func(ctx context.Context, o *office, r preview.Request, name string) error {
			if r.UserID == "eve" {
				return errInternal
			}
			return o.Rename(ctx, r, name)
		}),
		"rename-denied: a reader": permission(func(p *preview.Permission) { p.Rename = p.UserID == "ann" }),
	}
}
