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
	earlyEscaped
	early   // between words, in the first half of a piece
	escaped // between words; an escape or a joiner has to be added
	word
	clause
	sentence
	line
	paragraph
)

// cut is a place where a piece may end.
type cut struct {
	at, next int // the piece ends at at, and the following one begins at next
	size     int // of the piece up to at, in bytes
	chars    int // in characters
	indent   int // columns that lines lose here
	level    level
	open     []int  // spans that are open
	suffix   string // what closes them
	escape   string // keeps the following piece from beginning a block, and comes before next
}

// window writes the source from a start on, and visits the places for a cut in it.
type window struct {
	*Doc
	from       start
	pos, chars int
	out        []byte // what a piece would hold up to pos
	text, size int    // where the last text ends, in the source and in out
	indent     indent
	mark, atom int // the next of marks and atoms
	in         mark
	visit      func(*cut)
	cut        cut  // the last place that was visited
	spaced     bool // white space or glue was before pos
	behindAtom bool
}

// scan visits the places after from within room characters.
func (d *Doc) scan(from start, room int, visit func(*cut)) *window {
	w := &window{Doc: d, from: from, pos: from.pos, text: from.pos, indent: from.indent, visit: visit, spaced: true}
	w.out = make([]byte, 0, len(from.prefix)+min(room, len(d.src)-from.pos))
	w.write(from.prefix)
	w.size = len(w.out)
	if from.quoteBreak > 0 {
		w.chars += len(from.quote) + 1
	}
	w.mark = max(0, sort.Search(len(d.marks), func(i int) bool { return d.marks[i].pos > w.pos })-1)
	w.atom = sort.Search(len(d.atoms), func(i int) bool { return d.atoms[i].start >= w.pos })
	for w.pos < len(d.src) && w.chars <= room {
		w.advance()
	}
	return w
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
	first, _ := utf8.DecodeRuneInString(rest)
	if isSpace(first) && !isAtom {
		if w.within(w.in.open, fence) {
			w.verbatimSpace(rest)
		} else {
			w.space(spaces(rest))
		}
		return
	}
	if !w.spaced && !(w.behindAtom && w.joined(rest)) {
		w.add(w.pos, between(w.src[:w.pos], rest))
	}
	if w.pos == w.from.quoteBreak && w.pos > 0 {
		w.out = append(append(w.out, w.from.quote...), '\n') // it is counted already
	}
	w.spaced, w.behindAtom = false, isAtom
	isText := !unicode.IsSpace(first)
	switch {
	case isAtom:
		a := w.atoms[w.atom]
		w.copy(a.end)
		w.spaced, isText = a.glue, a.what != quoteAtom
	case w.atom < len(w.atoms):
		w.copy(w.pos + cluster(w.src[w.pos:w.atoms[w.atom].start]))
	default:
		w.copy(w.pos + cluster(rest))
	}
	if isText {
		w.text, w.size = w.pos, len(w.out)
	}
}

// copy writes the source up to end. Lines lose their indentation, and what is left of an
// item gets an empty line after it.
func (w *window) copy(end int) {
	for w.indent.n > 0 && w.pos < end {
		next := end
		if i := strings.IndexByte(w.src[w.pos:end], '\n'); i >= 0 {
			next = w.pos + i + 1
		}
		line := w.src[w.pos:next]
		if w.src[w.pos-1] == '\n' {
			line = dedent(line, w.indent.columnsLost(w.Doc, w.pos))
		}
		w.write(line)
		if w.needsBlankLine(next) {
			w.write("\n")
		}
		w.pos = next
	}
	w.write(w.src[w.pos:end])
	w.pos = end
}

func (w *window) write(s string) {
	w.out = append(w.out, s...)
	w.chars += utf8.RuneCountInString(s)
}

// joined reports whether rest goes on with a character that has begun in an atom.
func (w *window) joined(rest string) bool {
	previous, _ := utf8.DecodeLastRuneInString(w.src[:w.pos])
	r, _ := utf8.DecodeRuneInString(rest)
	return joins(previous, r)
}

// verbatimSpace keeps all white space but the line feed at which it cuts.
func (w *window) verbatimSpace(rest string) {
	if rest[0] == '\n' {
		w.add(w.pos+1, line)
		w.copy(w.pos + 1)
		w.spaced = true
		return
	}
	rated := word
	if w.src[w.pos-1] == '\n' {
		rated = poor // between a line and its indentation
	}
	after := strings.TrimLeftFunc(rest, func(r rune) bool { return r != '\n' && isSpace(r) })
	w.copy(len(w.src) - len(after))
	w.spaced = true
	w.add(w.pos, rated)
}

// space drops white space at a cut. A line of plain text keeps its indentation.
func (w *window) space(n int) {
	run := w.src[w.pos : w.pos+n]
	next := w.pos + n
	rated := ends(w.src[:w.pos])
	if lines := strings.Count(run, "\n"); lines > 0 {
		if !w.markdown {
			next = w.pos + strings.LastIndexByte(run, '\n') + 1
		}
		switch {
		case w.ends[w.pos].kind == heading:
			rated = word // a heading belongs to what it heads
		case lines > 1:
			rated = paragraph
		default:
			rated = line
		}
	}
	w.add(next, rated)
	w.copy(w.pos + n)
	w.spaced = true
}

// add visits the cut at which the following piece begins at next, unless it is next to
// a marker and would leave a span empty.
func (w *window) add(next int, rated level) {
	c := &w.cut
	*c = cut{at: w.pos, next: next, size: len(w.out), chars: w.chars, indent: w.indent.n, level: rated, open: w.in.open, suffix: w.in.suffix}
	marker := w.marker(c.open)
	if marker != "" { // emphasis does not end after white space, nor begin before it
		c.at, c.size = w.text, w.size
		c.next = w.textStart(c.next)
	}
	if c.suffix != "" && w.ends[c.at].kind == fence {
		c.suffix = beside + c.suffix
	}
	// Even an escaped tilde would join the two, and a "#" be read as the end mark of the heading.
	if strings.HasPrefix(c.suffix, "~") && w.src[c.at-1] == '~' || w.within(c.open, heading) && endsHeading(w.src[:c.at]) {
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
	if w.markdown && !strings.Contains(w.src[c.at:c.next], "\n") && !w.within(c.open, fence, code) && startsBlock(w.src[c.next:]) {
		c.escape = escape(w.src[c.next:])
		if c.level = min(c.level, escaped); c.level < escaped || c.escape == "" {
			c.level = poor
		}
		c.next += len(strings.TrimSuffix(c.escape, `\`))
	}
	w.visit(c)
}

// textStart returns where the text from pos on begins, without white space and without
// the markers of quoted lines that hold nothing else.
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

// endsHeading reports whether s ends with number signs that are a word.
func endsHeading(s string) bool {
	before := strings.TrimRight(s, "#")
	return strings.TrimRight(before, " \t") != before
}

// marker returns the character of the innermost of the open spans, if that is
// emphasis.
func (d *Doc) marker(open []int) string {
	if n := len(open); n > 0 && d.spans[open[n-1]].kind == inline && d.spans[open[n-1]].close != fontEnd {
		return d.spans[open[n-1]].close[:1]
	}
	return ""
}

// within reports whether one of the open spans is of one of the kinds.
func (d *Doc) within(open []int, kinds ...kind) bool {
	return slices.ContainsFunc(open, func(i int) bool { return slices.Contains(kinds, d.spans[i].kind) })
}
