package markdown

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// joiner is U+2060, which shows nothing and forbids a break of the line. For CommonMark it
// is neither space nor punctuation, which lets emphasis begin and end beside punctuation.
const (
	joiner     = "\u2060"
	joinerRune = '\u2060'
)

// noBreakSpace keeps space where a reader would remove it.
const noBreakSpace = "\u00a0"

// writer writes the text and marks of one block after another as markdown. It sees what
// was written, so it escapes only what would mean something there.
type writer struct {
	b      []byte
	indent string // begins each further line of the block
	// oneLine makes a line break a space.
	oneLine bool
	// item is set in an item of a list, where "[x]" at the beginning is a box.
	item bool
	// loose is set if other text may come before: nothing at the beginning is left out.
	loose bool

	start int  // where the text of the block begins
	line  int  // where the text of the current line begins
	first int  // where the line's first visible character is; -1 if that is emphasis or a tag
	ink   int  // after the last visible character
	bol   bool // nothing visible on this line yet

	closed   int     // after the last delimiter that closes
	have     []style // written and not yet closed, outermost first
	want     []style // what the next text must be in
	triple   bool    // the outermost stars in have began in a run of three
	depths   []int   // how many were in want before each open mark
	links    int     // marks of links that are open
	link     string  // address of the outermost of them
	linkText int     // where its text begins
	single   bool    // oneLine before that link
}

// begin starts a block at the end of what was written.
func (w *writer) begin(indent string, oneLine bool) {
	n := len(w.b)
	w.indent, w.oneLine, w.item = indent, oneLine, false
	w.start, w.line, w.first, w.ink, w.bol = n, n, n, n, true
	if oneLine {
		w.first, w.bol = -1, false // no block begins within a heading
	}
}

// finish ends the block and reports whether anything in it is visible.
func (w *writer) finish() bool {
	w.shut(0, ' ')
	if !w.loose {
		w.b = w.b[:w.ink]
	}
	return w.ink > w.start
}

// parts writes the parts of a block.
func (w *writer) parts(parts []any) {
	for _, part := range parts {
		if s, marked := textOf(part); marked {
			w.inline(s)
		} else {
			w.styled(s)
		}
	}
}

// inline writes the text and marks of an Inline.
func (w *writer) inline(s string) {
	for s != "" {
		var t token
		t, s = nextToken(s)
		switch t.mark {
		case 0:
			w.styled(t.value)
		case markBold, markItalic, markStrike:
			w.enter(emphasis[t.mark])
		case markColor:
			w.enter(style{"<font color='" + t.value + "'>", "</font>"})
		case markClose:
			w.leave()
		case markLink:
			w.openLink(t.value)
		case markLinkEnd:
			w.closeLink()
		case markRaw:
			w.raw(t.value)
		case markAutoLink:
			w.autoLink(t.value)
		case markImage:
			w.put("![](" + t.value + ")")
		case markMention:
			w.mention(t.value, t.name)
		}
	}
}

// styled writes text in the styles that are wanted. Space at its beginning does not begin
// emphasis, because "** text **" is not emphasis in CommonMark.
func (w *writer) styled(s string) {
	if len(w.have) == 0 && len(w.want) == 0 {
		w.text(s)
		return
	}
	n := len(s) - len(strings.TrimLeftFunc(s, unicode.IsSpace))
	if n > 0 {
		w.shut(w.common(), ' ')
		w.text(s[:n])
		s = s[n:]
	}
	if s != "" {
		next, _ := utf8.DecodeRuneInString(s)
		w.sync(next)
		w.text(s)
	}
}

// put writes a tag, a link or an image.
func (w *writer) put(s string) {
	w.sync(rune(s[0]))
	w.b = append(w.b, s...)
	w.inked()
}

// inked notes that what was written last is visible and not text.
func (w *writer) inked() {
	if w.bol {
		w.bol, w.first = false, -1
	}
	w.ink = len(w.b)
}

func (w *writer) raw(md string) {
	if trimmed := strings.TrimLeftFunc(md, unicode.IsSpace); trimmed != "" {
		next, _ := utf8.DecodeRuneInString(trimmed)
		w.sync(next)
	}
	for i, line := range strings.Split(md, "\n") {
		if i > 0 && w.oneLine {
			w.b = append(w.b, ' ')
		} else if i > 0 {
			w.b = append(append(w.b, '\n'), w.indent...)
			w.line, w.bol = len(w.b), true
		}
		w.b = append(w.b, line...)
		if strings.TrimSpace(line) != "" {
			w.inked()
			w.ink = w.line + len(bytes.TrimRightFunc(w.b[w.line:], unicode.IsSpace))
		}
	}
}

func (w *writer) openLink(address string) {
	if w.links++; w.links > 1 {
		return
	}
	w.link, w.single, w.oneLine = address, w.oneLine, true
	w.sync('[')
	if n := len(w.b); n > w.start && w.b[n-1] == '!' && w.ink == n {
		w.b = append(w.b[:n-1], `\!`...) // "![" would be an image
	}
	w.b = append(w.b, '[')
	w.linkText = len(w.b)
	w.inked()
}

func (w *writer) closeLink() {
	if w.links--; w.links > 0 {
		return
	}
	w.shut(w.common(), ']')
	if text := w.b[w.linkText:]; w.item && w.linkText == w.start+1 && len(text) == 1 && text[0]|0x20 == 'x' {
		w.b = append(w.b, joiner...)
	}
	w.b = append(append(append(w.b, "]("...), w.link...), ')')
	w.oneLine = w.single
	w.inked()
}

func (w *writer) autoLink(address string) {
	if w.links > 0 {
		w.styled(address)
		return
	}
	w.put("<" + address + ">")
}

func (w *writer) mention(attr, name string) {
	w.put("<at " + attr + ">")
	oneLine := w.oneLine
	w.oneLine = true
	w.text(name)
	w.oneLine = oneLine
	w.b = append(w.b, "</at>"...)
	w.inked()
}
