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
			as, size := foreign(s)
			dst, s = append(dst, as...), s[size:]
		}
	}
	return dst
}

// cleanLen is how much of the beginning of s stays as it is.
func cleanLen(s string) int {
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c >= utf8.RuneSelf:
			size := keptRune(s[i:])
			if size == 0 {
				return i
			}
			i += size
		case c < 0x20 && c != '\t' && c != '\n', c == 0x7f:
			return i
		default:
			i++
		}
	}
	return len(s)
}

// keptRune is the size of the rune at the beginning of s, which is not printable ASCII, or
// 0 if the rune does not stay as it is.
func keptRune(s string) int {
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && size == 1, r < 0xa0, r == 0xfeff, isBreak(r), isTurn(r):
		return 0
	}
	return size
}

// foreign returns what stands for the beginning of s, which does not stay as it is, and
// how many bytes it replaces.
func foreign(s string) (as string, size int) {
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r == '\r' && strings.HasPrefix(s, "\r\n"):
		return "\n", 2
	case isBreak(r):
		return "\n", size
	case r == utf8.RuneError:
		return string(utf8.RuneError), size
	}
	return "", size
}

// peek returns the first byte of s that is not left out, a line feed for any break of the
// line, a space for any space, and 0 at the end.
func peek(s string) byte {
	for s != "" && cleanLen(s[:min(len(s), utf8.UTFMax)]) == 0 {
		as, size := foreign(s)
		if as != "" {
			return as[0]
		}
		s = s[size:]
	}
	if s == "" {
		return 0
	}
	if r, _ := utf8.DecodeRuneInString(s); unicode.IsSpace(r) {
		return ' '
	}
	return s[0]
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

// appendTrusted appends markdown that is taken as it is, without marks in it.
func appendTrusted(dst []byte, md string) []byte {
	md = strings.ReplaceAll(strings.ToValidUTF8(md, "\ufffd"), "\r\n", "\n")
	for i := range len(md) {
		if c := md[i]; !isMark(c) {
			dst = append(dst, c)
		}
	}
	return dst
}
