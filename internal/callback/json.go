package callback

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// AppendString appends s to b as a JSON string, as encoding/json writes it with
// SetEscapeHTML(false): bytes that are not UTF-8 become U+FFFD. Most strings need no
// escape, and are copied.
func AppendString(b []byte, s string) []byte {
	if plain(s) {
		return append(append(append(b, '"'), s...), '"')
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(s) // a string always encodes
	return append(b, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...)
}

func plain(s string) bool {
	ascii := true
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c == '"' || c == '\\' {
			return false
		}
		ascii = ascii && c < utf8.RuneSelf
	}
	return ascii || utf8.ValidString(s) &&
		!strings.Contains(s, "\u2028") && !strings.Contains(s, "\u2029") // ends of lines in JavaScript
}
