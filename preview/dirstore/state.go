package dirstore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
)

// remembered is how many versions of a document are held in memory at least, so that
// a save that is completed a second time is recognised.
const remembered = 100

// state knows the versions of each document, and keeps them in a file to which lines
// are only ever added. Processes that share the file agree, since each locks it, reads
// what others added, and only then adds a line: a number is claimed once.
//
// What this process has answered stays true even if the file is removed, or restored
// from a backup: numbers only rise, and the file is told again what it has forgotten.
type state struct {
	disk *disk
	name string // of the file
	keep int    // how many versions of a document are held in memory

	turn chan struct{} // holds one: who has the file locked

	mu    sync.RWMutex
	docs  map[string][]version // by id; the newest is the last
	moves map[string]move      // by id
	owner map[string]string    // id by path, of those that were renamed
	info  fs.FileInfo          // the file that was read
	read  int64                // bytes of the file that are in memory
	known int64                // bytes of the file that are of this process
	tail  []byte               // the last bytes that were read

	behind map[string]bool // ids of which the file knows fewer versions than the memory; guarded by turn
	lost   map[string]bool // ids of which it may not know the newest move; guarded by turn
}

func newState(disk *disk, name string, keep int) *state {
	return &state{
		disk: disk, name: name, keep: keep, turn: make(chan struct{}, 1), docs: map[string][]version{},
		moves: map[string]move{}, owner: map[string]string{}, behind: map[string]bool{}, lost: map[string]bool{},
	}
}

var (
	errForeign = errors.New("the file does not hold versions, or none of them can be read; if it is moved away, all versions start at 1 again")
	errClosed  = errors.New("dirstore: the store is closed")
)

// refresh reads what other processes added. A file that cannot be read changes nothing:
// what is in memory stays true.
func (st *state) refresh(ctx context.Context) {
	info, err := st.disk.Stat(st.name)
	if err == nil {
		st.mu.RLock()
		size := info.Size()
		same := st.info != nil && os.SameFile(info, st.info) && size >= st.read && size <= st.known
		st.mu.RUnlock()
		if same {
			return
		}
	}
	_ = st.locked(ctx, func(*os.File) error { return nil })
}

// noDeadline is the context of what New does.
var noDeadline = context.Background()

// load reads the file, and creates it if it does not exist.
func (st *state) load() error {
	return st.locked(noDeadline, func(f *os.File) error {
		if len(st.docs)+len(st.moves) > 0 {
			return nil
		}
		content := make([]byte, len(lineStart))
		n, err := f.ReadAt(content, 0)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		// A crash while the first line was written leaves a part of it.
		if st.read > 0 || !strings.HasPrefix(lineStart, string(content[:n])) {
			return errForeign
		}
		return nil
	})
}

// locked calls do while no other process and no other caller has the file, and after
// all that they added was read.
func (st *state) locked(ctx context.Context, do func(f *os.File) error) error {
	select {
	case st.turn <- struct{}{}:
		defer func() { <-st.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	f, err := st.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // which unlocks it
	if err := st.catchUp(f); err != nil {
		return err
	}
	if len(st.behind)+len(st.lost) > 0 {
		if err := st.remind(f); err != nil {
			return err
		}
	}
	return do(f)
}

// open opens the file and locks it.
func (st *state) open(ctx context.Context) (*os.File, error) {
	for {
		f, err := st.disk.OpenFile(st.name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return nil, err
		}
		current, err := st.lock(ctx, f)
		if current {
			return f, nil
		}
		if err := errors.Join(err, f.Close(), ctx.Err()); err != nil {
			return nil, err
		}
	}
}

// lock locks f, and reports whether it is the file still: a lock on one that was
// replaced meanwhile excludes no one.
func (st *state) lock(ctx context.Context, f *os.File) (current bool, err error) {
	if err := lockFile(ctx, f); err != nil {
		return false, err
	}
	opened, err := f.Stat()
	if err == nil && opened.Size() == 0 { // perhaps new
		err = st.disk.syncDir(".")
	}
	if err != nil {
		return false, err
	}
	now, err := st.disk.Stat(st.name)
	return err == nil && os.SameFile(opened, now), nil
}

// catchUp reads the lines that were added since it was last called. They are synced
// first: a version that is answered must outlast a power failure. Lookups go on meanwhile.
func (st *state) catchUp(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	continues, from := st.continues(f, info), st.read
	if !continues {
		from = 0
	}
	added, err := io.ReadAll(io.NewSectionReader(f, from, info.Size()-from))
	if err != nil {
		return err
	}
	added = added[:bytes.LastIndexByte(added, '\n')+1]
	if len(added) > 0 && st.info != nil {
		if err := f.Sync(); err != nil {
			return err
		}
		if err := st.disk.synced(st.name); err != nil {
			return err
		}
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if !continues {
		for id := range st.docs {
			st.behind[id] = true
		}
		for id := range st.moves {
			st.lost[id] = true
		}
	}
	for text := range bytes.Lines(added) {
		st.take(text)
	}
	st.info, st.read, st.known = info, from+int64(len(added)), info.Size()
	if len(added) > 0 || !continues {
		st.tail = bytes.Clone(added[max(0, len(added)-64):])
	}
	return nil
}

// continues reports whether f is the file that was read, with more at its end.
func (st *state) continues(f *os.File, info fs.FileInfo) bool {
	if st.info == nil {
		return true
	}
	if !os.SameFile(info, st.info) || info.Size() < st.read {
		return false
	}
	tail := make([]byte, len(st.tail))
	_, err := f.ReadAt(tail, st.read-int64(len(tail)))
	return err == nil && bytes.Equal(tail, st.tail)
}

// remind adds what the file has forgotten, or never knew.
func (st *state) remind(f *os.File) error {
	var lines []line
	st.mu.RLock()
	for id := range st.behind {
		all := st.docs[id]
		lines = append(lines, line{ID: id, version: all[len(all)-1]})
	}
	for id := range st.lost {
		lines = append(lines, line{ID: id, move: st.moves[id]})
	}
	st.mu.RUnlock()
	return st.add(f, lines...) // which reads them, and so takes them off the lists
}

// add appends lines, and returns once they are on the disk.
func (st *state) add(f *os.File, lines ...line) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	var text []byte
	if info.Size() > st.read {
		text = append(text, "torn\n"...) // ends a line that a crash cut off, and keeps it from being read
	}
	for _, l := range lines {
		b, err := json.Marshal(l)
		if err != nil {
			return err
		}
		text = append(append(text, b...), '\n')
	}
	st.knows(info.Size() + int64(len(text)))
	if _, err = f.Write(text); err == nil {
		err = st.catchUp(f)
	}
	if err != nil {
		st.knows(st.read) // what is there now has to be read
	}
	return err
}

// knows says how much of the file refresh need not read.
func (st *state) knows(size int64) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.known = size
}

// unfinished gives the documents whose newest version came from an upload, by its name,
// and those whose file may not have been renamed yet.
func (st *state) unfinished() (uploads map[string]string, moves []string) {
	st.mu.RLock()
	defer st.mu.RUnlock()
	uploads = map[string]string{}
	for id, all := range st.docs {
		if upload := all[len(all)-1].Upload; upload != "" {
			uploads[upload] = id
		}
	}
	for id, m := range st.moves {
		if m.From != "" {
			moves = append(moves, id)
		}
	}
	return uploads, moves
}
