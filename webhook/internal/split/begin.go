package split

import (
	"strings"

	"github.com/weboffice-go/weboffice/internal/markup"
)

// startsBlock reports whether s, at the beginning of a message, would be read as a
// heading, a quote, a list, a fence, a rule, a definition, HTML or an address, which
// it is not where it is.
func startsBlock(s string) bool {
	if s == "" || s[0] == '\n' { // the empty line of a quote, after its marker
		return false
	}
	first, _, _ := strings.Cut(s[:min(len(s), 128)], "\n")
	rest := strings.TrimLeft(first, first[:1])
	n := len(first) - len(rest)
	switch s[0] {
	case '>':
		return true
	case '[':
		return isDefinition(s[:min(len(s), 1024)])
	case '<': // A color begins a block only if it is alone on its line, and then in the whole text too.
		t, _, ok := markup.CutTag(s[:min(len(s), 1024)])
		return ok && !isAutoLink(s) && t.Name != "font" && (t.Name != "at" || t.Closing)
	case '`', '~':
		return n >= 3
	case 'w', 'W':
		return len(first) > 4 && strings.EqualFold(first[:4], "www.")
	case '-', '*', '_': // the piece may end within the line, and what it has be a rule
		return rest == "" || rest[0] == ' ' || rest[0] == '\t'
	}
	return headingMarker(first) > 0 || itemMarker(first) > 0
}

// isDefinition reports whether s begins with the label of a link's definition, which is
// not shown.
func isDefinition(s string) bool {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '[':
			return false
		case ']':
			return i > 1 && strings.HasPrefix(s[i+1:], ":")
		case '\\':
			if i++; i < len(s) && s[i] == '\n' {
				return false
			}
		}
	}
	return false
}

// escape returns a backslash for what s begins with, after the number of a list.
func escape(s string) string {
	n := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if strings.IndexByte(">#`~-+*_.)[", s[n]) >= 0 {
		return s[:n] + `\`
	}
	return ""
}
