package dirstore

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // The digest of a download (protocol 2.5).
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"
)

// settling is how old a change has to be before a file is taken for unchanged
// because its size and time are: file systems count time in steps.
const settling = 2 * time.Second

// version is one version of a file, as it was seen.
type version struct {
	number   uint32
	size     int64
	modified time.Time
	created  time.Time // as far as is known
	seen     time.Time // when its bytes were read
	sum      [sha1.Size]byte
}

// holds reports whether v is certainly still what info describes.
func (v *version) holds(info fs.FileInfo) bool {
	return v.size == info.Size() && v.modified.Equal(info.ModTime()) && v.seen.Sub(v.modified) > settling
}

// versions knows the latest version of each file, and keeps them in a file to
// which lines are only ever added. It is safe for concurrent use, also by several
// processes on one file: what another one added is read before a line is.
type versions struct {
	open func(flag int) (*os.File, error)

	mu     sync.Mutex
	latest map[string]version // by id
	read   int64              // bytes of the file that are in latest
}

func newVersions(open func(flag int) (*os.File, error)) *versions {
	return &versions{open: open, latest: map[string]version{}}
}

var errForeign = errors.New("the file holds something else than versions, or nothing of them can be read; move it away, and all versions start anew")

// lineStart is how every line starts.
const lineStart = `{"id":"`

// line is how a version is kept. Keys are only ever added.
type line struct {
	ID       string    `json:"id"`
	Version  uint32    `json:"version"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
	Created  time.Time `json:"created"`
	Seen     time.Time `json:"seen"`
	SHA1     string    `json:"sha1"`
}

// get gives the latest version of id.
func (vs *versions) get(id string) (version, bool) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	v, ok := vs.latest[id]
	return v, ok
}

// load reads the file, and creates it where there is none.
func (vs *versions) load() error {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	f, err := vs.open(os.O_RDWR | os.O_CREATE | os.O_APPEND)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if _, err := vs.catchUp(f); err != nil || len(vs.latest) > 0 {
		return err
	}
	content := make([]byte, len(lineStart))
	n, err := f.ReadAt(content, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	// A crash while the first line was written leaves a part of it.
	if vs.read > 0 || !strings.HasPrefix(lineStart, string(content[:n])) {
		return errForeign
	}
	return nil
}

// put makes seen the latest version of id: the same as the one before if its bytes
// are, and otherwise the next.
func (vs *versions) put(id string, seen version) (version, error) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	f, err := vs.open(os.O_RDWR | os.O_CREATE | os.O_APPEND)
	if err != nil {
		return version{}, err
	}
	defer func() { _ = f.Close() }()
	torn, err := vs.catchUp(f)
	if err != nil {
		return version{}, err
	}
	before, known := vs.latest[id]
	seen.number, seen.created = 1, seen.modified
	if known {
		seen.number, seen.created = before.number, before.created
		if before.sum != seen.sum || before.size != seen.size {
			seen.number++
		}
	}
	if !known || seen.number != before.number || !seen.modified.Equal(before.modified) {
		if err := vs.add(f, torn, id, seen); err != nil {
			return version{}, err
		}
	}
	vs.latest[id] = seen
	return seen, nil
}

// add writes one line, after the end of one that was torn off by a crash.
func (vs *versions) add(f *os.File, torn bool, id string, v version) error {
	b, err := json.Marshal(line{id, v.number, v.size, v.modified, v.created, v.seen, hex.EncodeToString(v.sum[:])})
	if err != nil {
		return err
	}
	if torn {
		b = append([]byte{'\n'}, b...)
	}
	b = append(b, '\n')
	if _, err := f.Write(b); err != nil {
		return err
	}
	// Where nobody else wrote in between, there is no need to read the line.
	if end, err := f.Seek(0, io.SeekCurrent); err == nil && end == vs.read+int64(len(b)) {
		vs.read = end
	}
	return f.Sync()
}

// catchUp reads the lines that were added since it was last called. It reports
// whether the last of them has no end.
func (vs *versions) catchUp(f *os.File) (torn bool, err error) {
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	if info.Size() < vs.read { // somebody started it anew
		vs.read, vs.latest = 0, map[string]version{}
	}
	added, err := io.ReadAll(io.NewSectionReader(f, vs.read, info.Size()-vs.read))
	if err != nil {
		return false, err
	}
	end := bytes.LastIndexByte(added, '\n') + 1
	for text := range bytes.Lines(added[:end]) {
		vs.take(text)
	}
	vs.read += int64(end)
	return end < len(added), nil
}

// take reads one line. One that cannot be read was torn off, or is of some later
// release.
func (vs *versions) take(text []byte) {
	var l line
	if json.Unmarshal(text, &l) != nil || l.Version == 0 {
		return
	}
	v := version{number: l.Version, size: l.Size, modified: l.Modified, created: l.Created, seen: l.Seen}
	if n, err := hex.Decode(v.sum[:], []byte(l.SHA1)); err != nil || n != len(v.sum) {
		return
	}
	if v.number >= vs.latest[l.ID].number {
		vs.latest[l.ID] = v
	}
}
