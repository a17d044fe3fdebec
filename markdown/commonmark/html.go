package commonmark

import (
	"html"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/weboffice-go/weboffice/internal/markup"
)

// unseen are the parts of HTML that do not show, by what they begin and end with.
var unseen = [...]struct{ begin, end string }{{"<!--", "-->"}, {"<?", "?>"}, {"<![CDATA[", "]]>"}}

// htmlBlock writes what a block of HTML shows.
func (f *flow) htmlBlock(n *ast.HTMLBlock) {
	end := f.scope()
	source := n.Lines().Value(f.c.src)
	if n.HasClosure() {
		source = append(source, n.ClosureLine.Value(f.c.src)...)
	}
	var open [len(unseen)]bool
	for s := string(source); s != ""; {
		text, _, _ := strings.Cut(s, "<")
		t, rest, ok := markup.CutTag(s)
		hidden := unseenLen(s, &open)
		switch {
		case text != "":
			f.htmlText(html.UnescapeString(text))
			rest = s[len(text):]
		case hidden > 0:
			rest = s[hidden:]
		case !ok:
			f.htmlText("<")
			rest = s[1:]
		case !t.Closing && (t.Name == "script" || t.Name == "style") && f.c.hasEnd(t.Name):
			rest = cutElement(rest, t.Name)
		default:
			f.tag(s[:len(s)-len(rest)], t)
		}
		s = rest
	}
	end()
	f.pre, f.gap = 0, false
}

// unseenLen is the length of the comment, instruction or document type that s begins with.
// One without an end would hide all that follows; it is text, and noted in open.
func unseenLen(s string, open *[len(unseen)]bool) int {
	for i, u := range unseen {
		if !open[i] && strings.HasPrefix(s, u.begin) {
			if n := strings.Index(s[2:], u.end); n >= 0 {
				return 2 + n + len(u.end)
			}
			open[i] = true
		}
	}
	if isDocType(s) {
		return strings.IndexByte(s, '>') + 1
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
