package office

import (
	"bufio"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// flow writes the text of a page with its line breaks, or as one line.
type flow struct {
	w     *bufio.Writer
	keep  bool
	last  rune // Written last; 0: nothing yet.
	prior rune // Before last.
	space bool // White space is due,
	lines int  // with so many line breaks.
	page  bool // It is the end of a page.
	inner bool // A run from left to right begins, within a line from right to left.
	after bool // White space belongs after it.

	texts []string // What marks stand for.
}

// copyPage copies up to a form feed.
func (f *flow) copyPage(r *bufio.Reader) {
	for {
		c, _, err := r.ReadRune()
		switch text, marked := f.marked(c, r); {
		case err != nil || c == '\f':
			return
		case c == joiner && nextIsLamAlef(r):
			// It made the letter before look as it did.
		case marked:
			f.space = true
			for _, c := range strings.ReplaceAll(text, "\n", " ") {
				f.write(c)
			}
			f.space = true
		default:
			f.write(c)
		}
	}
}

// mark is around the number of a text that worker.py took out of a cell.
const mark = '¤'

// marked gives the text of a mark that c begins, and reads the rest of the mark.
func (f *flow) marked(c rune, r *bufio.Reader) (string, bool) {
	if c != mark || f.texts == nil {
		return "", false
	}
	ahead, _ := r.Peek(16)
	digits, _, _ := strings.Cut(string(ahead), string(mark))
	n, err := strconv.Atoi(digits)
	if err != nil || n < 0 || n >= len(f.texts) || len(digits)+len(string(mark)) > len(ahead) {
		return "", false
	}
	_, _ = r.Discard(len(digits) + len(string(mark))) // It is in the buffer.
	return f.texts[n], true
}

// nextPage separates two pages in one file.
func (f *flow) nextPage() { f.space, f.lines, f.page = true, f.lines+1, true }

func (f *flow) write(c rune) {
	switch {
	case c == '\n' || c == '\u2028' || c == '\u2029':
		f.space = true
		f.lines++
		return
	case unicode.IsSpace(c) && f.inner:
		f.after = true // What is on its left comes after it.
		return
	case unicode.IsSpace(c) && (c != '\u00a0' || !f.keep):
		f.space = true
		return
	case c == leftToRight:
		f.inner = true
		return
	case c == endOfRun:
		f.space = f.space || f.after
		f.inner, f.after = false, false
		return
	case c < ' ' || c == 0x7f || isDirection(c) || c == '\ufeff':
		return // Marks of direction are pdftotext's.
	case isLamAlef(c):
		f.write(lam)
		c = alefs[(c-firstLamAlef)/2]
	}
	if c >= 0xF000 && c <= 0xF0FF {
		c = '•' // A character of a symbol font, which lists begin with.
	}
	f.inner = false
	f.fill(c)
	_, _ = f.w.WriteRune(c) // The error stays with the writer, up to its Flush.
	f.prior, f.last = f.last, c
}

// fill writes the white space before c.
func (f *flow) fill(c rune) {
	if f.space && f.last != 0 {
		switch {
		case f.keep && f.lines > 0:
			for range min(f.lines, 2) {
				_ = f.w.WriteByte('\n')
			}
		case f.lines > 0 && (isEastAsian(f.last) && isEastAsian(c)):
			// Chinese and Japanese have no space at the end of a line.
		case f.lines > 0 && !f.page && f.last == '-' && unicode.IsLetter(f.prior) && unicode.IsLetter(c):
			// A hyphenated word that a line broke.
		default:
			_ = f.w.WriteByte(' ')
		}
	}
	f.space, f.lines, f.page = false, 0, false
}

// end ends the last line of a page whose line breaks are kept.
func (f *flow) end() {
	if f.keep && f.last != 0 {
		_ = f.w.WriteByte('\n')
	}
}

// Lam and alef in one character are two letters. The joiner before it is worker.py's.
const (
	lam          = '\u0644'
	firstLamAlef = '\uFEF5'
	lastLamAlef  = '\uFEFC'
	joiner       = '\u200D'
)

func isLamAlef(c rune) bool { return c >= firstLamAlef && c <= lastLamAlef }

func nextIsLamAlef(r *bufio.Reader) bool {
	ahead, _ := r.Peek(utf8.UTFMax)
	next, _ := utf8.DecodeRune(ahead)
	return isLamAlef(next)
}

// alefs are those of each two characters: at the end of a word, and elsewhere.
var alefs = [4]rune{'\u0622', '\u0623', '\u0625', '\u0627'}

// Marks that pdftotext writes around runs.
const (
	leftToRight = '\u202A'
	endOfRun    = '\u202C'
)

func isDirection(c rune) bool {
	return c >= 0x202A && c <= 0x202E || c >= 0x2066 && c <= 0x2069 || c == 0x200E || c == 0x200F
}

// isEastAsian reports scripts that are written without spaces.
func isEastAsian(c rune) bool {
	return unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo) ||
		c >= 0x3000 && c < 0x3040 || c >= 0xFF00 && c < 0xFFF0
}
