package split

import (
	"strings"

	"github.com/weboffice-go/weboffice/internal/markup"
)

// startsBlock reports whether s, at the beginning of a message, would be read as a
// heading, a quote, a list, a fence, a rule, a definition, HTML or an address, which
// it is not where it is.
func startsBlock(s string) bool {
	if s == "" || strings.IndexByte(">[<`~wW-*_#+0123456789", s[0]) < 0 {
		return false
	}
	first, _, _ := strings.Cut(s[:min(len(s), 128)], "\n")
	rest := strings.TrimLeft(first, first[:1])
	n := len(first) - len(rest)
	switch s[0] {
	case '>':
		return true
	case '[':
		return definition().MatchString(s[:min(len(s), 1024)])
	case '<': // A color begins a block only if it is alone on its line, and then in the whole text too.
		t, _, ok := markup.CutTag(s[:min(len(s), 1024)])
		return ok && !autoLink().MatchString(s) && t.Name != "font" && (t.Name != "at" || t.Closing)
	case '`', '~':
		return n >= 3
	case 'w', 'W':
		return len(first) > 4 && strings.EqualFold(first[:4], "www.")
	case '-', '*', '_': // the piece may end within the line, and what it has be a rule
		return rest == "" || rest[0] == ' ' || rest[0] == '\t'
	}
	return headingMarker(first) > 0 || itemMarker(first) > 0
}

// definition is the label of a link's definition, which is not shown.
var definition = markup.Pattern(`^\[(?:[^\[\]\\]|\\[^\n])+\]:`)

// escape returns a backslash for what s begins with, after the number of a list.
func escape(s string) string {
	n := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if strings.IndexByte(">#`~-+*_.)[", s[n]) >= 0 {
		return s[:n] + `\`
	}
	return ""
}
