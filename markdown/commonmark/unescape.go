package commonmark

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/yuin/goldmark/util"
)

// unescape resolves backslashes and entities, each character of s once.
func unescape(s []byte) []byte {
	if !bytes.ContainsAny(s, `\&`) {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && util.IsPunct(s[i+1]):
			i++
			b = append(b, s[i])
		case s[i] == '&':
			text, n := entity(s[i:])
			b = append(b, text...)
			i += n - 1
		default:
			b = append(b, s[i])
		}
	}
	return b
}

// entity resolves the entity that s begins with, and returns how long that is. What is
// none is its own text.
func entity(s []byte) (text []byte, n int) {
	const longest = 33
	end := bytes.IndexByte(s[:min(len(s), longest)], ';')
	if end < 2 {
		return s[:1], 1
	}
	name := string(s[1:end])
	if name[0] != '#' {
		if e, ok := util.LookUpHTML5EntityByName(name); ok {
			return e.Characters, end + 1
		}
		return s[:1], 1
	}
	base, digits := 10, name[1:]
	if digits != "" && digits[0]|0x20 == 'x' {
		base, digits = 16, digits[1:]
	}
	v, err := strconv.ParseUint(digits, base, 24)
	if err != nil || len(digits) > 7 {
		return s[:1], 1
	}
	r := utf8.RuneError
	if v > 0 && v <= utf8.MaxRune {
		r = rune(v)
	}
	return utf8.AppendRune(nil, r), end + 1
}
