package dirstore

import (
	"crypto/sha1" //nolint:gosec // The digest of a download (protocol 2.5).
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"math"
	"slices"
	"time"
)

// settling is how old a change has to be before a file is taken for unchanged
// because its size and time are: file systems count time in steps.
const settling = 2 * time.Second

// version is one version of a document.
type version struct {
	number   uint32
	size     int64
	modified time.Time // of the file, as the file system says
	created  time.Time // as far as is known
	seen     time.Time // when its bytes were read
	saved    time.Time // when a user saved it; zero if another program did
	sum      [sha1.Size]byte
	user     string // who saved it
	upload   string // the upload that its bytes came from
	pending  bool   // its bytes are not in the document's place yet
}

// holds reports whether v is certainly still what info describes.
func (v *version) holds(info fs.FileInfo) bool {
	return v.describes(info) && v.seen.Sub(v.modified).Abs() > settling
}

// describes reports whether size and time are those of v.
func (v *version) describes(info fs.FileInfo) bool {
	return v.size == info.Size() && v.modified.Equal(info.ModTime())
}

// same reports whether the bytes are the same.
func (v *version) same(w *version) bool { return v.size == w.size && v.sum == w.sum }

// since is when v became the newest version.
func (v *version) since() time.Time {
	if v.saved.IsZero() {
		return v.modified
	}
	return v.saved
}

// move is the present path of a document that was renamed through the Store, so that
// it keeps its id.
type move struct {
	born string // the path of which its id was made
	from string // the path before, until the file has been renamed
	path string
}

// line is how a version or a move is kept. Keys are only ever added.
type line struct {
	ID       string    `json:"id"`
	Version  uint32    `json:"version,omitempty"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified,omitzero"`
	Created  time.Time `json:"created,omitzero"`
	Seen     time.Time `json:"seen,omitzero"`
	SHA1     string    `json:"sha1,omitempty"`
	Saved    time.Time `json:"saved,omitzero"`
	User     string    `json:"user,omitempty"`
	Upload   string    `json:"upload,omitempty"`
	Path     string    `json:"path,omitempty"`
	From     string    `json:"from,omitempty"`
	Born     string    `json:"born,omitempty"`
}

// lineStart is how every line starts.
const lineStart = `{"id":"`

func versionLine(id string, v version) line {
	return line{
		ID: id, Version: v.number, Size: v.size, Modified: v.modified, Created: v.created, Seen: v.seen,
		SHA1: hex.EncodeToString(v.sum[:]), Saved: v.saved, User: v.user, Upload: v.upload,
	}
}

func moveLine(id string, m move) line { return line{ID: id, Path: m.path, From: m.from, Born: m.born} }

// take reads one line. One that cannot be read was torn off, or is of a later release.
func (st *state) take(text []byte) {
	var l line
	if json.Unmarshal(text, &l) != nil || l.ID == "" {
		return
	}
	if l.Path != "" {
		st.takeMove(l.ID, move{born: l.Born, from: l.From, path: l.Path})
		return
	}
	v := version{
		number: l.Version, size: l.Size, modified: l.Modified, created: l.Created, seen: l.Seen,
		saved: l.Saved, user: l.User, upload: l.Upload,
	}
	if n, err := hex.Decode(v.sum[:], []byte(l.SHA1)); err == nil && n == len(v.sum) && v.number > 0 {
		st.takeVersion(l.ID, v)
	}
}

func (st *state) takeVersion(id string, v version) {
	all := st.docs[id]
	if len(all) > 0 {
		last := &all[len(all)-1]
		switch {
		case v.number < last.number:
			st.behind[id] = true
			return
		case v.number == last.number && v.same(last):
			*last = v
			delete(st.behind, id)
			return
		case v.number == last.number && last.number < math.MaxUint32:
			// The file was restored, and another process gave the number to other bytes.
			v.number++
			st.behind[id] = true
			st.docs[id] = st.trim(append(all, v))
			return
		}
	}
	delete(st.behind, id)
	st.docs[id] = st.trim(append(all, v))
}

func (st *state) trim(all []version) []version {
	if len(all) > st.keep {
		return append([]version(nil), all[len(all)-st.keep:]...)
	}
	return all
}

func (st *state) takeMove(id string, m move) {
	if before, ok := st.moves[id]; ok && st.owner[before.path] == id {
		delete(st.owner, before.path)
	}
	if before := st.moves[id]; before == m {
		delete(st.behind, id)
	}
	st.moves[id] = m
	st.owner[m.path] = id
}

// last is newest without a look at the file.
func (st *state) last(id string) (version, bool) {
	st.mu.RLock()
	defer st.mu.RUnlock()
	all := st.docs[id]
	if len(all) == 0 {
		return version{}, false
	}
	return all[len(all)-1], true
}

// versions gives the versions of id that are known, the newest last.
func (st *state) versions(id string) []version {
	st.mu.RLock()
	defer st.mu.RUnlock()
	return slices.Clone(st.docs[id])
}

// note remembers that the newest version of id was read again, without a line.
func (st *state) note(id string, v version) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if all := st.docs[id]; len(all) > 0 && all[len(all)-1].number == v.number {
		all[len(all)-1] = v
	}
}
