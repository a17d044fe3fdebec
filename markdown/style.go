package markdown

import "strings"

// Bold makes parts bold, without the space at their ends. Some mobile clients show bold text
// wrong unless a space follows it (protocol 2.8); Bold adds none.
func Bold(parts ...any) Inline { return styled(parts, markBold) }

// Italic makes parts italic; see [Bold].
func Italic(parts ...any) Inline { return styled(parts, markItalic) }

// Strike strikes parts through; see [Bold].
func Strike(parts ...any) Inline { return styled(parts, markStrike) }

// Color colors parts. The color is "#RRGGBB" or a name, such as red (public reference 6.3); it
// is not known which names the service accepts. An invalid color is ignored.
func Color(color string, parts ...any) Inline {
	if !isColor(color) {
		return Join(parts...)
	}
	return styled(parts, []byte(element(markColor, color).s)...)
}

func styled(parts []any, open ...byte) Inline {
	b := appendParts(open, parts)
	if len(b) == len(open) {
		return Inline{}
	}
	return Inline{string(append(b, markClose))}
}

// isColor reports whether s may be the color of a font tag (protocol 2.8).
func isColor(s string) bool {
	const (
		longest = 32 // More than the length of each name that CSS knows.
		hex     = "0123456789abcdefABCDEF"
		letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	)
	if number, ok := strings.CutPrefix(s, "#"); ok {
		return len(number) == 6 && strings.Trim(number, hex) == ""
	}
	return s != "" && len(s) <= longest && strings.Trim(s, letters) == ""
}
