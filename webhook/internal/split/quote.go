package split

import (
	"sort"
	"strings"
)

// maxQuotes is how many quotes within each other are told from text.
const maxQuotes = 16

// quoteBreak is a line of a quote with which a paragraph ends.
type quoteBreak struct {
	pos    int
	number bool // it begins an item with a number, and is not the first item
}

// quoteBreak notes the line of a quote if it is one.
func (b *blocker) quoteBreak(l ln) {
	text := b.doc.src[l.text:l.end]
	marked := itemMarker(text) > 0
	b.lazy = text != "" && !isFence(text) && headingMarker(text) == 0
	if b.lazy && !marked {
		return
	}
	b.doc.quoteBreaks = append(b.doc.quoteBreaks, quoteBreak{l.start, marked && b.listed && strings.IndexByte("-+*", text[0]) < 0})
	b.listed = b.listed || marked
}

// quoteBreakAt returns where in a quote, which ends at end, an empty line has to be so that
// what is left of an item at pos does not go on with the "2." of the next; or 0.
func (d *Doc) quoteBreakAt(pos, end int) int {
	i := sort.Search(len(d.quoteBreaks), func(i int) bool { return d.quoteBreaks[i].pos >= pos })
	if i == len(d.quoteBreaks) || d.quoteBreaks[i].pos >= end || !d.quoteBreaks[i].number || itemMarker(d.src[pos:end]) > 0 {
		return 0
	}
	return d.quoteBreaks[i].pos
}

// quoteMarker returns the length of "> ", or of several, or 0.
func quoteMarker(s string) int {
	n := 0
	for range maxQuotes {
		next := n + indentation(s[n:])
		if next == len(s) || s[next] != '>' {
			break
		}
		n = next + 1
	}
	if n == 0 {
		return 0
	}
	return n + indentation(s[n:])
}

// quotedLine returns the line with the marker of a quote that pos is in, or at the end of.
func (d *Doc) quotedLine(pos int) (ln, bool) {
	i := sort.Search(len(d.quoted), func(i int) bool { return d.quoted[i].start >= pos }) - 1
	if i < 0 || pos > d.quoted[i].next {
		return ln{}, false
	}
	return d.quoted[i], true
}

// quoteOf returns the marker of the line that pos is in the middle of.
func (d *Doc) quoteOf(pos int) string {
	if l, ok := d.quotedLine(pos); ok && pos < l.next && pos >= l.text {
		return d.src[l.start:l.text]
	}
	return "> " // it went on without one
}
