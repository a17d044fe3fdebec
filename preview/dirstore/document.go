package dirstore

import (
	"cmp"
	"context"
	"crypto/sha1" //nolint:gosec // The digest of a download (protocol 2.5).
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/weboffice-go/weboffice/preview"
)

// attempts is how often a file is read that is written to meanwhile.
const attempts = 8

// document is a file as it is now.
type document struct {
	id   string
	path string
	file string // where path leads, if it is a symbolic link
	version
}

// linked reports whether d is a symbolic link.
func (d *document) linked() bool { return d.path != d.file }

// find gives the document with an id, as it is now. A file that has to be read is read
// in the background, once for all who ask for it, and also if they stop waiting.
func (s *Store) find(ctx context.Context, id string) (document, error) {
	for n := 1; ; n++ {
		d, info, err := s.lookUp(ctx, id)
		if err != nil {
			return document{}, err
		}
		if d.version = s.state.last(id); d.holds(info) {
			return d, nil
		}
		j := s.jobs.start(ctx, id, info.Size(), func(ctx context.Context) (version, error) { return s.look(ctx, d) })
		select {
		case <-j.done:
		case <-ctx.Done():
			return document{}, ctx.Err()
		}
		d.version = j.version
		switch changed := errors.Is(j.err, errChanged); {
		case changed && n == attempts:
			return document{}, s.gone(ctx, id, fmt.Errorf("%q is being written to", d.path))
		case changed:
		case j.err != nil:
			return document{}, s.gone(ctx, id, j.err)
		// A read that others began may be of a file that has changed since.
		case n == attempts || d.pending || d.describes(info):
			return d, nil
		}
	}
}

// lookUp gives the path of a document and describes its file.
func (s *Store) lookUp(ctx context.Context, id string) (document, fs.FileInfo, error) {
	name, err := s.index.find(ctx, id)
	if err != nil {
		return document{}, nil, err
	}
	if m := s.state.moved(id); m.From != "" {
		if err := s.finishMove(ctx, id); err != nil {
			return document{}, nil, err
		}
		name, _ = s.index.get(id)
	}
	target, info, err := s.index.stat(name)
	if err != nil {
		return document{}, nil, s.gone(ctx, id, err)
	}
	return document{id: id, path: name, file: target}, info, nil
}

// gone tells a document that is not there any more from one that cannot be had.
func (s *Store) gone(ctx context.Context, id string, err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDocument) {
		return preview.ErrNotFound
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if walkErr := s.index.refresh(ctx); walkErr != nil {
		return errors.Join(err, walkErr)
	}
	if _, there := s.index.get(id); !there {
		return preview.ErrNotFound
	}
	return fmt.Errorf("dirstore: %w", storageFull(err))
}

// look says which version a file is, and keeps its bytes if it is a new one. If the file
// changes meanwhile, it is errChanged.
func (s *Store) look(ctx context.Context, d document) (version, error) {
	if s.cfg.Editing {
		if v, err := s.finishSave(ctx, d); v.pending || err != nil {
			return v, err
		}
	}
	seen, err := s.read(d)
	if err != nil {
		return version{}, err
	}
	v, err := s.record(ctx, d, seen)
	if err != nil {
		return version{}, fmt.Errorf("keep the version of %q: %w", d.path, err)
	}
	return v, nil
}

// read digests a file, all of it as it was at one time. With Editing the bytes of a new
// version are copied first, and the copy is digested.
func (s *Store) read(d document) (v version, err error) {
	f, err := s.root.openFile(d.file)
	if err != nil {
		return v, err
	}
	defer func() { _ = f.file.Close() }()
	v = version{Size: f.info.Size(), Modified: f.info.ModTime().UTC(), Seen: s.clock().UTC()}
	n, err := s.digest(&v, f.file)
	if err != nil {
		return v, err
	}
	if n != v.Size || f.changed() {
		return v, errChanged
	}
	last := s.state.last(d.id)
	if !s.cfg.Editing || last.same(&v) && s.kept(d, last.Number) {
		return v, nil
	}
	sum := v.SHA1
	if v.Upload, err = s.copyIn(&v, f.file); err != nil {
		return v, err
	}
	if v.SHA1 != sum {
		return v, errors.Join(errChanged, s.discard(v.Upload))
	}
	return v, nil
}

// digest reads f to its end, unless the store is closed.
func (s *Store) digest(v *version, f *os.File) (int64, error) {
	hash := sha1.New() //nolint:gosec // See the import.
	n, err := io.Copy(hash, readerFunc(func(p []byte) (int, error) {
		if s.jobs.closing.Load() {
			return 0, errClosed
		}
		return f.Read(p)
	}))
	v.SHA1 = hex.EncodeToString(hash.Sum(nil))
	return n, err
}

// record makes seen the latest version: the same as the one before if its bytes are,
// and otherwise the next. If the document was saved since it was read, it is errChanged.
func (s *Store) record(ctx context.Context, d document, seen version) (v version, err error) {
	err = s.state.locked(ctx, func(f *os.File) error {
		if info, err := s.root.Lstat(d.file); err != nil || !seen.describes(info) {
			return errors.Join(errChanged, missing(err, nil))
		}
		before := s.state.last(d.id)
		if s.unplaced(before) { // The file is still that of the version before.
			return errChanged
		}
		if before.same(&seen) {
			v = before
			v.Modified, v.Seen = seen.Modified, seen.Seen
		} else {
			v = seen
			v.Created = cmp.Or(before.Created, seen.Modified)
			if v.Number, err = s.nextNumber(d, before); err != nil {
				return err
			}
		}
		if v.Number == before.Number && v.Modified.Equal(before.Modified) {
			s.state.note(d.id, v)
		} else if err := s.state.add(f, line{ID: d.id, version: v}); err != nil {
			return err
		}
		if seen.Upload == "" {
			return nil
		}
		if err := s.moveIn(d, seen.Upload, v.Number); err != nil {
			return err
		}
		s.prune(d, v)
		return s.discard(seen.Upload)
	})
	if err != nil && seen.Upload != "" && v.Number == 0 {
		err = errors.Join(err, s.discard(seen.Upload))
	}
	return v, err
}

// nextNumber is the number after that of before. Versions in the history of which the
// state file knows nothing, since it was lost, have their numbers still.
func (s *Store) nextNumber(d document, before version) (uint32, error) {
	number := before.Number + 1
	if !s.cfg.Editing || before.Number > 0 && !s.kept(d, number) {
		return number, nil
	}
	numbers, err := s.keptNumbers(d)
	for n := range numbers {
		number = max(number, n+1)
	}
	return number, err
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
