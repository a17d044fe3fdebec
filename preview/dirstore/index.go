package dirstore

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weboffice-go/weboffice/preview"
)

// idBytes is how much of a SHA-256 makes an id. Among a thousand million paths, two
// with the same 160 bits are less likely than one in 10^30.
const idBytes = 20

// ID makes a file id of a path below Root, with "/" as separator: 32 lowercase letters
// and digits. There need not be such a file. What another process has renamed it knows
// after the next call of a method that has a context.
func (s *Store) ID(path string) string { return s.state.idOf(clean(path)) }

func clean(name string) string { return path.Clean(strings.TrimLeft(name, "/")) }

// fileID makes an id of a clean path. The nth id of one path is for the file that
// took the place of n others, which were renamed and keep theirs.
func fileID(name string, n int) string {
	if n > 0 {
		name += "\x00" + strconv.Itoa(n)
	}
	sum := sha256.Sum256([]byte(name))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:idBytes]))
}

// Path returns the path below Root of the document with an id.
func (s *Store) Path(ctx context.Context, fileID string) (string, error) {
	return s.index.find(ctx, fileID)
}

// index finds the path that an id was made of, by reading the folder. A folder that
// has not changed is not read again, so that an unknown id costs little.
type index struct {
	root  *os.Root
	state *state
	clock func() time.Time

	mu    sync.RWMutex
	paths map[string]string // by id

	turn    chan struct{} // holds one: who walks
	folders map[string]*folder
	begun   atomic.Uint64 // walks
	reads   atomic.Uint64 // folders that a walk had to read
	done    uint64        // the last walk that succeeded, as begun counts; guarded by turn
}

// folder is a folder as it was read.
type folder struct {
	modified, seen time.Time
	ids, subs      []string
	walk           uint64 // the last that met it
}

func newIndex(root *os.Root, state *state, clock func() time.Time) *index {
	return &index{
		root: root, state: state, clock: clock, turn: make(chan struct{}, 1),
		paths: map[string]string{}, folders: map[string]*folder{},
	}
}

// find looks through the folder if the id is not known. Callers who wait for that
// share one walk, as long as it begins after they came.
func (x *index) find(ctx context.Context, id string) (string, error) {
	x.state.refresh(ctx) // another process may have renamed it, or found a version
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if name, ok := x.get(id); ok {
		return name, nil
	}
	if err := x.refresh(ctx); err != nil {
		return "", err
	}
	if name, ok := x.get(id); ok {
		return name, nil
	}
	return "", preview.ErrNotFound
}

func (x *index) get(id string) (string, bool) {
	if m := x.state.moved(id); m.Path != "" {
		return m.Path, true
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	name, ok := x.paths[id]
	return name, ok
}

// refresh returns after a walk that began after it was called.
func (x *index) refresh(ctx context.Context) error {
	before := x.begun.Load()
	select {
	case x.turn <- struct{}{}:
		defer func() { <-x.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if x.done > before {
		return nil
	}
	x.state.refresh(ctx) // documents that another process renamed
	walk := x.begun.Add(1)
	if err := x.walk(ctx, ".", walk); err != nil {
		return err
	}
	for dir, f := range x.folders {
		if f.walk != walk {
			x.forget(dir, f)
		}
	}
	x.done = walk
	return nil
}

// walk finds every document. What cannot be read is passed over, Root aside.
func (x *index) walk(ctx context.Context, dir string, walk uint64) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	f, err := x.folder(dir)
	if err != nil {
		if dir == "." {
			return err
		}
		return nil
	}
	f.walk = walk
	for _, sub := range f.subs {
		if err := x.walk(ctx, sub, walk); err != nil {
			return err
		}
	}
	return nil
}

// folder gives what is in dir, and reads it if it has changed.
func (x *index) folder(dir string) (*folder, error) {
	info, err := x.root.Lstat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, errNotDocument // since a moment
	}
	before := x.folders[dir]
	if before != nil && before.modified.Equal(info.ModTime()) && before.seen.Sub(before.modified).Abs() > settling {
		return before, nil
	}
	f, err := x.root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	x.reads.Add(1)
	now := &folder{modified: info.ModTime(), seen: x.clock()}
	entries, err := f.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	paths := map[string]string{}
	for _, d := range entries {
		if hidden(d.Name()) {
			continue
		}
		name := path.Join(dir, d.Name())
		switch {
		case d.IsDir():
			now.subs = append(now.subs, name)
		case d.Type().IsRegular() || d.Type()&fs.ModeSymlink != 0:
			id := x.state.idOf(name)
			now.ids = append(now.ids, id)
			paths[id] = name
		}
	}
	if before != nil {
		x.forget(dir, before)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	maps.Copy(x.paths, paths)
	x.folders[dir] = now
	return now, nil
}

// forget removes a folder that is gone, or is read again.
func (x *index) forget(dir string, f *folder) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range f.ids {
		delete(x.paths, id)
	}
	delete(x.folders, dir)
}

// hidden reports whether a file of that name is not a document: one that starts with a
// dot, or the file by which an office program shows that a document is open.
func hidden(name string) bool { return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "~$") }

// maxLinks is how many symbolic links may follow each other, as in most systems.
const maxLinks = 40

var errNotDocument = errors.New("dirstore: not a regular file, or a hidden one")

// stat describes the document at name, and says at which path its file is: it follows
// every symbolic link in name, one element after the other. Those that lead out of the
// folder the os.Root refuses. A link to what is hidden is not a document.
func (x *index) stat(name string) (target string, info fs.FileInfo, err error) {
	rest := strings.Split(name, "/")
	for links := 0; len(rest) > 0; {
		next := path.Join(target, rest[0])
		rest = rest[1:]
		if info, err = x.root.Lstat(next); err != nil {
			if links > 0 {
				err = errors.Join(errNotDocument, err)
			}
			return "", nil, err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			target = next
			continue
		}
		link, err := x.root.Readlink(next)
		if links++; err != nil || links > maxLinks || filepath.IsAbs(link) {
			return "", nil, fmt.Errorf("dirstore: the link %q cannot be followed: %w", next, errors.Join(err, errNotDocument))
		}
		rest = append(strings.Split(filepath.ToSlash(link), "/"), rest...)
	}
	if !info.Mode().IsRegular() || slices.ContainsFunc(strings.Split(target, "/"), hidden) {
		return "", nil, errNotDocument
	}
	return target, info, nil
}
