package split

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// next returns where the piece that begins at from ends. following is the room of
// the piece after it, which may take what is better not cut here.
func (d *Doc) next(from start, room, following int) (cut, error) {
	var whole, broken choice
	chars := d.scan(from, room, func(c cut) {
		length := c.chars + utf8.RuneCountInString(closing(c.suffix, c.indent))
		switch {
		case c.at <= from.pos || length > room || strings.TrimSpace(d.src[from.pos:c.at]) == "":
		case d.breaks(c, from, following):
			broken.offer(c, room)
		default:
			whole.offer(c, room)
		}
	})
	if chars <= room {
		end := len(strings.TrimRight(d.src, " \t\r\n"))
		return cut{at: max(end, from.pos), next: len(d.src)}, nil
	}
	c := whole
	if !c.found {
		c = broken
	}
	if !c.found {
		return cut{}, d.tooLong(from, room)
	}
	best, early := c.best()
	if late := c.last[character]; early && late.at > best.at && d.isLong(best.next, following) {
		best = late // the word after best has to be cut anyway
	}
	return best, nil
}

// isLong reports whether the word at pos is longer than room.
func (d *Doc) isLong(pos, room int) bool {
	long := true
	chars := d.scan(start{pos: pos}, room, func(c cut) {
		if c.level > character && c.at > pos {
			long = false
		}
	})
	return long && chars > room
}

// breaks reports whether c would cut a span that has begun in this piece and would
// fit into the following one as a whole.
func (d *Doc) breaks(c cut, from start, following int) bool {
	return slices.ContainsFunc(c.open, func(i int) bool { return d.spans[i].start >= from.pos && d.spans[i].chars <= following })
}

// choice keeps the best places so far.
type choice struct {
	found bool
	last  [paragraph + 1]cut // of each level; between words only those in the second half of the piece
	early cut                // the last between words in its first half
}

func (c *choice) offer(this cut, room int) {
	c.found = true
	switch {
	case this.level <= character || 2*this.chars >= room:
		c.last[this.level] = this
	case this.level >= word || c.early.level < word:
		c.early = this
	}
}

// best prefers the level, then the second half, and a short piece to a cut word.
func (c *choice) best() (best cut, early bool) {
	for l := paragraph; l >= escaped; l-- {
		if c.last[l].at > 0 {
			return c.last[l], false
		}
	}
	switch {
	case c.early.at > 0:
		return c.early, true
	case c.last[character].at > 0:
		return c.last[character], false
	default:
		return c.last[poor], false
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
	if _, e.Chars = cluster(d.src[from.pos:]); e.Chars > room {
		e.What = "a character of several parts"
		return e
	}
	e.What, e.Chars = "markup that stays open", 0
	return e
}
