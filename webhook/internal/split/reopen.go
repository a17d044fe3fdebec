package split

import (
	"slices"
	"strings"
)

// beside is put between a color and a block that has to begin or end its line.
const beside = "\n\n"

// suffix closes spans, the innermost first.
func (d *Doc) suffix(open []int) string {
	var b strings.Builder
	fenced := false
	for _, i := range slices.Backward(open) {
		s := &d.spans[i]
		if fenced && s.close != "" {
			b.WriteString(beside)
			fenced = false
		}
		b.WriteString(s.close)
		fenced = fenced || s.kind == fence
	}
	return b.String()
}

// start is where the piece after c begins, and what opens again there: blocks at
// the beginning of the line, then colors and emphasis, the outermost first.
func (d *Doc) start(c cut) start {
	from := start{pos: c.next}
	newLine := strings.Contains(d.src[c.at:c.next], "\n")
	from.indent = d.indentAt(c.next, newLine)
	var blocks, inlines string
	for _, i := range c.open {
		switch s := &d.spans[i]; s.kind {
		case fence:
			if inlines != "" {
				inlines += beside
			}
			from.pos, from.prefix = c.next, inlines+s.open
			if d.src[c.next-1] != '\n' {
				from.prefix += s.line
			}
			return from
		case quote:
			// The next line of a quote says so itself, and says how deep it is.
			marker := d.quoteOf(from.pos)
			if n := quoteMarker(d.src[from.pos:]); n > 0 && newLine {
				marker = d.src[from.pos : from.pos+n]
				from.pos += n
			}
			from.quote = strings.TrimRight(marker, " \t")
			if columns(marker[len(from.quote):], len(from.quote)) > tabStop {
				marker = from.quote + " " // what is in a list there would be code
			}
			from.quoteBreak = d.quoteBreakAt(from.pos, s.end)
			blocks += marker
		case heading:
			blocks += s.open
		default:
			inlines += s.open
		}
	}
	if inlines != "" && newLine && startsBlock(d.src[from.pos:]) {
		inlines += beside
	}
	from.prefix = blocks + inlines + c.escape
	return from
}
