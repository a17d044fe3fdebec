package dirstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"

	"github.com/weboffice-go/weboffice/preview"
)

// sendBack is the name under which the service sends back which upload it completes.
const sendBack = "upload"

var errNotEditing = errors.New("dirstore: Config.Editing is off")

func mayUpdate(p preview.Permission) bool { return p.Update }

// editable is may for what needs Config.Editing.
func (s *Store) editable(ctx context.Context, r preview.Request, allowed func(preview.Permission) bool) (document, error) {
	if !s.cfg.Editing {
		return document{}, errNotEditing
	}
	return s.may(ctx, r, allowed)
}

// PrepareUpload implements preview.Saver.
func (s *Store) PrepareUpload(ctx context.Context, r preview.Request) ([]preview.DigestType, error) {
	_, err := s.editable(ctx, r, mayUpdate)
	return []preview.DigestType{preview.SHA1, preview.SHA256, preview.MD5}, err
}

// UploadAddress implements preview.Saver.
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
	return preview.UploadAddress{URL: s.newLink(uploadLinks, d.id, token, strconv.FormatInt(u.Size, 10)), SendBack: map[string]string{sendBack: token}}, nil
}

// CompleteUpload implements preview.Saver. The version that it returns is on the disk.
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
	for looked := false; ; looked = true {
		done, err := s.commit(ctx, &d, user, token, u, looked)
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

// What follows are the steps of a save, in their order: receive stores the bytes, commit
// gives them a number, and place moves them to where they stay. The process or the
// machine may stop between any two of them. Each sync is there so that what comes after
// it can rely on what came before it.

// An upload is a folder below uploads, whose name starts with the second in which it
// expires.
const (
	uploads      = HistoryFolderName + "/.uploads"
	bytesName    = "bytes"       // what becomes a file of the history
	documentName = "document"    // the same bytes again: what takes the place of the document
	recordName   = "upload.json" // an upload
)

// upload says what was uploaded: most of the version that it becomes.
type upload struct {
	File    string `json:"file"` // id of the document
	version        // Modified is that of documentName
	MD5     string `json:"md5"`
	SHA256  string `json:"sha256"`
}

// commit adds the version, unless the document has to be looked at first. looked says
// that it just was.
func (s *Store) commit(ctx context.Context, d *document, user, token string, u preview.Upload, looked bool) (done bool, err error) {
	// What may fail is done or tried before the commit: after it, the save has succeeded.
	err = s.placed(ctx, d, func(f *os.File, all []version, err error) error {
		if i := slices.IndexFunc(all, func(v version) bool { return v.Upload == token }); i >= 0 {
			d.version, done = all[i], true
			return nil
		}
		if err != nil || len(all) == 0 {
			return err
		}
		info, err := s.root.Lstat(d.path)
		if err != nil {
			return missing(err, preview.ErrNotFound)
		}
		last := all[len(all)-1]
		if !last.holds(info) && (!looked || !last.describes(info)) {
			return nil
		}
		if !s.kept(*d, last.Number) { // it was seen while Editing was off
			last.Seen = last.Modified // which is not settled, so that it is read again
			s.state.note(d.id, last)
			return nil
		}
		uploaded, err := s.readUpload(token)
		if err != nil {
			return missing(err, preview.ErrNotUploaded)
		}
		if uploaded.File != d.id || !uploaded.matches(u) {
			return preview.ErrNotUploaded
		}
		if err := s.root.takesFiles(path.Join(uploads, token), path.Dir(d.path)); err != nil {
			return fmt.Errorf("no file can be moved into the document's folder: %w", err)
		}
		v, err := s.saved(*d, last, user, token, uploaded)
		if err != nil {
			return err
		}
		// The line is synced: from here on the save is done, and the service may forget it.
		if err := s.state.add(f, line{ID: d.id, version: v}); err != nil {
			return err
		}
		d.version, done = v, true
		// If this fails, the version is served from its upload, and the next look at the
		// document tries again.
		if s.place(*d, append(all, v)) == nil {
			s.prune(*d, v)
		}
		return nil
	})
	return done, err
}

// saved is the version after last that an upload makes. Its time does not go back if
// the clock does.
func (s *Store) saved(d document, last version, user, token string, u upload) (v version, err error) {
	v = u.version
	v.Created, v.Seen, v.User, v.Upload = last.Created, v.Modified.Add(2*settling), user, token
	if v.Saved = s.cfg.Now().UTC(); v.Saved.Before(last.since()) {
		v.Saved = last.since()
	}
	v.Number, err = s.nextNumber(d, last)
	return v, err
}

// place moves the bytes of the newest version to where they stay: first into the
// history, then in the document's place, unless another program has changed it since
// the version before. It may be called any number of times.
func (s *Store) place(d document, all []version) error {
	if len(all) == 0 {
		return nil
	}
	v := all[len(all)-1]
	folder := path.Join(uploads, v.Upload)
	if !s.unplaced(v) {
		return nil
	}
	// The history has the version on the disk before the upload is gone.
	if err := s.moveIn(d, v.Upload, v.Number); err != nil {
		return err
	}
	if document := path.Join(folder, documentName); !v.Saved.IsZero() && len(all) > 1 {
		info, err := s.root.Lstat(d.path)
		if err == nil && all[len(all)-2].describes(info) && s.root.exists(document) {
			if err = s.root.Chmod(document, info.Mode().Perm()); err == nil {
				err = s.root.Rename(document, d.path)
			}
		}
		if err == nil {
			// Without its upload, the document would be taken for a change to the version
			// before. The renaming may be of an earlier call.
			err = s.root.syncDir(path.Dir(d.path))
		}
		if missing(err, nil) != nil {
			return err
		}
	}
	return s.root.RemoveAll(folder)
}

// unplaced reports whether place has not moved the bytes of v yet.
func (s *Store) unplaced(v version) bool {
	return v.Upload != "" && s.root.exists(path.Join(uploads, v.Upload))
}

// placed locks the state file, places the newest version of a document at its present path,
// and calls do with its versions, the newest last, and the error of place.
func (s *Store) placed(ctx context.Context, d *document, do func(f *os.File, all []version, err error) error) error {
	return s.state.locked(ctx, func(f *os.File) error {
		if m := s.state.moved(d.id); m.Path != "" {
			d.path, d.file = m.Path, m.Path
		}
		all := s.state.versions(d.id)
		return do(f, all, s.place(*d, all))
	})
}

// finishSave does what a crash or an error kept a save from. A version that still cannot
// be put in the document's place is pending.
func (s *Store) finishSave(ctx context.Context, d document) (v version, err error) {
	if !s.unplaced(s.state.last(d.id)) {
		return version{}, nil
	}
	err = s.placed(ctx, &d, func(_ *os.File, all []version, err error) error {
		v = all[len(all)-1]
		v.pending = err != nil
		return nil
	})
	return v, err
}
