// Package split cuts text and markdown into pieces of a limited length, at the
// best place that each piece has: between paragraphs, then lines, sentences, words,
// characters. What must not be cut stays whole; what may be, but was opened before,
// is closed at the end of one piece and opened again in the next.
package split

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// Doc is a text that knows where it may be cut.
type Doc struct {
	src         string
	markdown    bool
	atoms       []atom         // in the order of their starts; some are within others
	spans       []span         // in the order of their starts; they may overlap
	marks       []mark         // where the set of open spans changes, in order
	ends        map[int]ending // where headings, fences and paragraphs of list items end
	columns     []column       // where the indentation of lines changes, in order
	quoted      []ln           // lines with the marker of a quote, in order
	quoteBreaks []quoteBreak   // in order
}

// atom is a part that is never cut.
type atom struct {
	start, end int
	what       string // for errors
	address    int    // where that of a link begins; 0 if it has no brackets
	glue       bool   // nothing is cut off right after it
}

// span is a construct that may be cut within its inner part.
type span struct {
	start, end   int
	inner, outer int    // what is between its markers
	open, close  string // what goes around each part of it
	kind         kind
	line         string // fence: what each line begins with
	chars        int    // of the whole
}

// maxDepth is how many spans within each other are closed and opened again. It keeps
// a text of nothing but markup from costing more than its length.
const maxDepth = 64

const (
	linkAtom  = "a link"
	imageAtom = "an image"
	quoteAtom = "a quote's marker"
)

type kind uint8

const (
	inline kind = iota
	code
	fence
	heading
	quote
	item
)

// mark says which spans are open from pos on, the outermost first.
type mark struct {
	pos    int
	open   []int
	suffix string // closes them
}

// Error is a part that is longer than a piece.
type Error struct {
	What  string // "a link"
	Line  int    // where it begins, from 1
	Chars int    // its length; 0 if that does not matter
	Room  int    // of the piece
}

// Error names the part, and does not repeat it.
func (e *Error) Error() string {
	if e.Chars == 0 {
		return fmt.Sprintf("line %d: %s leaves no room in a piece of %d characters", e.Line, e.What, e.Room)
	}
	return fmt.Sprintf("line %d: %s of %d characters cannot be cut, and a piece has %d", e.Line, e.What, e.Chars, e.Room)
}

// Plain reads a plain text message: only at tags and character references are more
// than text in it.
func Plain(src string) *Doc {
	d := &Doc{src: src}
	in := inliner{doc: d, end: len(src), plain: true}
	in.run()
	return d
}

// Markdown reads markdown.
func Markdown(src string) *Doc {
	d := &Doc{src: src, markdown: true, ends: map[int]ending{}}
	b := blocker{doc: d}
	b.run()
	sort.Slice(d.atoms, func(i, j int) bool { return d.atoms[i].start < d.atoms[j].start })
	slices.SortStableFunc(d.spans, func(a, b span) int { return a.start - b.start })
	d.setMarks()
	return d
}

// setMarks finds where spans open and close.
func (d *Doc) setMarks() {
	type event struct{ pos, span int }
	events := make([]event, 0, 2*len(d.spans))
	d.marks = make([]mark, 0, 2*len(d.spans))
	for i, s := range d.spans {
		events = append(events, event{s.start + 1, i}, event{s.end, i})
	}
	slices.SortStableFunc(events, func(a, b event) int { return a.pos - b.pos })
	var open []int // in order
	counted, chars := 0, 0
	for i, e := range events {
		chars += utf8.RuneCountInString(d.src[counted:e.pos])
		counted = e.pos
		s := &d.spans[e.span]
		begins := e.pos == s.start+1
		if begins {
			s.chars = 1 - chars
		} else {
			s.chars += chars
		}
		at, found := slices.BinarySearch(open, e.span)
		if found {
			open = slices.Delete(open, at, at+1)
		} else if begins && len(open) < maxDepth {
			open = slices.Insert(open, at, e.span)
		}
		if i+1 < len(events) && events[i+1].pos == e.pos {
			continue
		}
		d.marks = append(d.marks, mark{pos: e.pos, open: slices.Clone(open), suffix: d.suffix(open)})
	}
}

// Pieces cuts d. Piece i, counted from 0, gets at most room(i) characters.
func (d *Doc) Pieces(room func(i int) int) ([]string, error) {
	var pieces []string
	from := start{pos: strings.LastIndexByte(d.src[:blank(d.src)], '\n') + 1}
	for {
		here, following := room(len(pieces)), room(len(pieces)+1)
		piece, c, err := d.next(from, here, following)
		if n := blank(d.src[from.pos:]); err != nil && n > 0 {
			from.pos += n // there is too much of it to keep it
			piece, c, err = d.next(from, here, following)
		}
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(piece) != "" {
			pieces = append(pieces, piece)
		}
		c = d.leaveFence(c)
		if c.next >= len(d.src) {
			return pieces, nil
		}
		from = d.start(c)
	}
}

// start is where a piece begins.
type start struct {
	pos        int
	prefix     string // what it begins with
	indent     indent // what its lines lose
	quoteBreak int    // where an empty line of a quote has to be, or 0
	quote      string // and its marker
}
