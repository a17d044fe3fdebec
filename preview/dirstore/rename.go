package dirstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"github.com/weboffice-go/weboffice/preview"
)

// Rename implements preview.Renamer: it renames the file, in its folder. The document
// keeps its id and its history. A name that would hide the file, or that
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
		m, ok := s.state.moved(d.id)
		if !ok {
			m = move{born: d.path, path: d.path}
		}
		m.from, m.path = m.path, path.Join(path.Dir(m.path), name)
		if m.from == m.path {
			return nil
		}
		if taken, err := s.taken(m); err != nil {
			return fmt.Errorf("%w: %w", preview.ErrInvalid, err)
		} else if taken {
			return preview.ErrNameConflict
		}
		if err := s.state.add(f, moveLine(d.id, m)); err != nil {
			return err
		}
		return s.move(f, d.id, m)
	})
	if err != nil {
		return fmt.Errorf("dirstore: rename %q: %w", d.path, storageFull(err))
	}
	return nil
}

// taken reports whether another file has the new name. On some file systems a name in
// other letters is the same name. An error means that no file can have the name.
func (s *Store) taken(m move) (bool, error) {
	there, err := s.root.Lstat(m.path)
	if err != nil {
		return false, missing(err, nil)
	}
	old, err := s.root.Lstat(m.from)
	return err != nil || !os.SameFile(there, old), nil
}

// move renames the file, and notes that it was done. If it cannot be, the document has
// its old name again.
func (s *Store) move(f *os.File, id string, m move) error {
	err := s.moveFile(m)
	done := move{born: m.born, path: m.path}
	if err != nil {
		done.path = m.from
	}
	return errors.Join(err, s.state.add(f, moveLine(id, done)))
}

// moveFile takes no name from another file: a hard link, unlike a renaming, fails if
// there is one. Some file systems have none.
func (s *Store) moveFile(m move) error {
	err := s.root.Link(m.from, m.path)
	switch {
	case err == nil:
		err = errors.Join(s.syncDir(path.Dir(m.path)), s.root.Remove(m.from))
	case !errors.Is(err, fs.ErrExist):
		err = s.root.Rename(m.from, m.path)
	default:
		if taken, err := s.taken(m); taken || err != nil {
			return preview.ErrNameConflict
		}
		err = s.root.Rename(m.from, m.path) // in other letters
	}
	if err != nil {
		return err
	}
	return s.syncDir(path.Dir(m.path))
}

// finishMove does what a crash kept Rename from.
func (s *Store) finishMove(ctx context.Context, id string) error {
	return s.state.locked(ctx, func(f *os.File) error {
		m, ok := s.state.moved(id)
		if !ok || m.from == "" {
			return nil
		}
		old, err := s.root.Lstat(m.from)
		if err != nil { // the file has its new name, or is gone
			return s.state.add(f, moveLine(id, move{born: m.born, path: m.path}))
		}
		if there, err := s.root.Lstat(m.path); err == nil && !os.SameFile(there, old) {
			// Another file took the new name first.
			return s.state.add(f, moveLine(id, move{born: m.born, path: m.from}))
		} else if err == nil && m.path != m.from {
			if err := s.root.Remove(m.from); err != nil {
				return err
			}
			if err := s.syncDir(path.Dir(m.path)); err != nil {
				return err
			}
			return s.state.add(f, moveLine(id, move{born: m.born, path: m.path}))
		}
		return s.move(f, id, m)
	})
}

// unfinishedMoves gives the documents whose file may not have been renamed yet.
func (st *state) unfinishedMoves() (ids []string) {
	st.mu.RLock()
	defer st.mu.RUnlock()
	for id, m := range st.moves {
		if m.from != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// moved gives the path of a document that was renamed.
func (st *state) moved(id string) (move, bool) {
	st.mu.RLock()
	defer st.mu.RUnlock()
	m, ok := st.moves[id]
	return m, ok
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
