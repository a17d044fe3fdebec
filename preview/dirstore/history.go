package dirstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/weboffice-go/weboffice/preview"
)

// readMe is for people who find the folder.
const readMe = `This folder belongs to the documents beside it. For each document that was opened it has a folder
with its versions, which are ordinary files: 3.docx is version 3. The end of the folder's name is
the id of the document. You may copy files out of here; please do not change them.
`

// maxFolderName is how many bytes of a document's name are in the name of its folder.
const maxFolderName = 150

// openHistory makes the folders of the history, and tidies up.
func (s *Store) openHistory() error {
	if err := s.root.MkdirAll(uploads, 0o700); err != nil {
		return err
	}
	name := path.Join(HistoryFolderName, "README.txt")
	if !s.root.exists(name) {
		if err := s.root.WriteFile(name, []byte(readMe), 0o600); err != nil {
			return err
		}
	}
	if err := errors.Join(s.root.syncDir(uploads), s.root.syncDir(HistoryFolderName), s.root.syncDir(".")); err != nil {
		return err
	}
	return s.sweepHourly(noDeadline)
}

// keptName is the file of one version. Its folder has the name that the document had
// first.
func (s *Store) keptName(d document, number uint32) string {
	name := d.path
	if m := s.state.moved(d.id); m.Path != "" {
		name = m.Born
	}
	name = preview.CleanName(path.Base(name))
	short := strings.ToValidUTF8(name[:min(len(name), maxFolderName)], "")
	return path.Join(HistoryFolderName, short+"."+d.id, strconv.FormatUint(uint64(number), 10)+path.Ext(name))
}

// kept reports whether the history has a version.
func (s *Store) kept(d document, number uint32) bool { return s.root.exists(s.keptName(d, number)) }

// copyIn makes an upload of what another program wrote, and digests the copy.
func (s *Store) copyIn(v *version, f *os.File) (token string, err error) {
	token = s.newToken()
	folder := path.Join(uploads, token)
	if err := s.root.Mkdir(folder, 0o700); err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.discard(token))
		}
	}()
	name := path.Join(folder, bytesName)
	if err := s.root.copyFile(name, f); err != nil {
		return "", err
	}
	c, err := s.root.Open(name)
	if err != nil {
		return "", err
	}
	_, err = s.digest(v, c)
	// As in receive: the bytes are on the disk before the line that gives them a number.
	return token, errors.Join(err, c.Close(), s.root.syncFile(name), s.root.syncDir(folder), s.root.syncDir(uploads))
}

func (s *Store) discard(token string) error { return s.root.RemoveAll(path.Join(uploads, token)) }

// moveIn moves the bytes of an upload into the history. They leave the upload when it is
// removed. It may be called again.
func (s *Store) moveIn(d document, token string, number uint32) error {
	bytes, target := path.Join(uploads, token, bytesName), s.keptName(d, number)
	folder := path.Dir(target)
	if s.root.exists(bytes) {
		if err := s.root.Mkdir(folder, 0o700); err == nil {
			if err := s.root.syncDir(HistoryFolderName); err != nil {
				return err
			}
		} else if !errors.Is(err, fs.ErrExist) {
			return err
		}
		// Some file systems have no hard links.
		if err := s.root.Link(bytes, target); err != nil && !s.root.sameFile(bytes, target) {
			if err := s.root.Rename(bytes, target); err != nil {
				return err
			}
		}
	}
	return s.root.syncDir(folder)
}

// keptNumbers are the versions that the history has.
func (s *Store) keptNumbers(d document) (map[uint32]bool, error) {
	entries, err := fs.ReadDir(s.root.FS(), path.Dir(s.keptName(d, 0)))
	numbers := map[uint32]bool{}
	for _, e := range entries {
		if n, err := strconv.ParseUint(strings.TrimSuffix(e.Name(), path.Ext(e.Name())), 10, 32); err == nil {
			numbers[uint32(n)] = true
		}
	}
	return numbers, missing(err, nil)
}

// prune removes the versions that are not to be kept after v. What cannot be removed
// stays until the next time.
func (s *Store) prune(d document, v version) {
	remove := func(number uint32) bool { return s.root.Remove(s.keptName(d, number)) == nil }
	if keep := s.cfg.KeepVersions; keep > 0 && int64(v.Number) > int64(keep) {
		for n := v.Number - uint32(keep); n > 0 && remove(n); n-- { //nolint:gosec // It is less than a uint32.
		}
	}
	if s.cfg.KeepFor == 0 {
		return
	}
	all := s.state.versions(d.id)
	for i := 1; i < len(all) && all[i].since().Add(s.cfg.KeepFor).Before(v.since()); i++ {
		remove(all[i-1].Number)
	}
}

func mayHistory(p preview.Permission) bool { return p.Read && p.History }

// Versions implements preview.HistoryStore.
func (s *Store) Versions(ctx context.Context, r preview.Request, p preview.Page) ([]preview.File, error) {
	d, all, err := s.history(ctx, r)
	if err != nil {
		return nil, err
	}
	all = all[:max(0, len(all)-p.Offset)]
	if p.Limit > 0 {
		all = all[max(0, len(all)-p.Limit):]
	}
	files := make([]preview.File, 0, len(all))
	for _, v := range slices.Backward(all) {
		d.version = v
		files = append(files, s.describe(d))
	}
	return files, nil
}

// Version implements preview.HistoryStore.
func (s *Store) Version(ctx context.Context, r preview.Request, version uint32) (preview.File, error) {
	d, err := s.version(ctx, r, version)
	if err != nil {
		return preview.File{}, err
	}
	return s.describe(d), nil
}

// DownloadVersion implements preview.HistoryStore.
func (s *Store) DownloadVersion(ctx context.Context, r preview.Request, version uint32) (preview.Download, error) {
	d, err := s.version(ctx, r, version)
	if err != nil {
		return preview.Download{}, err
	}
	return s.link(d), nil
}

// history gives the versions of a document that are kept, the newest last: that one is
// there in any case.
func (s *Store) history(ctx context.Context, r preview.Request) (document, []version, error) {
	if _, err := s.editable(ctx, r, mayHistory); err != nil {
		return document{}, nil, err
	}
	d, err := s.find(ctx, r.FileID)
	if err != nil {
		return document{}, nil, err
	}
	numbers, err := s.keptNumbers(d)
	if err != nil {
		return document{}, nil, err
	}
	return d, slices.DeleteFunc(s.state.versions(d.id), func(v version) bool { return !numbers[v.Number] && v.Number != d.Number }), nil
}

func (s *Store) version(ctx context.Context, r preview.Request, number uint32) (document, error) {
	d, all, err := s.history(ctx, r)
	if err != nil {
		return document{}, err
	}
	i := slices.IndexFunc(all, func(v version) bool { return v.Number == number })
	if i < 0 {
		return document{}, preview.ErrVersionNotFound
	}
	d.version = all[i]
	return d, nil
}

var errGone = errors.New("dirstore: the version is not kept")

// openVersion opens the bytes of a version: in the history, in its upload until it is
// placed, or in the document.
func (s *Store) openVersion(d document, number uint32) (steadyFile, version, error) {
	all := s.state.versions(d.id)
	i := slices.IndexFunc(all, func(v version) bool { return v.Number == number })
	if i < 0 {
		return steadyFile{}, version{}, errGone
	}
	v := all[i]
	if s.cfg.Editing {
		for _, name := range []string{s.keptName(d, number), path.Join(uploads, v.Upload, bytesName)} {
			if f, err := s.root.openFile(name); err == nil && f.info.Size() == v.Size {
				return f, v, nil
			} else if err == nil {
				_ = f.file.Close()
			}
		}
	}
	if number != d.Number {
		return steadyFile{}, v, errGone
	}
	f, err := s.root.openFile(d.file)
	if err == nil && !v.describes(f.info) {
		return f, v, errors.Join(errGone, f.file.Close())
	}
	return f, v, err
}

// Restore saves an earlier version again, as the newest. The user of r needs Read, History
// and Update.
func (s *Store) Restore(ctx context.Context, r preview.Request, version uint32) (preview.File, error) {
	d, err := s.version(ctx, r, version)
	if err != nil {
		return preview.File{}, err
	}
	if _, err := s.editable(ctx, r, mayUpdate); err != nil {
		return preview.File{}, err
	}
	f, _, err := s.openVersion(d, version)
	if err != nil {
		return preview.File{}, err
	}
	defer func() { _ = f.file.Close() }()
	token := s.newToken()
	if err := s.receive(ctx, token, d.id, d.Size, f); err != nil {
		return preview.File{}, fmt.Errorf("dirstore: restore %q: %w", d.path, storageFull(err))
	}
	return s.complete(ctx, d, r.UserID, token, preview.Upload{Size: d.Size, Digests: []preview.Digest{{Type: preview.SHA1, Hex: d.SHA1}}})
}
