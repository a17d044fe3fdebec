package markdown

import "github.com/weboffice-go/weboffice/internal/markup"

// Bold makes parts bold. Space at the ends stays outside. Some mobile clients show bold text
// wrong unless a space follows it (protocol 2.8); Bold does not add one.
func Bold(parts ...any) Inline { return styled(parts, markBold) }

// Italic makes parts italic; see [Bold].
func Italic(parts ...any) Inline { return styled(parts, markItalic) }

// Strike strikes parts through; see [Bold].
func Strike(parts ...any) Inline { return styled(parts, markStrike) }

// Color colors parts. The color is "#RRGGBB" or a name; it is not known which names the
// service accepts, but red and black have been seen (public reference 6.3). An invalid color
// is ignored.
func Color(color string, parts ...any) Inline {
	if !isColor(color) {
		return Join(parts...)
	}
	return styled(parts, append(append([]byte{markColor}, color...), markEnd)...)
}

func styled(parts []any, open ...byte) Inline {
	n := len(open)
	b := appendParts(open[:n:n], parts)
	if len(b) == n {
		return Inline{}
	}
	return Inline{string(append(b, markClose))}
}

// isColor reports whether s may be the color of a font tag (protocol 2.8).
func isColor(s string) bool {
	if len(s) == 7 && s[0] == '#' {
		for i := 1; i < len(s); i++ {
			if !markup.IsHex(s[i]) {
				return false
			}
		}
		return true
	}
	for i := range len(s) {
		if !markup.IsLetter(s[i]) {
			return false
		}
	}
	return s != "" && len(s) <= maxColorName
}

// maxColorName is above the length of each name that CSS knows.
const maxColorName = 32
