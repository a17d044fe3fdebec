package split

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// level says how good a place for a cut is.
type level uint8

const (
	poor      level = iota // what follows would read as something else
	character              // within a word
	escaped                // between words; an escape or a joiner has to be added
	word
	clause
	sentence
	line
	paragraph
)

// cut is a place where a piece may end.
type cut struct {
	at, next int // the piece ends at at, and the following one begins at next
	chars    int // from where the piece began to at
	indent   int // columns that lines lose here
	level    level
	open     []int  // spans that are open
	suffix   string // what closes them
	escape   string // keeps the following piece from beginning a block, and comes before next
}

// window visits the places for a cut after a start, in their order.
type window struct {
	*Doc
	pos, chars int
	indent     indent
	mark, atom int // the next of marks and atoms
	in         mark
	visit      func(cut)
	spaced     bool // white space or glue was before pos
	behindAtom bool
}

// scan visits the places after from within room characters, and returns how many
// characters there are in all, or more than room.
func (d *Doc) scan(from start, room int, visit func(cut)) (chars int) {
	w := window{Doc: d, pos: from.pos, chars: utf8.RuneCountInString(from.prefix), indent: from.indent, visit: visit, spaced: true}
	if from.quoteBreak > 0 {
		w.chars += len(from.quote) + 1
	}
	w.lost(w.pos, w.pos)
	w.mark = max(0, sort.Search(len(d.marks), func(i int) bool { return d.marks[i].pos > w.pos })-1)
	w.atom = sort.Search(len(d.atoms), func(i int) bool { return d.atoms[i].start >= w.pos })
	for w.pos < len(d.src) && w.chars <= room {
		w.advance()
	}
	return w.chars
}

// advance takes one atom, one run of white space or one character.
func (w *window) advance() {
	for w.mark < len(w.marks) && w.marks[w.mark].pos <= w.pos {
		w.in = w.marks[w.mark]
		w.mark++
	}
	for w.atom < len(w.atoms) && w.atoms[w.atom].start < w.pos {
		w.atom++
	}
	rest := w.src[w.pos:]
	isAtom := w.atom < len(w.atoms) && w.atoms[w.atom].start == w.pos
	if r, _ := utf8.DecodeRuneInString(rest); isSpace(r) && !isAtom {
		if w.verbatim() {
			w.verbatimSpace(rest)
		} else {
			w.space(spaces(rest))
		}
		return
	}
	if !w.spaced && !(w.behindAtom && w.joined(rest)) {
		w.add(cut{at: w.pos, next: w.pos, level: between(w.src[:w.pos], rest)})
	}
	w.spaced, w.behindAtom = false, isAtom
	var size, chars int
	switch {
	case isAtom:
		a := w.atoms[w.atom]
		size, chars = a.end-a.start, utf8.RuneCountInString(w.src[a.start:a.end])-w.lostWithin(a.start, a.end)
		w.spaced = a.glue
	case w.atom < len(w.atoms):
		size, chars = cluster(w.src[w.pos:w.atoms[w.atom].start])
	default:
		size, chars = cluster(rest)
	}
	w.pos, w.chars = w.pos+size, w.chars+chars
}

// joined reports whether rest goes on with a character that has begun in an atom.
func (w *window) joined(rest string) bool {
	previous, _ := utf8.DecodeLastRuneInString(w.src[:w.pos])
	r, _ := utf8.DecodeRuneInString(rest)
	return joins(previous, r)
}

// verbatim reports whether pos is within a fence, where white space counts.
func (w *window) verbatim() bool {
	return slices.ContainsFunc(w.in.open, func(i int) bool { return w.spans[i].kind == fence && w.pos >= w.spans[i].inner })
}

// verbatimSpace keeps all white space but the line feed at which it cuts.
func (w *window) verbatimSpace(rest string) {
	if rest[0] == '\n' {
		w.add(cut{at: w.pos, next: w.pos + 1, level: line})
		w.pos, w.chars, w.spaced = w.pos+1, w.chars+1, true
		return
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return r == '\n' || !isSpace(r) })
	if end < 0 {
		end = len(rest)
	}
	rated := word
	if w.src[w.pos-1] == '\n' {
		rated = poor // between a line and its indentation
	}
	w.chars += utf8.RuneCountInString(rest[:end]) - w.lost(w.pos, w.pos+end)
	w.pos, w.spaced = w.pos+end, true
	w.add(cut{at: w.pos, next: w.pos, level: rated})
}

// space drops white space at a cut. A line of plain text keeps its indentation.
func (w *window) space(n int) {
	run := w.src[w.pos : w.pos+n]
	next := w.pos + n
	c := cut{at: w.pos, level: ends(w.src[:w.pos])}
	if lines := strings.Count(run, "\n"); lines > 0 {
		if !w.markdown {
			next = w.pos + strings.LastIndexByte(run, '\n') + 1
		}
		switch {
		case w.ends[w.pos] == heading:
			c.level = word // a heading belongs to what it heads
		case lines > 1:
			c.level = paragraph
		default:
			c.level = line
		}
	}
	c.next = next
	w.add(c)
	w.chars += utf8.RuneCountInString(run)
	if w.indent.n > 0 {
		if i := strings.IndexByte(run, '\n'); i >= 0 && w.needsBlankLine(w.pos, w.pos+i+1, w.indent.n) {
			w.chars++
		}
		w.chars -= w.lost(w.pos+strings.LastIndexByte(run, '\n')+1, w.pos+n)
	}
	w.pos, w.spaced = w.pos+n, true
}

// lostWithin returns how many characters the lines lose that begin in an atom.
func (w *window) lostWithin(start, end int) int {
	lost := 0
	for w.indent.n > 0 {
		i := strings.IndexByte(w.src[start:end], '\n')
		if i < 0 {
			break
		}
		start += i + 1
		lost += w.lost(start, start+indentation(w.src[start:end]))
	}
	return lost
}

// lost returns how many characters of the white space from start to end a line loses
// that begins with it.
func (w *window) lost(start, end int) int {
	if w.indent.n == 0 || w.src[start-1] != '\n' {
		return 0
	}
	return end - start - len(dedent(w.src[start:end], w.indent.columnsLost(w.Doc, start)))
}

// add takes c unless it is next to a marker and would leave a span empty.
func (w *window) add(c cut) {
	c.chars, c.indent, c.open, c.suffix = w.chars, w.indent.n, w.in.open, w.in.suffix
	marker := w.marker(c.open)
	if marker != "" { // emphasis does not end after white space, nor begin before it
		c.at = w.textEnd(c.at)
		c.next = w.textStart(c.next)
	}
	if c.suffix != "" && w.ends[c.at] == fence {
		c.suffix = beside + c.suffix
	}
	// Even an escaped tilde would join the two, and a "#" be read as the end mark of the heading.
	if strings.HasPrefix(c.suffix, "~") && w.src[c.at-1] == '~' || strings.HasSuffix(w.src[:c.at], "#") && w.inHeading(c) {
		c.suffix = string(wordJoiner) + c.suffix
		c.level = min(c.level, escaped)
	}
	if marker != "" && marker != "~" && !w.behindAtom && w.src[c.at-1] == marker[0] {
		c.level = poor // it would not end after another marker, which is text
	}
	for _, i := range c.open {
		s := &w.spans[i]
		if c.at <= s.inner || c.next >= s.outer {
			return
		}
		if s.kind == code && (w.src[c.at-1] == '`' || w.src[c.next] == '`') {
			return
		}
	}
	if w.markdown && !strings.Contains(w.src[c.at:c.next], "\n") && !w.literal() && startsBlock(w.src[c.next:]) {
		c.escape = escape(w.src[c.next:])
		if c.level = min(c.level, escaped); c.level < escaped || c.escape == "" {
			c.level = poor
		}
		c.next += len(strings.TrimSuffix(c.escape, `\`))
	}
	w.visit(c)
}

// textEnd returns where the text before pos ends, without white space and without the
// markers of quoted lines that hold nothing else.
func (d *Doc) textEnd(pos int) int {
	for {
		pos = len(strings.TrimRightFunc(d.src[:pos], unicode.IsSpace))
		l, ok := d.quotedLine(pos)
		if !ok || pos > l.text {
			return pos
		}
		pos = l.start
	}
}

// textStart returns where the text from pos on begins, likewise.
func (d *Doc) textStart(pos int) int {
	for {
		pos += blank(d.src[pos:])
		l, ok := d.quotedLine(pos + 1)
		if !ok || l.start != pos || strings.TrimSpace(d.src[l.text:l.end]) != "" {
			return pos
		}
		pos = l.next
	}
}

// inHeading reports whether c is in a heading, after number signs that are a word.
func (w *window) inHeading(c cut) bool {
	before := strings.TrimRight(w.src[:c.at], "#")
	return strings.TrimRight(before, " \t") != before && slices.ContainsFunc(c.open, func(i int) bool { return w.spans[i].kind == heading })
}

// marker returns the character of the innermost of the open spans, if that is
// emphasis.
func (d *Doc) marker(open []int) string {
	if n := len(open); n > 0 && d.spans[open[n-1]].kind == inline && d.spans[open[n-1]].close != fontEnd {
		return d.spans[open[n-1]].close[:1]
	}
	return ""
}

// literal reports whether pos is within code, in which nothing is markup.
func (w *window) literal() bool {
	return slices.ContainsFunc(w.in.open, func(i int) bool { return w.spans[i].kind == fence || w.spans[i].kind == code })
}
