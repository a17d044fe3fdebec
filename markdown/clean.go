package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// appendClean appends s without what has no place in a message; the breaks of a line are
// all "\n".
func appendClean(dst []byte, s string) []byte {
	for s != "" {
		n := cleanLen(s)
		dst, s = append(dst, s[:n]...), s[n:]
		if s != "" {
			as, size := cleanRune(s)
			dst, s = append(dst, as...), s[size:]
		}
	}
	return dst
}

// cleanLen is how much of the beginning of s stays as it is.
func cleanLen(s string) int {
	for i := 0; i < len(s); {
		if class[s[i]] != foreigner {
			i++
			continue
		}
		as, size := cleanRune(s[i:])
		if as != s[i:i+size] {
			return i
		}
		i += size
	}
	return len(s)
}

// cleanRune returns what becomes of the rune at the beginning of s, and how many bytes
// that replaces.
func cleanRune(s string) (as string, size int) {
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case strings.HasPrefix(s, "\r\n"):
		return "\n", 2
	case isBreak(r):
		return "\n", size
	case r == utf8.RuneError:
		return string(utf8.RuneError), size
	case r < ' ' && r != '\t', r >= 0x7f && r < 0xa0, r == 0xfeff, isTurn(r):
		return "", size
	}
	return s[:size], size
}

// peek returns the first byte of s that is not left out, a space for any space, and 0 at
// the end.
func peek(s string) byte {
	for s != "" {
		as, size := cleanRune(s)
		if r, _ := utf8.DecodeRuneInString(as); unicode.IsSpace(r) {
			return ' '
		}
		if as != "" {
			return as[0]
		}
		s = s[size:]
	}
	return 0
}

// isBreak reports whether r must end a line (Unicode's classes BK, CR, LF and NL).
func isBreak(r rune) bool {
	return r >= '\n' && r <= '\r' || r == 0x85 || r == 0x2028 || r == 0x2029
}

// isTurn reports whether r changes the direction of the text after it, also of text that
// is not its own: embeddings, overrides and isolates. Marks such as U+200F do not.
func isTurn(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
