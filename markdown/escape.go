package markdown

import (
	"bytes"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/internal/markup"
)

// Escape returns s as markdown that shows s and nothing else, at the beginning of a line. A
// line feed becomes a line break, and indentation no-break spaces.
func Escape(s string) string {
	if s == "" || !startsLine[s[0]] && isPlain(s) {
		return s
	}
	w := writer{b: make([]byte, 0, len(s)+len(s)/4+16), loose: true, bol: true}
	w.text(s)
	if string(w.b) == s {
		return s
	}
	return string(w.b)
}

// What text does with an ASCII character.
const (
	copied    = iota
	escaped   // always gets a backslash
	depending // on what is beside it
	foreigner // is not ASCII, or left out
)

// class says it for each byte.
var class = func() (set [256]byte) {
	for c := range set {
		if c < 0x20 && c != '\t' || c >= 0x7f {
			set[c] = foreigner
		}
	}
	for _, c := range "\\`*_~[]|" {
		set[c] = escaped
	}
	for _, c := range "<&.()/@\n" {
		set[c] = depending
	}
	return set
}()

// startsLine holds what may need more than a copy only as the first character of a line.
var startsLine = [256]bool{'#': true, '>': true, '=': true, '-': true, '+': true, ':': true, ' ': true, '\t': true}

// isPlain reports whether s needs no more than a copy, unless it begins a line.
func isPlain(s string) bool {
	for i := range len(s) {
		if class[s[i]] != copied {
			return false
		}
	}
	return true
}

// text writes s escaped.
func (w *writer) text(s string) {
	for s != "" {
		if w.bol {
			if s = w.lineStart(s); s == "" {
				break
			}
		}
		s = s[w.textLine(s):]
	}
	w.mark()
}

// textLine writes s up to the end of the line and returns how much that is.
func (w *writer) textLine(s string) int {
	from := 0 // the beginning of what is not written yet
	for i := 0; ; {
		for i < len(s) && class[s[i]] == copied {
			i++
		}
		if i == len(s) {
			break
		}
		switch class[s[i]] {
		case escaped:
			w.b = append(w.b, s[from:i]...)
			w.b = append(w.b, '\\')
			from = i
			i++
			continue
		case depending:
			if i > 0 && !mayMean(s[i-1], s[i]) {
				i++
				continue
			}
		case foreigner:
			if as, size := cleanRune(s[i:]); as == s[i:i+size] {
				i += size
				continue
			}
		}
		w.b = append(w.b, s[from:i]...)
		i += w.escape(s[i:])
		from = i
		if w.bol {
			return i
		}
	}
	w.b = append(w.b, s[from:]...)
	return len(s)
}

// mayMean is false if [writer.means] would be, judging by the character before, unless
// that may be left out.
func mayMean(before, c byte) bool {
	if class[before] == foreigner {
		return true
	}
	switch c {
	case '.', ')':
		return markup.IsDigit(before) || before|0x20 == 'w'
	case '(':
		return before == ']'
	case '/':
		return before == '/' || before == ':'
	}
	return true
}

// mark notes how far the current line is visible.
func (w *writer) mark() {
	line := w.b[w.line:]
	if n := len(line); n > 0 && (line[n-1] <= ' ' || line[n-1] >= utf8.RuneSelf) {
		line = bytes.TrimRightFunc(line, unicode.IsSpace)
	}
	if len(line) > 0 {
		w.ink = max(w.ink, w.line+len(line))
	}
}

// escape writes the special character that s begins with and returns its length.
func (w *writer) escape(s string) int {
	c := s[0]
	switch c {
	case '<':
		w.b = append(w.b, "&lt;"...)
		if mayBeTag(s[1:]) {
			w.b = append(w.b, joiner...)
		}
		return 1
	case '&':
		w.b = append(w.b, '&')
		if next := peek(s[1:]); next == 0 || next == '#' || markup.IsLetter(next) {
			w.b = append(w.b, "amp;"...)
		}
		if mayBeLess(s[1:]) && mayDecodeToTag(s) {
			w.b = append(w.b, joiner...)
		}
		return 1
	case '\n':
		w.lineBreak()
		return 1
	case '.', '(', ')', '/', '@':
		if w.means(c, s[1:]) {
			w.b = append(w.b, '\\')
		}
		w.b = append(w.b, c)
		return 1
	}
	as, size := cleanRune(s)
	w.foreign(as)
	return size
}

// mayDecodeToTag reports whether s, which begins with "&", may be an at tag once its
// entities are decoded, also together with what follows.
func mayDecodeToTag(s string) bool {
	const some = 64 // An entity is longer only with zeros before its number.
	start := s[:min(len(s), len("&#60"))]
	if len(s) == len(start) && start[len(start)-1] != ';' || strings.HasSuffix(start, "0") && start != "&#60" {
		return true
	}
	rest, less := strings.CutPrefix(html.UnescapeString(s[:min(len(s), some)]), "<")
	return less && mayBeTag(rest)
}

// means reports whether c, one of ".()/@", makes something of what was written and what
// follows: an item of a list, or an address. At the end of a text it may. A "(" is that of
// a link for a reader who knows no escapes.
func (w *writer) means(c byte, rest string) bool {
	b := w.b[w.start:]
	switch c {
	case '(':
		return len(b) > 0 && b[len(b)-1] == ']'
	case '/':
		return bytes.HasSuffix(b, []byte(":/"))
	case '@':
		next := peek(rest)
		return len(b) > 0 && isMailbox(b[len(b)-1]) && (next == 0 || markup.IsAlphanumeric(next))
	}
	if w.first >= w.start && w.isNumber() {
		return peek(rest) <= ' '
	}
	n := len(b)
	return c == '.' && n >= 3 && bytes.EqualFold(b[n-3:], []byte("www")) && (n == 3 || !markup.IsAlphanumeric(b[n-4]))
}

// isNumber reports whether the line so far is the number of a list item.
func (w *writer) isNumber() bool {
	const longest = 9 // CommonMark 5.2
	n := len(w.b) - w.first
	return n >= 1 && n <= longest && len(bytes.Trim(w.b[w.first:], "0123456789")) == 0
}

// isMailbox reports whether c may stand before the "@" of an e-mail address.
func isMailbox(c byte) bool {
	return markup.IsAlphanumeric(c) || strings.IndexByte(".!#$%&'*+/=?^_`{|}~-;", c) >= 0
}
