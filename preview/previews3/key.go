package previews3

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// The keys of a document:
//
//	<prefix><id>/versions/4294967288-v7.json   version 7; the numbers count down, so that a listing starts with the newest
//	<prefix><id>/data/0000000006-RANDOM        bytes of an upload that was announced when version 6 was the newest
//	<prefix><id>/name.json                     the name, after a rename
func (s *Store) key(fileID string, rest string) string {
	return s.cfg.Prefix + escape(fileID) + "/" + rest
}

// escape keeps an id within one element of a key. Ids that DefaultCheckID accepts
// are not changed.
func escape(id string) string {
	var b strings.Builder
	for i := range len(id) {
		switch c := id[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-', c == '.' && i > 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

const (
	versionsDir = "versions/"
	dataDir     = "data/"
	nameKey     = "name.json"
)

func versionKey(n uint32) string {
	return fmt.Sprintf("%s%010d-v%d.json", versionsDir, math.MaxUint32-n, n)
}

// versionOf reads the number of a key that versionKey made. Zero: it did not.
func versionOf(key string) uint32 {
	_, text, _ := strings.Cut(key[strings.LastIndexByte(key, '/')+1:], "-v")
	n, err := strconv.ParseUint(strings.TrimSuffix(text, ".json"), 10, 32)
	if err != nil || !strings.HasSuffix(key, versionKey(uint32(n))) {
		return 0
	}
	return uint32(n)
}

var uploadName = regexp.MustCompile(`^\d{10}-[A-Z2-7]{26}$`)

// baseOf reads the version that was the newest when an upload was announced.
func baseOf(upload string) (uint32, bool) {
	if !uploadName.MatchString(upload) {
		return 0, false
	}
	n, err := strconv.ParseUint(upload[:10], 10, 32)
	return uint32(n), err == nil
}
