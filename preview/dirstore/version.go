package dirstore

import (
	"crypto/sha1" //nolint:gosec // The digest of a download (protocol 2.5).
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"slices"
	"time"
)

// settling is how old a change has to be before a file is taken for unchanged
// because its size and time are: file systems count time in steps.
const settling = 2 * time.Second

// version is one version of a document. Keys of the state file are only ever added.
type version struct {
	Number   uint32    `json:"version,omitempty"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified,omitzero"` // of the file, as the file system says
	Created  time.Time `json:"created,omitzero"`  // as far as is known
	Seen     time.Time `json:"seen,omitzero"`     // when its bytes were read
	SHA1     string    `json:"sha1,omitempty"`    // in hexadecimal digits
	Saved    time.Time `json:"saved,omitzero"`    // when a user saved it; zero if another program did
	User     string    `json:"user,omitempty"`    // who saved it
	Upload   string    `json:"upload,omitempty"`  // the upload that its bytes came from

	pending bool // its bytes are not in the document's place yet
}

// holds reports whether v is certainly still what info describes.
func (v *version) holds(info fs.FileInfo) bool {
	return v.describes(info) && v.Seen.Sub(v.Modified).Abs() > settling
}

// describes reports whether size and time are those of v.
func (v *version) describes(info fs.FileInfo) bool {
	return v.Size == info.Size() && v.Modified.Equal(info.ModTime())
}

// same reports whether the bytes are the same.
func (v *version) same(w *version) bool { return v.Size == w.Size && v.SHA1 == w.SHA1 }

// since is when v became the newest version.
func (v *version) since() time.Time {
	if v.Saved.IsZero() {
		return v.Modified
	}
	return v.Saved
}

// move is the present path of a document that was renamed through the Store, so that
// it keeps its id.
type move struct {
	Path string `json:"path,omitempty"`
	From string `json:"from,omitempty"` // the path before, until the file has been renamed
	Born string `json:"born,omitempty"` // the path of which the id was made
}

// line is a line of the state file: a version or a move.
type line struct {
	ID string `json:"id"`
	version
	move
}

// lineStart is how every line starts.
const lineStart = `{"id":"`

// take reads one line. One that cannot be read was torn off, or is of a later release.
func (st *state) take(text []byte) {
	var l line
	switch {
	case json.Unmarshal(text, &l) != nil || l.ID == "":
	case l.Path != "":
		st.takeMove(l.ID, l.move)
	case l.Number > 0 && len(l.SHA1) == hex.EncodedLen(sha1.Size):
		st.takeVersion(l.ID, l.version)
	}
}

func (st *state) takeVersion(id string, v version) {
	all := st.docs[id]
	var last version
	if len(all) > 0 {
		last = all[len(all)-1]
	}
	delete(st.behind, id)
	switch {
	case v.Number < last.Number:
		st.behind[id] = true
		return
	case v.Number == last.Number && v.same(&last): // its file was read again
		all = all[:len(all)-1]
	case v.Number == last.Number:
		// The file was restored, and another process gave the number to other bytes.
		v.Number++
		st.behind[id] = true
	}
	all = append(all, v)
	st.docs[id] = all[max(0, len(all)-st.keep):]
}

func (st *state) takeMove(id string, m move) {
	before := st.moves[id]
	if st.lost[id] && before != m { // as in a backup of the file
		return
	}
	delete(st.lost, id)
	if st.owner[before.Path] == id {
		delete(st.owner, before.Path)
	}
	st.moves[id] = m
	st.owner[m.Path] = id
}

// last gives the newest version of id, and a zero version if none is known.
func (st *state) last(id string) (v version) {
	st.mu.RLock()
	defer st.mu.RUnlock()
	if all := st.docs[id]; len(all) > 0 {
		v = all[len(all)-1]
	}
	return v
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
	if all := st.docs[id]; len(all) > 0 && all[len(all)-1].Number == v.Number {
		all[len(all)-1] = v
	}
}
