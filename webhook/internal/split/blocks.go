package split

import "strings"

// blocker finds the blocks of markdown, line by line: headings, quotes, list items,
// fences, and paragraphs between them.
type blocker struct {
	doc    *Doc
	pos    int
	kind   kind // of the block that is open; inline for a paragraph
	isOpen bool
	start  int
	inner  int
	end    int
	col    int    // of the list item that it is in
	leaves []leaf // stretches of it that hold inline markup
	fonts  []tag  // colors that are open; they may go on over blocks
	lazy   bool   // the quote that is open goes on in a line without its marker
	listed bool   // there are items in it
	items  []int  // columns at which the text of the items begins that are open
}

// leaf is a stretch of text whose emphasis is its own.
type leaf struct{ start, end int }

// ln is a line of the source. Its text begins after indentation and the marker of
// a quote, and ends before white space.
type ln struct {
	start, text, end, next int
	indent                 int // columns of its indentation
	quoted                 bool
}

func (b *blocker) run() {
	for b.pos < len(b.doc.src) {
		l := b.line(b.pos)
		b.pos = l.next
		b.take(l)
	}
	b.finish()
}

// line reads the line that begins at pos.
func (b *blocker) line(pos int) ln {
	src := b.doc.src
	l := ln{start: pos, next: len(src)}
	if i := strings.IndexByte(src[pos:], '\n'); i >= 0 {
		l.next = pos + i + 1
	}
	l.end = pos + len(strings.TrimRight(src[pos:l.next], " \t\r\n"))
	l.text = pos + indentation(src[pos:l.end])
	l.indent = columns(src[pos:l.text], 0)
	if n := quoteMarker(src[l.text:l.end]); n > 0 {
		l.quoted, l.start, l.text = true, l.text, l.text+n
	}
	return l
}

func (b *blocker) take(l ln) {
	src := b.doc.src
	text := src[l.text:l.end]
	b.openItems(l, text)
	if l.quoted {
		b.quoteLine(l)
	}
	deep := !l.quoted && l.indent >= b.itemColumn()+tabStop // more of a paragraph, or code
	switch {
	case isFence(text) && !deep:
		if !l.quoted {
			b.finish()
		}
		b.fence(l)
	case l.quoted:
		b.extend(l)
	case text == "":
		b.finish()
	case !deep && headingMarker(text) > 0:
		b.begin(heading, l, headingMarker(text))
		b.extend(l)
		b.finish()
	case !deep && itemMarker(text) > 0:
		b.begin(item, l, itemMarker(text))
		b.extend(l)
	default:
		if !b.isOpen || b.kind == quote && !b.lazy {
			b.begin(inline, l, 0)
		}
		b.extend(l)
	}
}

// quoteLine opens a quote or goes on with it. Its marker is one atom.
func (b *blocker) quoteLine(l ln) {
	if !b.isOpen || b.kind != quote {
		b.begin(quote, ln{text: l.start, end: l.end}, 0)
		b.inner, b.listed = l.text, false
	}
	b.quoteBreak(l)
	b.doc.quoted = append(b.doc.quoted, l)
	b.doc.atoms = append(b.doc.atoms, atom{start: l.start, end: l.text, what: quoteAtom, glue: l.text < l.end})
	b.end = l.end
	if l.text == l.end { // an empty line within the quote
		b.leaves = append(b.leaves, leaf{l.end, l.end})
	}
}

// begin opens a block whose marker has n bytes.
func (b *blocker) begin(k kind, l ln, n int) {
	b.finish()
	b.isOpen, b.kind, b.start, b.inner, b.end, b.leaves, b.col = true, k, l.text, l.text+n, l.end, nil, b.itemColumn()
	if n > 0 {
		b.doc.atoms = append(b.doc.atoms, atom{start: l.text, end: l.text + n, what: "a marker", glue: true})
	}
}

// extend adds a line to the block that is open.
func (b *blocker) extend(l ln) {
	from := max(l.text, b.inner)
	if from >= l.end {
		return
	}
	if n := len(b.leaves); n > 0 && b.leaves[n-1].end > b.leaves[n-1].start {
		b.leaves[n-1].end = l.end
	} else {
		b.leaves = append(b.leaves, leaf{from, l.end})
	}
	b.end = l.end
}

// finish closes the block that is open.
func (b *blocker) finish() {
	if !b.isOpen {
		return
	}
	b.isOpen = false
	for _, l := range b.leaves {
		in := inliner{doc: b.doc, pos: l.start, end: l.end, fonts: b.fonts}
		in.run()
		b.fonts = in.fonts
	}
	if b.kind == heading || b.kind != quote && b.col > 0 {
		b.doc.ends[b.end] = ending{b.kind, b.col}
	}
	s := span{start: b.start, end: b.end, inner: b.inner, outer: b.end, kind: b.kind}
	switch b.kind {
	case heading:
		s.open = strings.TrimRight(b.doc.src[b.start:b.inner], " \t") + " "
	case quote, item:
	default:
		return
	}
	b.doc.span(s)
}

// indentation returns the length of the spaces that a line begins with.
func indentation(s string) int { return len(s) - len(strings.TrimLeft(s, " \t")) }

// headingMarker returns the length of "## ", or 0.
func headingMarker(s string) int {
	n := len(s) - len(strings.TrimLeft(s, "#"))
	if n == 0 || n > 6 || n < len(s) && s[n] != ' ' && s[n] != '\t' {
		return 0
	}
	return n + spaces(s[n:])
}

// itemMarker returns the length of "- " or "12. ", or 0.
func itemMarker(s string) int {
	n := 0
	for n < len(s) && n < 9 && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	marks := "-+*"
	if n > 0 {
		marks = ".)"
	}
	if n == len(s) || strings.IndexByte(marks, s[n]) < 0 {
		return 0
	}
	if n++; n < len(s) && s[n] != ' ' && s[n] != '\t' {
		return 0
	}
	return n + spaces(s[n:])
}
