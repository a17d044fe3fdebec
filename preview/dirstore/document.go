package dirstore

import (
	"context"
	"crypto/sha1" //nolint:gosec // The digest of a download (protocol 2.5).
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/weboffice-go/weboffice/preview"
)

// document is a file as it is now.
type document struct {
	id   string
	path string
	version
}

// find gives the document with an id, as it is now.
func (s *Store) find(ctx context.Context, id string) (document, error) {
	name, err := s.index.find(ctx, id)
	if err != nil {
		return document{}, err
	}
	info, err := s.stat(ctx, id, name)
	if err != nil {
		return document{}, err
	}
	d := document{id: id, path: name}
	known := false
	if d.version, known = s.versions.get(id); known && d.holds(info) {
		return d, nil
	}
	release, err := s.turns.take(ctx, id)
	if err != nil {
		return document{}, err
	}
	defer release()
	// Whoever had the turn before may have read it.
	if d.version, known = s.versions.get(id); known && d.holds(info) {
		return d, nil
	}
	seen, err := s.read(ctx, name)
	if err != nil {
		return document{}, s.gone(ctx, id, err)
	}
	if d.version, err = s.versions.put(id, seen); err != nil {
		return document{}, fmt.Errorf("dirstore: keep the version of %q: %w", name, err)
	}
	return d, nil
}

// stat looks at the file that was a document when the folder was last walked.
func (s *Store) stat(ctx context.Context, id, name string) (fs.FileInfo, error) {
	info, err := s.index.stat(name)
	if err != nil {
		return nil, s.gone(ctx, id, err)
	}
	return info, nil
}

// gone tells a document that is not there any more from one that cannot be had.
func (s *Store) gone(ctx context.Context, id string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
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
	return fmt.Errorf("dirstore: %w", err)
}

// attempts is how often a file is read that is written to meanwhile.
const attempts = 3

// read digests a file, all of it as it was at one time.
func (s *Store) read(ctx context.Context, name string) (version, error) {
	for range attempts {
		v, steady, err := s.readOnce(ctx, name)
		if err != nil || steady {
			return v, err
		}
	}
	return version{}, fmt.Errorf("%q is being written to", name)
}

func (s *Store) readOnce(ctx context.Context, name string) (v version, steady bool, err error) {
	f, err := s.root.Open(name)
	if err != nil {
		return v, false, err
	}
	defer func() { _ = f.Close() }()
	before, err := f.Stat()
	if err != nil {
		return v, false, err
	}
	v = version{size: before.Size(), modified: before.ModTime().UTC(), seen: s.clock().UTC()}
	hash := sha1.New() //nolint:gosec // See the import.
	n, err := io.Copy(hash, readUntil(ctx, f))
	if err != nil {
		return v, false, err
	}
	hash.Sum(v.sum[:0])
	return v, n == v.size && unchanged(f, before), nil
}

// unchanged reports whether an open file is as before describes it.
func unchanged(f *os.File, before fs.FileInfo) bool {
	now, err := f.Stat()
	return err == nil && now.Size() == before.Size() && now.ModTime().Equal(before.ModTime())
}

// readUntil reads from r until ctx ends.
func readUntil(ctx context.Context, r io.Reader) io.Reader {
	return readerFunc(func(p []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return r.Read(p)
	})
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
