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
	"unicode/utf8"

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
	if !s.exists(name) {
		if err := s.root.WriteFile(name, []byte(readMe), 0o600); err != nil {
			return err
		}
	}
	if err := errors.Join(s.syncDir(uploads), s.syncDir(HistoryFolderName), s.syncDir(".")); err != nil {
		return err
	}
	return s.sweepHourly(noDeadline)
}

func (s *Store) exists(name string) bool {
	_, err := s.root.Lstat(name)
	return err == nil
}

// folder is where the versions of a document are. It keeps its name when the document
// gets another one.
func (s *Store) folder(id, name string) string {
	if m, ok := s.state.moved(id); ok {
		name = m.born
	}
	name = preview.CleanName(path.Base(name))
	for len(name) > maxFolderName {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	return path.Join(HistoryFolderName, name+"."+id)
}

// keptName is the file of one version.
func (s *Store) keptName(id, name string, number uint32) string {
	if m, ok := s.state.moved(id); ok {
		name = m.born
	}
	return path.Join(s.folder(id, name), strconv.FormatUint(uint64(number), 10)+path.Ext(preview.CleanName(path.Base(name))))
}

// moveIn moves the bytes of an upload into the history.
func (s *Store) moveIn(id, name, token string, number uint32) error {
	bytes, folder := path.Join(uploads, token, bytesName), s.folder(id, name)
	if !s.exists(bytes) {
		return nil
	}
	if err := s.root.Mkdir(folder, 0o700); err == nil {
		if err := s.syncDir(HistoryFolderName); err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrExist) {
		return err
	}
	// A hard link leaves the file in both places until the one is on the disk. Some file
	// systems have none.
	target := s.keptName(id, name, number)
	if err := s.root.Link(bytes, target); err != nil && !s.sameFile(bytes, target) {
		if err := s.root.Rename(bytes, target); err != nil {
			return err
		}
	}
	return s.syncDir(folder)
}

func (s *Store) sameFile(a, b string) bool {
	x, errX := s.root.Lstat(a)
	y, errY := s.root.Lstat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// keep is moveIn for an upload of which nothing else is needed.
func (s *Store) keep(id, name, token string, number uint32) error {
	if err := s.moveIn(id, name, token, number); err != nil {
		return err
	}
	return s.discard(token)
}

// kept reports whether the history has a version.
func (s *Store) kept(d document, number uint32) bool {
	return s.exists(s.keptName(d.id, d.path, number))
}

// wanted reports whether the history lacks the version that was read.
func (s *Store) wanted(d document, seen version) bool {
	last, known := s.state.last(d.id)
	return !known || !last.same(&seen) || !s.kept(d, last.number)
}

// keptNumbers are the versions that the history has.
func (s *Store) keptNumbers(d document) (map[uint32]bool, error) {
	dir, err := s.root.Open(s.folder(d.id, d.path))
	if err != nil {
		return nil, missing(err, nil)
	}
	names, err := dir.Readdirnames(-1)
	numbers := map[uint32]bool{}
	for _, name := range names {
		if n, err := strconv.ParseUint(strings.TrimSuffix(name, path.Ext(name)), 10, 32); err == nil {
			numbers[uint32(n)] = true
		}
	}
	return numbers, errors.Join(err, dir.Close())
}

// prune removes the versions that are not to be kept after v. What cannot be removed
// stays until the next time.
func (s *Store) prune(d document, v version) {
	remove := func(number uint32) bool { return s.root.Remove(s.keptName(d.id, d.path, number)) == nil }
	if keep := s.cfg.KeepVersions; keep > 0 && int64(v.number) > int64(keep) {
		for n := v.number - uint32(keep); n > 0 && remove(n); n-- { //nolint:gosec // It is less than a uint32.
		}
	}
	if s.cfg.KeepFor == 0 {
		return
	}
	all := s.state.versions(d.id)
	for i := 1; i < len(all) && all[i].since().Add(s.cfg.KeepFor).Before(v.since()); i++ {
		remove(all[i-1].number)
	}
}

func mayHistory(p preview.Permission) bool { return p.Read && p.History }

// Versions implements preview.HistoryStore: it lists the versions that are kept.
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
	return preview.Download{URL: s.link(d), Digest: preview.SHA1Sum(d.sum)}, nil
}

// history gives the versions of a document that are kept, the newest last.
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
	return d, slices.DeleteFunc(s.state.versions(d.id), func(v version) bool { return !numbers[v.number] }), nil
}

func (s *Store) version(ctx context.Context, r preview.Request, number uint32) (document, error) {
	d, all, err := s.history(ctx, r)
	if err != nil {
		return document{}, err
	}
	i := slices.IndexFunc(all, func(v version) bool { return v.number == number })
	if i < 0 {
		return document{}, preview.ErrVersionNotFound
	}
	d.version = all[i]
	return d, nil
}

// Restore makes the bytes of an earlier version the newest version, as a save by the
// user of r does. The user needs History and Update.
func (s *Store) Restore(ctx context.Context, r preview.Request, version uint32) (preview.File, error) {
	d, err := s.version(ctx, r, version)
	if err != nil {
		return preview.File{}, err
	}
	if _, err := s.editable(ctx, r, mayUpdate); err != nil {
		return preview.File{}, err
	}
	f, err := s.root.Open(s.keptName(d.id, d.path, version))
	if err != nil {
		return preview.File{}, err
	}
	defer func() { _ = f.Close() }()
	token := s.newToken()
	if err := s.receive(ctx, token, d.id, d.size, f); err != nil {
		return preview.File{}, fmt.Errorf("dirstore: restore %q: %w", d.path, storageFull(err))
	}
	return s.complete(ctx, d, r.UserID, token, preview.Upload{Size: d.size, Digests: []preview.Digest{preview.SHA1Sum(d.sum)}})
}
