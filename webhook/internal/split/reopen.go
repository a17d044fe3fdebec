package split

import (
	"slices"
	"strings"
)

// beside is put between a colour and a block that has to begin or end its line.
const beside = "\n\n"

// quoteOf returns the marker of the line that pos is in the middle of.
func (d *Doc) quoteOf(pos int) string {
	line := d.src[strings.LastIndexByte(d.src[:pos], '\n')+1 : pos]
	line = line[indentation(line):]
	if n := quoteMarker(line); n > 0 {
		return line[:n]
	}
	return "> " // it went on without one
}

// piece is the text from one cut to the next.
func (d *Doc) piece(from start, to cut) string {
	var b strings.Builder
	b.WriteString(from.prefix)
	pos := from.pos
	for _, i := range from.open {
		s := &d.spans[i]
		// What is left of a list item is a paragraph, which a "2." right behind it would
		// go on with.
		if s.kind == item && s.end < to.at {
			b.WriteString(d.src[pos:s.end] + "\n")
			pos = s.end
		}
		// A fence opens again without its indentation, and a last line that is indented
		// further than that would not close it.
		if s.kind == fence && s.line == "" && s.outer < s.end && s.end <= to.at {
			b.WriteString(d.src[pos:s.outer] + "\n" + strings.TrimLeft(d.src[s.outer+1:s.end], " \t"))
			pos = s.end
		}
	}
	b.WriteString(d.src[pos:to.at])
	b.WriteString(to.suffix)
	return b.String()
}

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

// start is where the piece behind c begins, and what opens again there: blocks at
// the beginning of the line, then colours and emphasis, the outermost first.
func (d *Doc) start(c cut) start {
	from := start{pos: c.next, open: c.open}
	var blocks, inlines string
	newLine := strings.Contains(d.src[c.at:c.next], "\n")
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
			if n := quoteMarker(d.src[from.pos:]); n > 0 && newLine {
				blocks += d.src[from.pos : from.pos+n]
				from.pos += n
			} else {
				blocks += d.quoteOf(from.pos)
			}
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
