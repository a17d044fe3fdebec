package markdown

import "github.com/weboffice-go/weboffice/internal/markup"

// Bold makes parts bold. As with [Italic] and [Strike], space at the ends stays outside,
// and the same emphasis within itself counts once. Where a mobile client shows bold text
// wrong, let a space follow it (protocol 2.8); none is added, since that would change the text.
func Bold(parts ...any) Inline { return styled(parts, markBold) }

// Italic is slanted text; see [Bold].
func Italic(parts ...any) Inline { return styled(parts, markItalic) }

// Strike is text that is struck through; see [Bold].
func Strike(parts ...any) Inline { return styled(parts, markStrike) }

// Color colors parts. The color is "#RRGGBB" or the name of one; which names the service
// knows is not shown, red and black have been seen (public reference 6.3). With any other
// color the parts stay as they are.
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
