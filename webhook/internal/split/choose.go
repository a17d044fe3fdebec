package split

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// next returns the piece that begins at from, and where it ends. following is the room of
// the piece after it, which may take what is better not cut here.
func (d *Doc) next(from start, room, following int) (string, cut, error) {
	var whole, broken choice
	w := d.scan(from, room, func(c *cut) {
		length := c.chars + utf8.RuneCountInString(closing(c.suffix, c.indent))
		switch {
		case c.at <= from.pos || length > room || strings.TrimSpace(d.src[from.pos:c.at]) == "":
		case d.breaks(c, from, following):
			broken.offer(c, room)
		default:
			whole.offer(c, room)
		}
	})
	if w.chars <= room {
		rest := strings.TrimRight(string(w.out[len(from.prefix):]), " \t\r\n")
		return from.prefix + rest, cut{next: len(d.src)}, nil
	}
	best := whole
	if best.at == 0 {
		best = broken
	}
	if best.at == 0 {
		return "", cut{}, d.tooLong(from, room)
	}
	c := best.cut
	if c.level <= early && best.inWord.at > c.at && d.isLong(c.next, following) {
		c = best.inWord // the word has to be cut anyway
	}
	return string(w.out[:c.size]) + closing(c.suffix, c.indent), c, nil
}

// isLong reports whether the word at pos is longer than room.
func (d *Doc) isLong(pos, room int) bool {
	long := true
	w := d.scan(start{pos: pos}, room, func(c *cut) { long = long && (c.level <= character || c.at <= pos) })
	return long && w.chars > room
}

// breaks reports whether c would cut a span that has begun in this piece and would
// fit into the following one as a whole.
func (d *Doc) breaks(c *cut, from start, following int) bool {
	return slices.ContainsFunc(c.open, func(i int) bool { return d.spans[i].start >= from.pos && d.spans[i].chars <= following })
}

// choice keeps the best place so far: of the highest level, and of those the last.
type choice struct {
	cut
	inWord cut // the last within a word
}

// offer takes c into account. A place between words is worth less in the first half of the
// piece, but more than one within a word.
func (ch *choice) offer(c *cut, room int) {
	switch firstHalf := 2*c.chars < room; {
	case c.level == character:
		ch.inWord = *c
	case firstHalf && c.level == escaped:
		c.level = earlyEscaped
	case firstHalf && c.level > escaped:
		c.level = early
	}
	if c.level >= ch.level {
		ch.cut = *c
	}
}

// tooLong says what keeps a piece from beginning at from.
func (d *Doc) tooLong(from start, room int) error {
	e := &Error{Line: 1 + strings.Count(d.src[:from.pos], "\n"), Room: room}
	for _, a := range d.atoms {
		if a.start == from.pos {
			e.What, e.Chars = a.what, utf8.RuneCountInString(d.src[a.start:a.end])
			if e.Chars > room {
				return e
			}
		}
	}
	if e.Chars = utf8.RuneCountInString(d.src[from.pos:][:cluster(d.src[from.pos:])]); e.Chars > room {
		e.What = "a character of several parts"
		return e
	}
	e.What, e.Chars = "markup that stays open", 0
	return e
}
