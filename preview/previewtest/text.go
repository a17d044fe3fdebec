package previewtest

import (
	"strconv"
	"unicode/utf16"
)

// maxShown is how many characters of a text an AnswerError says.
const maxShown = 100

// shown cuts a text.
func shown(text string) string {
	if runes := []rune(text); len(runes) > maxShown {
		return string(runes[:maxShown]) + "…"
	}
	return text
}

// halfPair finds a \u escape in JSON that is one half of a surrogate pair without the
// other, and thus no character. encoding/json replaces it in silence.
func halfPair(raw []byte) string {
	unit := func(i int) (rune, bool) {
		if i+6 > len(raw) || raw[i] != '\\' || raw[i+1] != 'u' {
			return 0, false
		}
		n, err := strconv.ParseUint(string(raw[i+2:i+6]), 16, 16)
		return rune(n), err == nil
	}
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		first, ok := unit(i)
		if !ok {
			i++ // the character that is escaped
			continue
		}
		second, _ := unit(i + 6)
		switch {
		case !utf16.IsSurrogate(first):
			i += 5
		case utf16.DecodeRune(first, second) != '\ufffd':
			i += 11
		default:
			return string(raw[i : i+6])
		}
	}
	return ""
}
