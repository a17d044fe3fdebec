package dirstore

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"time"

	"github.com/weboffice-go/weboffice/preview"
)

// sendBack is the name under which the service sends back which upload it completes.
const sendBack = "upload"

var errNotEditing = errors.New("dirstore: Config.Editing is off")

func mayUpdate(p preview.Permission) bool { return p.Update }

// PrepareUpload implements preview.Saver.
func (s *Store) PrepareUpload(ctx context.Context, r preview.Request) ([]preview.DigestType, error) {
	if _, err := s.editable(ctx, r, mayUpdate); err != nil {
		return nil, err
	}
	return []preview.DigestType{preview.SHA1, preview.SHA256, preview.MD5}, nil
}

// editable is may for what needs Config.Editing.
func (s *Store) editable(ctx context.Context, r preview.Request, allowed func(preview.Permission) bool) (document, error) {
	if !s.cfg.Editing {
		return document{}, errNotEditing
	}
	return s.may(ctx, r, allowed)
}

// UploadAddress implements preview.Saver: the bytes come to ServeHTTP, by PUT.
func (s *Store) UploadAddress(ctx context.Context, r preview.Request, u preview.Upload) (preview.UploadAddress, error) {
	d, err := s.editable(ctx, r, mayUpdate)
	if err != nil {
		return preview.UploadAddress{}, err
	}
	if u.Size > s.cfg.MaxUpload {
		return preview.UploadAddress{}, fmt.Errorf("%w: larger than Config.MaxUpload", preview.ErrStorageFull)
	}
	if err := s.sweepHourly(ctx); err != nil {
		return preview.UploadAddress{}, fmt.Errorf("dirstore: sweep uploads: %w", err)
	}
	token := s.newToken()
	return preview.UploadAddress{URL: s.uploadLink(d.id, token, u.Size), SendBack: map[string]string{sendBack: token}}, nil
}

// CompleteUpload implements preview.Saver. The version that it returns is on the disk,
// and in the document's place.
func (s *Store) CompleteUpload(ctx context.Context, r preview.Request, u preview.Upload, got preview.UploadResult) (preview.File, error) {
	d, err := s.editable(ctx, r, mayUpdate)
	if err != nil {
		return preview.File{}, err
	}
	return s.complete(ctx, d, r.UserID, got.SendBack[sendBack], u)
}

// storageFull lets the user know of a full disk.
func storageFull(err error) error {
	if full(err) {
		return fmt.Errorf("%w: %w", preview.ErrStorageFull, err)
	}
	return err
}

// complete makes an upload the newest version.
func (s *Store) complete(ctx context.Context, d document, user, token string, u preview.Upload) (preview.File, error) {
	if _, ok := tokenExpires(token); !ok {
		return preview.File{}, preview.ErrNotUploaded
	}
	for checked := false; ; checked = true {
		done, err := s.commit(ctx, &d, user, token, u, checked)
		switch {
		case err != nil:
			return preview.File{}, fmt.Errorf("dirstore: save %q: %w", d.path, storageFull(err))
		case done:
			return s.describe(d), nil
		}
		// Another program may have written to the document: that is a version too.
		if _, err := s.find(ctx, d.id); err != nil {
			return preview.File{}, err
		}
	}
}

// commit adds the version, unless the document has to be looked at first. checked says
// that it just was.
func (s *Store) commit(ctx context.Context, d *document, user, token string, u preview.Upload, checked bool) (done bool, err error) {
	err = s.state.locked(ctx, func(f *os.File) error {
		if m, ok := s.state.moved(d.id); ok {
			d.path, d.file = m.path, m.path
		}
		all := s.state.versions(d.id)
		if i := slices.IndexFunc(all, func(v version) bool { return v.upload == token }); i >= 0 {
			d.version, done = all[i], true
			return s.finish(*d, all)
		}
		if len(all) == 0 {
			return nil
		}
		if err := s.finish(*d, all); err != nil {
			return err
		}
		info, err := s.root.Lstat(d.path)
		if err != nil {
			return missing(err, preview.ErrNotFound)
		}
		last := all[len(all)-1]
		if !last.holds(info) && (!checked || !last.describes(info)) {
			return nil
		}
		uploaded, err := s.readUpload(token)
		if err != nil {
			return missing(err, preview.ErrNotUploaded)
		}
		if uploaded.File != d.id || !uploaded.matches(u) {
			return preview.ErrNotUploaded
		}
		v, err := s.saved(*d, last, uploaded)
		if err != nil {
			return err
		}
		v.user, v.upload = user, token
		if err := s.state.add(f, versionLine(d.id, v)); err != nil {
			return err
		}
		d.version, done = v, true
		if err := s.finish(*d, append(all, v)); err != nil {
			return err
		}
		s.prune(*d, v)
		return nil
	})
	return done, err
}

// missing is as, if err says that something does not exist.
func missing(err, as error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return as
	}
	return err
}

// saved is the version after last that an upload makes. Its time does not go back if
// the clock does.
func (s *Store) saved(d document, last version, u upload) (version, error) {
	number, err := s.nextNumber(d, last)
	v := version{
		number: number, size: u.Size, modified: u.Modified, created: last.created,
		seen: u.Modified.Add(2 * settling), saved: later(s.cfg.Now().UTC(), last.since()),
	}
	_, sumErr := hex.Decode(v.sum[:], []byte(u.SHA1))
	return v, errors.Join(err, sumErr)
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// finishSave does what a crash kept a save from. pending says that the version could
// not be put in the document's place; its bytes are in the history.
func (s *Store) finishSave(ctx context.Context, d document) (v version, pending bool, err error) {
	v, known := s.state.last(d.id)
	if !known || v.upload == "" || !s.exists(path.Join(uploads, v.upload)) {
		return version{}, false, nil
	}
	err = s.state.locked(ctx, func(*os.File) error {
		all := s.state.versions(d.id)
		v = all[len(all)-1]
		return s.finish(d, all)
	})
	if err != nil && s.kept(d, v.number) {
		return v, true, nil
	}
	return v, false, err
}

// finish moves the bytes of the newest version to where they stay: first into the
// history, then in the document's place, unless another program has changed it since
// the version before. It may be called any number of times.
func (s *Store) finish(d document, all []version) error {
	v := all[len(all)-1]
	folder := path.Join(uploads, v.upload)
	if v.upload == "" || !s.exists(folder) {
		return nil
	}
	if len(all) == 1 || v.saved.IsZero() || !s.exists(path.Join(folder, documentName)) {
		return s.keep(d.id, d.path, v.upload, v.number)
	}
	if err := s.moveIn(d.id, d.path, v.upload, v.number); err != nil {
		return err
	}
	info, err := s.root.Lstat(d.path)
	if err == nil && all[len(all)-2].describes(info) {
		document := path.Join(folder, documentName)
		if err := s.root.Chmod(document, info.Mode().Perm()); err != nil {
			return err
		}
		if err := s.root.Rename(document, d.path); err != nil {
			return fmt.Errorf("the version is kept, and cannot take the document's place: %w", err)
		}
		if err := s.syncDir(path.Dir(d.path)); err != nil {
			return err
		}
	}
	return s.discard(v.upload)
}
