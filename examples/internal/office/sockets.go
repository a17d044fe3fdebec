package office

import (
	"crypto/md5" //nolint:gosec // LibreOffice names its sockets with it.
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf16"
)

// socketPrefix begins the sockets of this user's LibreOffice, which it puts into /tmp
// wherever temporary files are, and leaves there when it is killed.
func socketPrefix() string { return fmt.Sprintf("/tmp/OSL_PIPE_%d_", os.Getuid()) }

// socketsDir is the folder, in that of an engine, with an empty file for each socket
// that its end must remove.
const socketsDir = "sockets"

// noteSockets notes the sockets of a LibreOffice whose profile is in home, and gives
// what removes them.
func noteSockets(engine, home string) (remove func(), err error) {
	dir := filepath.Join(engine, socketsDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	var notes []string
	for _, name := range []string{filepath.Base(home), "SingleOfficeIPC_" + profileHash(fileURL(filepath.Join(home, "profile")))} {
		note := filepath.Join(dir, strings.TrimPrefix(socketPrefix(), "/tmp/")+name)
		if err := os.WriteFile(note, nil, 0o600); err != nil {
			return nil, err
		}
		notes = append(notes, note)
	}
	return func() {
		for _, note := range notes {
			removeSocket(note)
			_ = os.Remove(note)
		}
	}, nil
}

// removeSocket removes the socket of a note.
func removeSocket(note string) { _ = os.Remove(filepath.Join("/tmp", filepath.Base(note))) }

// removeSockets removes those of an engine that is gone.
func removeSockets(engine string) {
	notes, _ := filepath.Glob(filepath.Join(engine, socketsDir, "OSL_PIPE_*"))
	for _, note := range notes {
		removeSocket(note)
	}
}

// profileHash is how LibreOffice writes the MD5 of a profile's URL: of its UTF-16, and
// without the zero of a byte below 16.
func profileHash(url string) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune(url)) {
		b = binary.LittleEndian.AppendUint16(b, unit)
	}
	var hash strings.Builder
	for _, c := range md5.Sum(b) { //nolint:gosec // See above.
		fmt.Fprintf(&hash, "%x", c)
	}
	return hash.String()
}
