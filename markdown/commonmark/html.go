package commonmark

import (
	"html"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/weboffice-go/weboffice/internal/markup"
)

// unseen are the parts of HTML that do not show, by what they begin and end with.
var unseen = [...]struct{ begin, end string }{{"<!--", "-->"}, {"<?", "?>"}, {"<![CDATA[", "]]>"}}

// htmlReader reads a block of HTML.
type htmlReader struct {
	f    *flow
	rest string
	open [len(unseen)]bool // nothing in rest ends these
}

// htmlBlock writes what a block of HTML shows.
func (f *flow) htmlBlock(n *ast.HTMLBlock) {
	end := f.scope()
	source := n.Lines().Value(f.c.src)
	if n.HasClosure() {
		source = append(source, n.ClosureLine.Value(f.c.src)...)
	}
	for r := (htmlReader{f: f, rest: string(source)}); r.rest != ""; {
		r.next()
	}
	end()
	f.pre, f.gap = 0, false
}

// next writes the text or the tag that comes next.
func (r *htmlReader) next() {
	if i := strings.IndexByte(r.rest, '<'); i != 0 {
		if i < 0 {
			i = len(r.rest)
		}
		r.f.htmlText(html.UnescapeString(r.rest[:i]))
		r.rest = r.rest[i:]
		return
	}
	if n := r.unseen(); n > 0 {
		r.rest = r.rest[n:]
		return
	}
	t, rest, ok := markup.CutTag(r.rest)
	switch {
	case !ok:
		r.f.htmlText("<")
		r.rest = r.rest[1:]
	case !t.Closing && (t.Name == "script" || t.Name == "style") && r.f.c.hasEnd(t.Name):
		r.rest = cutElement(rest, t.Name)
	default:
		r.f.tag(r.rest[:len(r.rest)-len(rest)], t)
		r.rest = rest
	}
}

// unseen is the length of the comment, instruction or document type that comes next.
// One without an end would hide all that follows; it is text.
func (r *htmlReader) unseen() int {
	for i, u := range unseen {
		if !r.open[i] && strings.HasPrefix(r.rest, u.begin) {
			if n := strings.Index(r.rest[2:], u.end); n >= 0 {
				return 2 + n + len(u.end)
			}
			r.open[i] = true
		}
	}
	if isDocType(r.rest) {
		return strings.IndexByte(r.rest, '>') + 1
	}
	return 0
}

func isDocType(s string) bool {
	return strings.HasPrefix(strings.ToLower(s[:min(len(s), len("<!doctype"))]), "<!doctype")
}

// cutElement returns what follows the end tag.
func cutElement(s, name string) string {
	for found := true; found; {
		_, s, found = strings.Cut(s, "</")
		if len(s) >= len(name) && strings.EqualFold(s[:len(name)], name) {
			_, s, _ = strings.Cut(s, ">")
			break
		}
	}
	return s
}

// htmlText writes text in HTML, in which space does not count.
func (f *flow) htmlText(s string) {
	if f.pre > 0 {
		f.text(s)
		return
	}
	words := strings.Join(strings.Fields(s), " ")
	if words == "" {
		f.gap = f.gap || s != ""
		return
	}
	f.gap = f.gap || strings.TrimLeft(s, " \t\r\n") != s
	f.space()
	f.text(words)
	f.gap = strings.TrimRight(s, " \t\r\n") != s
}

// space writes the space that is due in HTML.
func (f *flow) space() {
	if f.gap && f.begun && f.pending == 0 && !f.marked {
		f.text(" ")
	}
	f.gap = false
}

// rawTag writes an HTML tag within text.
func (f *flow) rawTag(s string) {
	if t, _, ok := markup.CutTag(s); ok {
		f.tag(s, t)
	} else if strings.HasPrefix(s, "<!") && !isDocType(s) && !strings.HasPrefix(s, unseen[0].begin) && !strings.HasPrefix(s, unseen[2].begin) {
		f.text(s) // such as <!HERE>
	}
}

// attr returns the value of an attribute, or "".
func attr(t markup.Tag, name string) string {
	value, _, _ := t.Attr(name)
	return html.UnescapeString(value)
}
