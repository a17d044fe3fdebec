package split

import (
	"sort"
	"strings"
)

// maxQuotes is how many quotes within each other are told from text.
const maxQuotes = 16

// turn is a line of a quote with which a paragraph ends.
type turn struct {
	pos    int
	number bool // it begins an item with a number, and is not the first item
}

// turn notes the line of a quote if it is one.
func (b *blocker) turn(l ln) {
	text := b.doc.src[l.text:l.end]
	marked := itemMarker(text) > 0
	if text != "" && !marked && !isFence(text) && headingMarker(text) == 0 {
		return
	}
	b.doc.turns = append(b.doc.turns, turn{l.start, marked && b.listed && strings.IndexByte("-+*", text[0]) < 0})
	b.listed = b.listed || marked
}

// turnAt returns where in a quote, which ends at end, an empty line has to be so that
// what is left of an item at pos does not go on with the "2." of the next; or 0.
func (d *Doc) turnAt(pos, end int) int {
	i := sort.Search(len(d.turns), func(i int) bool { return d.turns[i].pos >= pos })
	if i == len(d.turns) || d.turns[i].pos >= end || !d.turns[i].number || itemMarker(d.src[pos:end]) > 0 {
		return 0
	}
	return d.turns[i].pos
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

// quoteOf returns the marker of the line that pos is in the middle of.
func (d *Doc) quoteOf(pos int) string {
	line := d.src[strings.LastIndexByte(d.src[:pos], '\n')+1 : pos]
	line = line[indentation(line):]
	if n := quoteMarker(line); n > 0 {
		return line[:n]
	}
	return "> " // it went on without one
}
