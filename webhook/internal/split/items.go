package split

import "strings"

// openItems finds the list items that a line is in, by its indentation, and opens those
// that begin in it.
func (b *blocker) openItems(l ln, s string) {
	marker := 0
	if !l.quoted {
		marker = itemMarker(s)
	}
	switch {
	case s == "" && !l.quoted:
		return
	case b.isOpen && !l.quoted && marker == 0 && !isFence(s) && headingMarker(s) == 0:
		return // it goes on with a paragraph, however it is indented
	}
	for len(b.items) > 0 && l.indent < b.itemColumn() {
		b.items = b.items[:len(b.items)-1]
	}
	b.column(l.start, b.itemColumn(), false)
	pos, indent := l.text, l.indent
	for marker > 0 && indent < b.itemColumn()+tabStop {
		indent += itemColumns(s[:marker], indent, marker == len(s))
		b.items = append(b.items, indent)
		pos += marker
		b.column(pos, indent, false)
		s = s[marker:]
		marker = itemMarker(s)
	}
}

// itemColumns returns how far after a marker at a column the text of an item begins.
func itemColumns(marker string, at int, empty bool) int {
	mark := strings.TrimRight(marker, " \t")
	space := columns(marker[len(mark):], at+len(mark))
	if empty || space > tabStop {
		space = 1 // the rest is code
	}
	return len(mark) + space
}

// itemColumn is the column of the innermost item that is open, or 0.
func (b *blocker) itemColumn() int {
	if n := len(b.items); n > 0 {
		return b.items[n-1]
	}
	return 0
}

// column notes the column of what begins at pos.
func (b *blocker) column(pos, n int, fence bool) {
	last := column{}
	if i := len(b.doc.columns); i > 0 {
		last = b.doc.columns[i-1]
	}
	if last.n != n || last.fence != fence {
		b.doc.columns = append(b.doc.columns, column{pos, n, fence})
	}
}
