package split

import (
	"strings"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/markdown"
)

// Unlink returns d with each link and image that is longer than room as text: its words,
// and its address in parentheses. It reports whether there is one.
func (d *Doc) Unlink(room int) (*Doc, bool) {
	var b strings.Builder
	pos := 0
	for _, a := range d.atoms {
		whole := d.src[a.start:a.end]
		if a.what != linkAtom && a.what != imageAtom || a.start < pos || utf8.RuneCountInString(whole) <= room {
			continue
		}
		b.WriteString(d.src[pos:a.start])
		pos = a.end
		address := strings.Trim(whole, "<>")
		if a.address > 0 {
			words := strings.TrimPrefix(whole[:a.address-len("](")-a.start], "!")[len("["):]
			address = strings.Trim(d.src[a.address:a.end-len(")")], "<> \t")
			b.WriteString(words)
			if words != "" {
				b.WriteByte(' ')
			}
			address = "(" + address + ")"
		}
		b.WriteString(markdown.Escape(address))
	}
	if pos == 0 {
		return d, false
	}
	return Markdown(b.String() + d.src[pos:]), true
}
