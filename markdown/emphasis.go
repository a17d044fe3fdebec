package markdown

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// style is an emphasis or a color that text is in, by what is written around it.
type style struct{ open, close string }

// emphasis are the styles that marks say without a value.
var emphasis = map[byte]style{markBold: {"**", "**"}, markItalic: {"*", "*"}, markStrike: {"~~", "~~"}}

// char is the first character of open and close.
func (s style) char() byte { return s.open[0] }

// enter puts the text that follows in s. A style within itself counts once, since emphasis
// would end it ("**a **b** c**").
func (w *writer) enter(s style) {
	w.depths = append(w.depths, len(w.want))
	if !slices.Contains(w.want, s) {
		w.want = append(w.want, s)
	}
}

// leave undoes the last enter.
func (w *writer) leave() {
	last := len(w.depths) - 1
	w.want, w.depths = w.want[:w.depths[last]], w.depths[:last]
}

// common is how many of the open styles stay open.
func (w *writer) common() int {
	n := 0
	for n < len(w.have) && n < len(w.want) && w.have[n] == w.want[n] {
		n++
	}
	return n
}

// sync closes and opens styles so that what begins with next is in those that are wanted.
func (w *writer) sync(next rune) {
	n := w.common()
	if n < len(w.have) {
		after := next
		if n < len(w.want) {
			after = rune(w.want[n].char())
			if char := w.have[n].char(); char != '<' && after == rune(char) {
				after = joinerRune // see openRun
			}
		}
		w.shut(n, after)
	}
	for n < len(w.want) {
		if outer := w.outerStar(n); outer >= 0 && w.closesOuter() {
			w.shut(outer, joinerRune)
			n = outer
		}
		n = w.openRun(n, next)
	}
}

// outerStar returns the index of the style that is written with stars and is open around
// want[n], or -1.
func (w *writer) outerStar(n int) int {
	if w.want[n].char() != '*' {
		return -1
	}
	return slices.IndexFunc(w.have[:n], func(s style) bool { return s.char() == '*' })
}

// closesOuter reports whether stars written now would not begin emphasis within that of
// other stars, but end it. After a letter they may do either; "**a*b***" is safe by the
// rule that lengths must not add up to a multiple of 3 (CommonMark 6.2, rules 9 and 10),
// but not if the outer stars began in a run of three.
func (w *writer) closesOuter() bool {
	before := w.last()
	return w.triple && !unicode.IsSpace(before) && !surePunct(before)
}

// openRun opens the wanted styles from n on that are one run of delimiters, and returns
// how many are open then. A run may begin emphasis if no space follows and, if
// punctuation follows, after space or punctuation (CommonMark 6.2); between
// punctuation it may also end emphasis, which matters within other stars.
func (w *writer) openRun(n int, next rune) int {
	char := w.want[n].char()
	if char == '*' && w.closed == len(w.b) && w.last() == '*' || char == '~' && w.last() == '~' {
		w.b = append(w.b, joiner...) // or two runs would be one
	}
	before, outer, from := w.last(), w.outerStar(n), n
	for {
		w.b = append(w.b, w.want[n].open...)
		w.have = append(w.have, w.want[n])
		if n++; n == len(w.want) || char != '*' || w.want[n].char() != '*' {
			break
		}
	}
	if n < len(w.want) {
		next = rune(w.want[n].char())
	}
	if char != '<' && maybePunct(next) && !unicode.IsSpace(before) && (outer >= 0 || !surePunct(before)) {
		w.b = append(w.b, joiner...)
	}
	if char == '*' && outer < 0 {
		w.triple = n-from > 1
	}
	w.inked()
	return n
}

// shut closes the styles from keep on, after what is visible, before the space that may
// follow it. The rule for a run is that of openRun, mirrored.
func (w *writer) shut(keep int, next rune) {
	if len(w.have) <= keep {
		return
	}
	tail := string(w.b[w.ink:])
	w.b = w.b[:w.ink]
	if tail != "" {
		next = ' '
	}
	for i := len(w.have); i > keep; {
		from := i - 1
		char := w.have[from].char()
		for char == '*' && from > keep && w.have[from-1].char() == '*' {
			from--
		}
		after, last := w.after(keep, from, next), w.last()
		if last == '~' && char == '~' || char != '<' && maybePunct(last) && !unicode.IsSpace(after) && !surePunct(after) {
			w.b = append(w.b, joiner...)
		}
		for ; i > from; i-- {
			w.b = append(w.b, w.have[i-1].close...)
		}
	}
	w.have = w.have[:keep]
	if w.line > w.ink {
		w.line += len(w.b) - w.ink
		w.first += len(w.b) - w.ink
	}
	w.ink, w.closed = len(w.b), len(w.b)
	w.b = append(w.b, tail...)
}

// after is what follows the end of the style at i when next follows that of the style at
// keep: the delimiters between, or the joiner before them.
func (w *writer) after(keep, i int, next rune) rune {
	for _, s := range w.have[keep:i] {
		if s.char() == '<' || unicode.IsSpace(next) || surePunct(next) {
			next = rune(s.char())
		} else {
			next = joinerRune
		}
	}
	return next
}

// last is the last character of the block, a space at its beginning.
func (w *writer) last() rune {
	if len(w.b) <= w.start {
		return ' '
	}
	r, _ := utf8.DecodeLastRune(w.b[w.start:])
	return r
}

// maybePunct and surePunct differ in symbols such as an emoji, which are punctuation for
// CommonMark from 0.31 on, and in other rules for emphasis are not.
func maybePunct(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }

func surePunct(r rune) bool {
	return unicode.IsPunct(r) || r < utf8.RuneSelf && unicode.IsSymbol(r)
}
