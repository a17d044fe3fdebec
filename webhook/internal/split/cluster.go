package split

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxCluster is how many characters are taken for one at most. No writing needs so
// many; a text of marks alone must still be cut somewhere.
const maxCluster = 64

const (
	zeroWidthJoiner    = '\u200d'
	zeroWidthNonJoiner = '\u200c'
	wordJoiner         = '\u2060'                               // says that nothing is cut beside it
	viramas            = "\u094d\u09cd\u0acd\u0b4d\u0c4d\u0d4d" // join two consonants of an Indic script
	flagA, flagZ       = '\U0001F1E6', '\U0001F1FF'             // regional indicators
)

// cluster returns the length of what s begins with and a reader takes for one
// character: a letter with its marks, an emoji with skin tone and joined parts, a flag,
// a syllable of Hangul. It is the rule of Unicode Standard Annex 29 without its tables, for
// what is not white space; where in doubt it joins.
func cluster(s string) int {
	previous, size := utf8.DecodeRuneInString(s)
	flags := 0 // halves of flags before
	for chars := 1; size < len(s) && chars < maxCluster; chars++ {
		if isFlag(previous) {
			flags++
		}
		r, n := utf8.DecodeRuneInString(s[size:])
		switch {
		case isFlag(r):
			if flags%2 == 0 {
				return size
			}
		case !joins(previous, r):
			return size
		}
		size, previous = size+n, r
	}
	return size
}

// joins reports whether two characters belong together.
func joins(previous, r rune) bool {
	switch {
	case r < 0x300 && previous != wordJoiner || unicode.IsControl(previous):
		return false
	case previous == zeroWidthJoiner || previous == wordJoiner || r == wordJoiner:
		return !unicode.IsSpace(r)
	case strings.ContainsRune(viramas, previous):
		return unicode.IsLetter(r)
	case unicode.Is(unicode.Prepended_Concatenation_Mark, previous):
		return true
	case r == zeroWidthJoiner || r == zeroWidthNonJoiner || unicode.Is(unicode.M, r):
		return true // marks, variation selectors, keycaps
	case r >= 0x1F3FB && r <= 0x1F3FF:
		return true // skin tones
	case r >= 0xE0020 && r <= 0xE007F:
		return true // tags, as in the flag of Scotland
	case r == 0x0E33 || r == 0x0EB3 || r == 0xFF9E || r == 0xFF9F:
		return true // vowels of Thai and Lao, halfwidth voiced marks of Japanese
	case r >= 0x1160 && r <= 0x11FF || r >= 0xD7B0 && r <= 0xD7FB:
		return true // vowels and trailing consonants of Hangul
	default: // leading consonants of Hangul
		return (previous >= 0x1100 && previous <= 0x115F || previous >= 0xA960 && previous <= 0xA97C) && unicode.Is(unicode.Hangul, r)
	}
}

func isFlag(r rune) bool { return r >= flagA && r <= flagZ }
