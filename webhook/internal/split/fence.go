package split

import "strings"

// isFence reports whether a line opens a code fence.
func isFence(s string) bool {
	n := fenceLength(s)
	return n >= 3 && (s[0] == '~' || !strings.Contains(s[n:], "`"))
}

// fenceLength counts the characters of a fence.
func fenceLength(s string) int {
	if s == "" || s[0] != '`' && s[0] != '~' {
		return 0
	}
	return len(s) - len(strings.TrimLeft(s, s[:1]))
}

// fence takes the lines from l to the end of a code fence, or of the text or the
// quote if nothing closes it. A fence in a quote carries the quote's marker.
func (b *blocker) fence(l ln) {
	src := b.doc.src
	marker := src[l.text : l.text+fenceLength(src[l.text:l.end])]
	s := span{start: l.text, inner: l.next, kind: fence}
	indent := src[l.start:l.text]
	if l.quoted {
		s.line, indent = "> ", ""
	} else {
		b.column(s.inner, l.indent, true)
		defer func() { b.column(s.end, b.itemColumn(), false) }()
	}
	s.open = s.line + src[l.text:l.end] + "\n"
	s.close = "\n" + s.line + indent + marker
	s.outer, s.end = b.fenceEnd(l, marker)
	b.doc.ends[s.end] = ending{kind: fence}
	if b.isOpen {
		b.end = s.end
		b.leaves = append(b.leaves, leaf{s.end, s.end})
	}
	if s.inner >= s.outer { // there is nothing in it
		b.doc.atoms = append(b.doc.atoms, atom{start: s.start, end: s.end, what: "a code fence"})
		return
	}
	b.doc.atoms = append(b.doc.atoms, atom{start: s.start, end: s.inner, what: "a code fence's first line", glue: true})
	if s.outer < s.end {
		b.doc.atoms = append(b.doc.atoms, atom{start: s.outer, end: s.end, what: "a code fence's last line"})
	}
	b.doc.spans = append(b.doc.spans, s)
}

// fenceEnd returns where the inner part ends, which is the line feed before the last
// line, and where that line ends.
func (b *blocker) fenceEnd(l ln, marker string) (outer, end int) {
	src := b.doc.src
	end = l.end
	for b.pos < len(src) {
		begin, next := b.pos, b.line(b.pos)
		if l.quoted && !next.quoted || !l.quoted && next.indent < b.itemColumn() && strings.TrimSpace(src[begin:next.end]) != "" {
			break // it ends with the quote or the item that it is in
		}
		if !l.quoted { // a ">" is code like anything else
			next.text = begin + indentation(src[begin:next.end])
		}
		b.pos, end = next.next, next.end
		text := src[next.text:next.end]
		if n := fenceLength(text); n >= len(marker) && n == len(text) && text[0] == marker[0] && next.indent < b.itemColumn()+tabStop {
			return begin - 1, end
		}
	}
	return end, end
}

// leaveFence goes on after the fence that c is in if only white space is left in it: an
// empty fence would be a message.
func (d *Doc) leaveFence(c cut) cut {
	n := len(c.open)
	if n == 0 {
		return c
	}
	s := &d.spans[c.open[n-1]]
	if s.kind == fence && s.line == "" && strings.TrimSpace(d.src[c.next:s.outer]) == "" && strings.TrimSpace(d.src[s.outer:s.end]) == strings.TrimSpace(s.close) {
		c.open, c.next = c.open[:n-1], s.end+spaces(d.src[s.end:])
	}
	return c
}
