package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/internal/markup"
)

// lineStart writes what of s belongs to the beginning of a line: space, and a first
// character that would begin a block. It returns the rest, which is empty or begins with a
// line feed if nothing visible was met.
func (w *writer) lineStart(s string) string {
	for s != "" && s[0] != '\n' {
		n := w.space(s)
		if n == 0 {
			w.bol, w.first = false, len(w.b)
			if startsBlock(s) {
				w.b = append(w.b, '\\', s[0])
				s = s[1:]
			}
			return s
		}
		s = s[n:]
	}
	return s
}

// space writes the space or the invisible character that s begins with, and returns its
// length, or 0 if s begins with something visible. A reader removes spaces at the
// beginning of a line, and takes four for code.
func (w *writer) space(s string) int {
	switch c := s[0]; {
	case c == ' ':
		n := len(s) - len(strings.TrimLeft(s, " "))
		if n == 1 && len(w.b) == w.start {
			w.b = append(w.b, ' ')
			return 1
		}
		w.spaces(n)
		return n
	case c == '\t':
		w.spaces(4)
		return 1
	case class[c] != foreigner:
		return 0
	}
	as, size := cleanRune(s)
	if r, _ := utf8.DecodeRuneInString(as); as != "" && !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r) {
		return 0
	}
	w.foreign(as)
	return size
}

// foreign writes what a foreign character becomes.
func (w *writer) foreign(as string) {
	if as == "\n" {
		w.lineBreak()
		return
	}
	w.b = append(w.b, as...)
}

func (w *writer) spaces(n int) {
	for range n {
		w.b = append(w.b, noBreakSpace...)
	}
}

// startsBlock reports whether a line that begins with s could be something else than text.
func startsBlock(s string) bool {
	switch s[0] {
	case '#', '>', '=':
		return true
	case '-':
		next := peek(s[1:])
		return next <= ' ' || markup.IsPunct(next)
	case '+':
		return peek(s[1:]) <= ' '
	case ':':
		next := peek(s[1:])
		return next <= ' ' || next == '-'
	}
	return false
}

// lineBreak writes a line break: two spaces and a line feed (protocol 2.8). A line that
// would be empty gets a no-break space, since an empty line ends the block.
func (w *writer) lineBreak() {
	if w.oneLine { // The line goes on, and text marks its end once.
		if n := len(w.b); n > w.start && w.b[n-1] != ' ' {
			w.b = append(w.b, ' ')
		}
		return
	}
	w.mark()
	if len(w.b) == w.start && !w.loose {
		return
	}
	end := len(w.b)
	for end > w.line && (w.b[end-1] == ' ' || w.b[end-1] == '\t') {
		end--
	}
	w.b = w.b[:end]
	if end == w.line && end > 0 {
		w.b = append(w.b, noBreakSpace...)
	}
	w.b = append(append(w.b, "  \n"...), w.indent...)
	w.line, w.first, w.bol = len(w.b), len(w.b), true
}
