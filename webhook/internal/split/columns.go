package split

import (
	"sort"
	"strings"
)

// column says that the lines from pos on belong to a list item, or to a fence, whose
// text begins at column n.
type column struct {
	pos, n int
	fence  bool
}

// ending is a block that ends, and the column of the list item that it is in, or 0.
type ending struct {
	kind kind
	item int
}

// tabStop is how far apart tabs stop.
const tabStop = 4

// columns returns how wide white space is that begins at column from.
func columns(s string, from int) int {
	n := from
	for i := range len(s) {
		if s[i] == '\t' {
			n += tabStop - n%tabStop
		} else {
			n++
		}
	}
	return n - from
}

// columnAt returns the column of the item or the fence that pos is in.
func (d *Doc) columnAt(pos int) column {
	i := sort.Search(len(d.columns), func(i int) bool { return d.columns[i].pos > pos })
	if i == 0 {
		return column{}
	}
	return d.columns[i-1]
}

// indent is what the lines of a piece lose: the indentation that an item before the cut
// gave them, which would make them part of another item, or code.
type indent struct {
	n      int // columns
	column int // of the item or the fence that the piece begins in
}

// indentAt returns by how much the lines after a cut are indented: by the item that
// they are in, or by as much as the first of them, if that was dropped.
func (d *Doc) indentAt(pos int, newLine bool) indent {
	at := d.columnAt(pos).n
	if !newLine {
		return indent{n: at, column: at}
	}
	return indent{n: max(at, columns(d.src[strings.LastIndexByte(d.src[:pos], '\n')+1:pos], 0)), column: at}
}

// columnsLost returns how many columns the line of d loses that begins at pos. Items that have
// ended by then do not begin again.
func (in *indent) columnsLost(d *Doc, pos int) int {
	c, text := d.columnAt(pos), pos+indentation(d.src[pos:])
	switch {
	case c.fence:
		return min(in.n, c.n)
	case c.n <= in.column && text < len(d.src) && d.src[text] != '\n' && d.src[text] != '\r':
		in.column, in.n = c.n, min(in.n, max(c.n, columns(d.src[pos:text], 0)))
	}
	return in.n
}

// needsBlankLine reports whether the line that ends before next needs an empty one after
// it: what is left of an item is a paragraph, which a "2." right after it would go on with.
func (w *window) needsBlankLine(next int) bool {
	end := w.pos + len(strings.TrimRight(w.src[w.pos:next], " \t\r\n"))
	item := w.ends[end].item
	return item > 0 && item <= w.indent.n && end < next && next < len(w.src) && w.src[next] != '\n'
}

// closing returns what closes spans if lines lose n columns: the last line of a
// fence may be among it.
func closing(suffix string, n int) string {
	i := strings.IndexByte(suffix, '\n') + 1
	if i == 0 || n == 0 {
		return suffix
	}
	return suffix[:i] + dedent(suffix[i:], n)
}

// dedent takes up to n columns of white space off s, and of a tab all or nothing.
func dedent(s string, n int) string {
	i := 0
	for at := 0; at < n && i < len(s) && (s[i] == ' ' || s[i] == '\t'); i++ {
		at += columns(s[i:i+1], at)
	}
	return s[i:]
}
