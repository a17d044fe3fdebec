package split

import (
	"regexp"
	"strings"
)

// inliner finds what is more than text within a leaf: escapes, code, tags, links,
// emphasis. In plain text there are only at tags and character references.
type inliner struct {
	doc      *Doc
	pos, end int
	plain    bool
	fonts    []tag
	runs     []run       // of emphasis
	brackets map[int]int // from "[" to its "]"
	paren    int         // no ")" from here on
}

// tag is a colour that is open.
type tag struct {
	start, end int
	text       string
}

var (
	atTag     = regexp.MustCompile(`(?i)^<at(?:\s[^<>]*)?>(?:[^<]*</at>)?`)
	fontTag   = regexp.MustCompile(`^<font(?:\s[^<>]*)?>`)
	otherTag  = regexp.MustCompile(`^</?[A-Za-z][^<>\n]*>`)
	autoLink  = regexp.MustCompile(`^<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^<>\s]*|[^<>\s@]+@[^<>\s@]+)>`)
	reference = regexp.MustCompile(`^&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});`)
)

const fontEnd = "</font>"

func (in *inliner) run() {
	in.paren = in.end
	if !in.plain {
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
	case c == '&' && reference.MatchString(rest):
		in.atom(len(reference.FindString(rest)), "a character reference")
	case in.plain:
		in.pos++
	case c == '\\' && len(rest) > 1 && isPunct(rest[1]):
		in.atom(2, "an escape")
	case c == '`':
		in.code(rest)
	case c == '!' && strings.HasPrefix(rest, "!["):
		in.link(1, "an image")
	case c == '[':
		in.link(0, "a link")
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
	if found := atTag.FindString(rest); found != "" {
		in.atom(len(found), "an at tag")
		return
	}
	if in.plain {
		in.pos++
		return
	}
	if opened := fontTag.FindString(rest); opened != "" {
		in.fonts = append(in.fonts, tag{in.pos, in.pos + len(opened), opened})
		in.atom(len(opened), "a colour")
		return
	}
	if strings.HasPrefix(rest, fontEnd) {
		in.closeFont()
		in.atom(len(fontEnd), "a colour")
		return
	}
	if found := autoLink.FindString(rest); found != "" {
		in.atom(len(found), "a link")
		return
	}
	if found := otherTag.FindString(rest); found != "" {
		in.atom(len(found), "a tag")
		return
	}
	in.pos++
}

func (in *inliner) closeFont() {
	n := len(in.fonts) - 1
	if n < 0 {
		return
	}
	open := in.fonts[n]
	in.fonts = in.fonts[:n]
	in.span(span{start: open.start, inner: open.end, outer: in.pos, end: in.pos + len(fontEnd), open: open.text, close: fontEnd})
}

// span adds s where there is something in it.
func (in *inliner) span(s span) {
	if s.inner < s.outer {
		in.doc.spans = append(in.doc.spans, s)
	}
}

// code takes a run of backticks and, where there is one, the code up to the next run
// of the same length.
func (in *inliner) code(rest string) {
	n := len(rest) - len(strings.TrimLeft(rest, "`"))
	for i := n; i < len(rest); {
		at := strings.IndexByte(rest[i:], '`')
		if at < 0 {
			break
		}
		i += at
		m := len(rest[i:]) - len(strings.TrimLeft(rest[i:], "`"))
		if m == n {
			start := in.pos
			in.atom(n, "code")
			in.pos = start + i
			in.atom(n, "code")
			in.span(span{start: start, inner: start + n, outer: start + i, end: in.pos, open: rest[:n], close: rest[:n], kind: code})
			return
		}
		i += m
	}
	in.pos += n
}

// link takes "[text](address)", behind skip bytes, as one atom.
func (in *inliner) link(skip int, what string) {
	closed, ok := in.brackets[in.pos+skip]
	if !ok {
		in.pos += 1 + skip
		return
	}
	end := in.address(closed + 1)
	if end < 0 {
		in.pos += 1 + skip
		return
	}
	in.atom(end-in.pos, what)
}

// address returns where "(address)" ends that begins at pos, or -1.
func (in *inliner) address(pos int) int {
	if pos >= in.end || in.doc.src[pos] != '(' || pos >= in.paren {
		return -1
	}
	depth := 0
	for i := pos; i < in.end; i++ {
		switch in.doc.src[i] {
		case '\\':
			i++
		case '\n':
			return -1
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	in.paren = pos // what opens behind it does not close either
	return -1
}

// matchBrackets pairs "[" with "]", each with the nearest.
func (in *inliner) matchBrackets() {
	var open []int
	for i := in.pos; i < in.end; i++ {
		switch in.doc.src[i] {
		case '\\':
			i++
		case '[':
			open = append(open, i)
		case ']':
			if n := len(open) - 1; n >= 0 {
				if in.brackets == nil {
					in.brackets = map[int]int{}
				}
				in.brackets[open[n]] = i
				open = open[:n]
			}
		}
	}
}

func isPunct(c byte) bool {
	return c >= '!' && c <= '/' || c >= ':' && c <= '@' || c >= '[' && c <= '`' || c >= '{' && c <= '~'
}
