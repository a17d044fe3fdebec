package dirstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/weboffice-go/weboffice/preview"
)

// Rename implements preview.Renamer. A name that would hide the file, or that
// preview.CleanName would change, is preview.ErrInvalid.
func (s *Store) Rename(ctx context.Context, r preview.Request, name string) error {
	d, err := s.editable(ctx, r, func(p preview.Permission) bool { return p.Rename })
	if err != nil {
		return err
	}
	if hidden(name) || preview.CleanName(name) != name {
		return fmt.Errorf("%w: no document may have this name", preview.ErrInvalid)
	}
	err = s.state.locked(ctx, func(f *os.File) error {
		m := s.state.moved(d.id)
		if m.Path == "" {
			m = move{Born: d.path, Path: d.path}
		}
		m.From, m.Path = m.Path, path.Join(path.Dir(m.Path), name)
		if m.From == m.Path {
			return nil
		}
		if _, err := s.root.Lstat(m.Path); missing(err, nil) != nil {
			return fmt.Errorf("%w: %w", preview.ErrInvalid, err)
		} else if err == nil && !s.root.sameFile(m.From, m.Path) {
			return preview.ErrNameConflict
		}
		if err := s.state.add(f, line{ID: d.id, move: m}); err != nil {
			return err
		}
		return s.move(f, d.id, m)
	})
	if err != nil {
		return fmt.Errorf("dirstore: rename %q: %w", d.path, storageFull(err))
	}
	return nil
}

// move renames the file, or does what a crash kept an earlier call from, and notes that
// it was done. A file that cannot be renamed keeps its old name.
func (s *Store) move(f *os.File, id string, m move) error {
	done := move{Born: m.Born, Path: m.Path}
	err := s.moveFile(m)
	if err != nil {
		done.Path = m.From
	} else {
		err = s.root.syncDir(path.Dir(m.Path))
	}
	return errors.Join(err, s.state.add(f, line{ID: id, move: done}))
}

// moveFile takes no name from another file: a hard link, unlike a renaming, fails if
// there is one. Some file systems have none. If it fails, the file has its old name.
func (s *Store) moveFile(m move) error {
	switch {
	case !s.root.exists(m.From): // it was renamed, or is gone
		return nil
	case !s.root.exists(m.Path):
		err := s.root.Link(m.From, m.Path)
		switch {
		case err == nil:
			if err := s.root.syncDir(path.Dir(m.Path)); err != nil {
				return errors.Join(err, s.root.Remove(m.Path))
			}
			return s.root.Remove(m.From)
		case errors.Is(err, fs.ErrExist):
			return preview.ErrNameConflict
		default:
			return s.root.Rename(m.From, m.Path)
		}
	case !s.root.sameFile(m.From, m.Path):
		return preview.ErrNameConflict
	case strings.EqualFold(m.From, m.Path): // on some file systems one name
		return s.root.Rename(m.From, m.Path)
	default: // a crash came after the link
		return s.root.Remove(m.From)
	}
}

// finishMove does what a crash kept Rename from. If another file took the new name
// first, the document keeps the old one.
func (s *Store) finishMove(ctx context.Context, id string) error {
	return s.state.locked(ctx, func(f *os.File) error {
		m := s.state.moved(id)
		if m.From == "" {
			return nil
		}
		if err := s.move(f, id, m); !errors.Is(err, preview.ErrNameConflict) {
			return err
		}
		return nil
	})
}

// moved gives the path of a document that was renamed, and a zero move of another.
func (st *state) moved(id string) move {
	st.mu.RLock()
	defer st.mu.RUnlock()
	return st.moves[id]
}

// idOf gives the id of the document at a path. The id that is made of the path may
// belong to a document that was renamed since; the file that took its place gets the
// next one.
func (st *state) idOf(name string) string {
	st.mu.RLock()
	defer st.mu.RUnlock()
	if id, ok := st.owner[name]; ok {
		return id
	}
	for n := 0; ; n++ {
		id := fileID(name, n)
		if _, taken := st.moves[id]; !taken {
			return id
		}
	}
}
