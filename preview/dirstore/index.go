package dirstore

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/weboffice-go/weboffice/preview"
)

// idBytes is how much of a SHA-256 makes an id. Among a thousand million paths, two
// with the same 160 bits are less likely than one in 10^30.
const idBytes = 20

// ID makes a file id of a path below Root, whose separator is "/": 32 lowercase
// letters and digits, the same in every process. There need not be such a file.
func (s *Store) ID(path string) string { return fileID(path) }

func fileID(name string) string {
	sum := sha256.Sum256([]byte(path.Clean(strings.TrimLeft(name, "/"))))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:idBytes]))
}

// Path returns the path below Root of the document with an id, for Config.Allow
// to decide by. An unknown id is preview.ErrNotFound.
func (s *Store) Path(ctx context.Context, fileID string) (string, error) {
	return s.index.find(ctx, fileID)
}

// index finds the path that an id was made of, by walking the folder.
type index struct {
	root *os.Root

	mu    sync.RWMutex
	paths map[string]string // by id; replaced as a whole

	turn  chan struct{} // holds one: who walks
	begun atomic.Uint64 // walks
	done  uint64        // the last walk that succeeded, as begun counts; behind turn
}

func newIndex(root *os.Root) *index { return &index{root: root, turn: make(chan struct{}, 1)} }

// find looks through the folder where the id is not known. Callers who wait for
// that share one walk, as long as it begins after they came.
func (x *index) find(ctx context.Context, id string) (string, error) {
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
	walk := x.begun.Add(1)
	paths, err := x.walk(ctx)
	if err != nil {
		return err
	}
	x.done = walk
	x.mu.Lock()
	defer x.mu.Unlock()
	x.paths = paths
	return nil
}

// walk finds every document. What cannot be read is passed over, Root aside.
func (x *index) walk(ctx context.Context) (map[string]string, error) {
	paths := map[string]string{}
	err := fs.WalkDir(x.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case name == ".":
			return err
		case hidden(d.Name()) && d.IsDir():
			return fs.SkipDir
		case err != nil || hidden(d.Name()) || d.IsDir():
			return nil
		}
		regular := d.Type().IsRegular()
		if d.Type()&fs.ModeSymlink != 0 {
			_, err := x.stat(name)
			regular = err == nil
		}
		if regular {
			paths[fileID(name)] = name
		}
		return nil
	})
	return paths, err
}

func hidden(name string) bool { return strings.HasPrefix(name, ".") }
