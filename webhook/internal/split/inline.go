package split

import (
	"strings"

	"github.com/weboffice-go/weboffice/internal/markup"
)

// inliner finds what is more than text within a leaf: escapes, code, tags, links,
// emphasis. In plain text there are only at tags and character references.
type inliner struct {
	doc      *Doc
	pos, end int
	plain    bool
	fonts    []tag
	runs     []run       // of emphasis
	brackets map[int]int // from "[" to its "]", and from "(" to its ")"
	ticks    map[int]int // by length: no run of so many backticks from here on
}

// tag is a color that is open.
type tag struct {
	start, end int
	text       string
}

const fontEnd = "</font>"

func (in *inliner) run() {
	if !in.plain {
		in.brackets, in.ticks = map[int]int{}, map[int]int{}
		in.matchBrackets()
	}
	for in.pos < in.end {
		in.token()
	}
	in.emphasis()
}

func (in *inliner) token() {
	rest := in.doc.src[in.pos:in.end]
	switch c := rest[0]; {
	case c == '<':
		in.angle(rest)
	case c == '&' && markup.Entity(rest) > 0:
		in.atom(markup.Entity(rest), "a character reference")
	case in.plain:
		in.pos++
	case c == '\\' && len(rest) > 1 && markup.IsPunct(rest[1]):
		in.atom(2, "an escape")
	case c == '`':
		in.code(rest)
	case c == '!' && strings.HasPrefix(rest, "!["):
		in.link(1, imageAtom)
	case c == '[':
		in.link(0, linkAtom)
	case c == '*' || c == '_' || c == '~':
		in.delimiters(rest)
	default:
		in.pos++
	}
}

// atom makes the next n bytes one.
func (in *inliner) atom(n int, what string) {
	in.doc.atoms = append(in.doc.atoms, atom{start: in.pos, end: in.pos + n, what: what})
	in.pos += n
}

// angle takes what begins with "<".
func (in *inliner) angle(rest string) {
	if _, after, ok := markup.CutAt(rest); ok {
		in.atom(len(rest)-len(after), "an at tag")
		return
	}
	if in.plain {
		in.pos++
		return
	}
	t, after, ok := markup.CutTag(rest)
	n := len(rest) - len(after)
	switch {
	case ok && t.Name == "font":
		if !t.Closing {
			in.fonts = append(in.fonts, tag{in.pos, in.pos + n, rest[:n]})
		} else if last := len(in.fonts) - 1; last >= 0 {
			open := in.fonts[last]
			in.fonts = in.fonts[:last]
			in.doc.span(span{start: open.start, inner: open.end, outer: in.pos, end: in.pos + n, open: open.text, close: fontEnd})
		}
		in.atom(n, "a color")
	case autoLink().MatchString(rest):
		in.atom(strings.IndexByte(rest, '>')+1, linkAtom)
	case ok && !strings.Contains(rest[:n], "\n"):
		in.atom(n, "a tag")
	default:
		in.pos++
	}
}

// autoLink is an address in angles.
var autoLink = markup.Pattern(`^<(?:[a-zA-Z][a-zA-Z0-9+.-]{1,31}:[^<> \t\n\f\r]*|[^<>@ \t\n\f\r]+@[^<>@ \t\n\f\r]+)>`)

// span adds s if there is something in it.
func (d *Doc) span(s span) {
	if s.inner < s.outer {
		d.spans = append(d.spans, s)
	}
}

// code takes a run of backticks and, if there is another of the same length, the code
// up to that.
func (in *inliner) code(rest string) {
	n := len(rest) - len(strings.TrimLeft(rest, "`"))
	if none, ok := in.ticks[n]; ok && in.pos >= none {
		in.pos += n
		return
	}
	for i, m := n, 0; i < len(rest); i += m {
		if m = strings.IndexByte(rest[i:], '`'); m < 0 {
			break
		}
		i += m
		if m = len(rest[i:]) - len(strings.TrimLeft(rest[i:], "`")); m == n {
			start := in.pos
			in.atom(n, "code")
			in.pos = start + i
			in.atom(n, "code")
			in.doc.span(span{start: start, inner: start + n, outer: start + i, end: in.pos, open: rest[:n], close: rest[:n], kind: code})
			return
		}
	}
	in.ticks[n] = in.pos
	in.pos += n
}

// link takes "[text](address)", after skip bytes, as one atom.
func (in *inliner) link(skip int, what string) {
	closed, ok := in.brackets[in.pos+skip]
	end, addressed := in.brackets[closed+1]
	if !ok || !addressed || in.doc.src[closed+1] != '(' {
		in.pos += 1 + skip
		return
	}
	in.atom(end+1-in.pos, what)
	in.doc.atoms[len(in.doc.atoms)-1].address = closed + len("](")
}

// matchBrackets pairs "[" with "]" and, within a line, "(" with ")", each with the nearest.
func (in *inliner) matchBrackets() {
	var squares, rounds []int
	match := func(open []int, i int) []int {
		n := len(open) - 1
		if n < 0 {
			return open
		}
		in.brackets[open[n]] = i
		return open[:n]
	}
	for i := in.pos; i < in.end; i++ {
		switch in.doc.src[i] {
		case '\\':
			i++
		case '[':
			squares = append(squares, i)
		case ']':
			squares = match(squares, i)
		case '(':
			rounds = append(rounds, i)
		case ')':
			rounds = match(rounds, i)
		case '\n':
			rounds = rounds[:0]
		}
	}
}
