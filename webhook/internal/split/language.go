package split

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/internal/markup"
)

const (
	sentenceEnds = ".!?…。！？；;"
	clauseEnds   = ",，、：:|"
	closers      = "\"')]}”’」』）】》〉*_~`>"
	notFirst     = "、。，．,.!?！？：；:;）)]｝}】〕〉》」』’”…—～%‰℃ーぁぃぅぇぉっゃゅょァィゥェォッャュョ々"
	notLast      = "（([｛{【〔〈《「『‘“$￥#@"
)

// isSpace is unicode.IsSpace without the spaces that keep words together.
func isSpace(r rune) bool {
	return unicode.IsSpace(r) && r != '\u00a0' && r != '\u2007' && r != '\u202f'
}

// spaces returns the length of the white space that s begins with.
func spaces(s string) int { return len(s) - len(strings.TrimLeftFunc(s, isSpace)) }

// blank returns the length of all white space that s begins with.
func blank(s string) int { return len(s) - len(strings.TrimLeftFunc(s, unicode.IsSpace)) }

// ends rates the end of before, a text that white space follows.
func ends(before string) level {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(before[max(0, len(before)-32):], closers))
	switch {
	case strings.ContainsRune(sentenceEnds, r):
		return sentence
	case strings.ContainsRune(clauseEnds, r):
		return clause
	default:
		return word
	}
}

// between rates the place between two texts without white space. Languages that
// are written without spaces have words ending at nearly every character, but for
// punctuation, which may not begin or end a line.
func between(before, after string) level {
	previous, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	if markup.IsAlphanumeric(previous) && markup.IsAlphanumeric(next) {
		return character
	}
	if strings.ContainsRune(notFirst, next) || strings.ContainsRune(notLast, previous) {
		return character
	}
	if previous > unicode.MaxLatin1 || previous == '|' {
		if rated := ends(before); rated > word {
			return rated
		}
	}
	if isIdeographic(previous) || isIdeographic(next) {
		return word
	}
	return character
}

func isIdeographic(r rune) bool {
	return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}
