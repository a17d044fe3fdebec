package commonmark

import (
	"html"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/weboffice-go/weboffice/markdown"
)

var (
	tagPattern       = regexp.MustCompile(`^<(/?)([a-zA-Z][a-zA-Z0-9-]*)((?:"[^"]*"|'[^']*'|[^'"<>])*)>`)
	attributePattern = regexp.MustCompile(`([a-zA-Z_:][a-zA-Z0-9_.:-]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>]+))`)
)

// lineTags begin a line of their own.
var lineTags = map[string]bool{
	"address": true, "article": true, "aside": true, "blockquote": true, "caption": true, "center": true, "dd": true,
	"details": true, "dialog": true, "div": true, "dl": true, "dt": true, "fieldset": true, "figcaption": true, "figure": true,
	"footer": true, "form": true, "h1": true, "h2": true, "h3": true, "h4": true, "h5": true, "h6": true, "header": true,
	"hr": true, "legend": true, "li": true, "main": true, "menu": true, "nav": true, "ol": true, "option": true, "p": true,
	"pre": true, "section": true, "summary": true, "table": true, "tr": true, "ul": true,
}

// styleTags are the emphases and their other names.
var styleTags = map[string]string{
	"b": "b", "strong": "b", "i": "i", "em": "i", "s": "s", "del": "s", "strike": "s", "font": "font", "a": "a", "at": "at",
}

// maxStyles is how deep styles are kept within each other; none is kept within itself.
const maxStyles = 8

// htmlBlock writes what a block of HTML shows.
func (f *flow) htmlBlock(n *ast.HTMLBlock) {
	end := f.scope()
	var b strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b.Write(line.Value(f.c.src))
	}
	if n.HasClosure() {
		b.Write(n.ClosureLine.Value(f.c.src))
	}
	for s := b.String(); s != ""; {
		s = f.htmlPiece(s)
	}
	end()
	f.pre, f.gap = 0, false
}

// htmlPiece writes the text or the tag that s begins with, and returns the rest.
func (f *flow) htmlPiece(s string) string {
	if i := strings.IndexByte(s, '<'); i != 0 {
		if i < 0 {
			i = len(s)
		}
		f.htmlText(s[:i])
		return s[i:]
	}
	if n := commentLen(s); n > 0 {
		return s[n:]
	}
	m := tagPattern.FindStringSubmatch(s)
	if m == nil {
		f.htmlText("<")
		return s[1:]
	}
	name, rest := strings.ToLower(m[2]), s[len(m[0]):]
	if m[1] == "" && (name == "script" || name == "style") {
		return cutElement(rest, name)
	}
	f.tag(m[0], name, m[1] != "", m[3])
	return rest
}

// cutElement returns what follows the end tag.
func cutElement(s, name string) string {
	for {
		i := strings.Index(s, "</")
		if i < 0 {
			return ""
		}
		s = s[i+2:]
		if len(s) >= len(name) && strings.EqualFold(s[:len(name)], name) {
			_, rest, _ := strings.Cut(s, ">")
			return rest
		}
	}
}

// commentLen is the length of the comment, declaration or instruction that s begins with.
func commentLen(s string) int {
	for begin, end := range map[string]string{"<!--": "-->", "<?": "?>", "<![CDATA[": "]]>"} {
		if strings.HasPrefix(s, begin) {
			if i := strings.Index(s[len(begin):], end); i >= 0 {
				return len(begin) + i + len(end)
			}
			return len(s)
		}
	}
	if strings.HasPrefix(s, "<!") {
		return strings.IndexByte(s, '>') + 1
	}
	return 0
}

// htmlText writes text in HTML, in which space does not count.
func (f *flow) htmlText(s string) {
	s = html.UnescapeString(s)
	if f.pre > 0 {
		f.text(s)
		return
	}
	words := strings.Join(strings.Fields(s), " ")
	if words == "" {
		f.gap = f.gap || s != ""
		return
	}
	if f.begun && f.pending == 0 && (f.gap || strings.TrimLeft(s, " \t\r\n") != s) {
		words = " " + words
	}
	f.gap = strings.TrimRight(s, " \t\r\n") != s
	f.text(words)
}

// rawTag writes an HTML tag within text.
func (f *flow) rawTag(s string) {
	if m := tagPattern.FindStringSubmatch(s); m != nil {
		f.tag(s, strings.ToLower(m[2]), m[1] != "", m[3])
	}
}

// tag opens or closes what a tag stands for.
func (f *flow) tag(tag, name string, closing bool, attrs string) {
	style := styleTags[name]
	switch {
	case style != "" && closing:
		f.close(style)
	case style != "":
		if f.gap && f.begun && f.pending == 0 {
			f.text(" ")
		}
		f.gap = false
		f.open(style, tag)
	case name == "br":
		f.text("\n")
		f.ended, f.gap = true, false
	case name == "img" && !closing:
		a := attributes(attrs)
		f.image(a["src"], a["alt"], a["title"])
	case lineTags[name]:
		f.lineTag(name, closing)
	case (name == "td" || name == "th") && !closing:
		if f.cells++; f.cells > 1 {
			f.text(separator)
			f.gap = false
		}
	}
}

func (f *flow) lineTag(name string, closing bool) {
	f.breakLine(lines)
	switch {
	case name == "pre" && closing:
		f.pre = max(f.pre-1, 0)
	case name == "pre":
		f.pre++
	case name == "hr" && !closing:
		f.text(rule)
		f.breakLine(lines)
	case name == "li" && !closing:
		f.mark("◦ ")
	case name == "tr":
		f.cells = 0
	}
}

// attributes reads the attributes of a tag, the first of each name.
func attributes(s string) map[string]string {
	as := map[string]string{}
	for _, m := range attributePattern.FindAllStringSubmatch(s, -1) {
		name := strings.ToLower(m[1])
		if _, ok := as[name]; !ok {
			as[name] = html.UnescapeString(m[2] + m[3] + m[4])
		}
	}
	return as
}

// scope keeps the tags that follow within the block or the emphasis: what is open when
// the func that it returns is called is closed, as no style.
func (f *flow) scope() func() {
	depth, before := len(f.frames), f.floor
	f.floor = depth
	return func() {
		for len(f.frames) > depth {
			f.pop(false)
		}
		f.floor = before
	}
}

// open begins a style and reports whether it did: not within itself, and not too deep.
func (f *flow) open(name, tag string) bool {
	if len(f.frames) > maxStyles || slices.ContainsFunc(f.frames, func(fr frame) bool { return fr.name == name }) {
		return false
	}
	f.frames = append(f.frames, frame{name: name, tag: tag})
	return true
}

// close ends the style that a tag opened last, if it has that name.
func (f *flow) close(name string) {
	if last := len(f.frames) - 1; last >= f.floor && f.frames[last].name == name {
		f.pop(true)
	}
}

// pop writes the last frame into the one before. What was not closed is no style.
func (f *flow) pop(closed bool) {
	last := len(f.frames) - 1
	fr := f.frames[last]
	f.frames = f.frames[:last]
	in := markdown.Join(fr.parts...)
	if closed {
		in = f.styled(fr, in)
	}
	if in != (markdown.Inline{}) {
		f.begun, f.marked = true, false
		f.frames[last-1].parts = append(f.frames[last-1].parts, in)
	}
}

func (f *flow) styled(fr frame, in markdown.Inline) markdown.Inline {
	switch fr.name {
	case "b":
		return markdown.Bold(in)
	case "i":
		return markdown.Italic(in)
	case "s":
		return markdown.Strike(in)
	case "font":
		return markdown.Color(attributes(fr.tag)["color"], in)
	case "a":
		inner := f.c.flow()
		inner.addLink(in, attributes(fr.tag)["href"])
		inner.title(attributes(fr.tag)["title"])
		return inner.inline()
	}
	return f.mention(fr.tag, in)
}

// mention is what an at tag becomes.
func (f *flow) mention(tag string, in markdown.Inline) markdown.Inline {
	name := markdown.Plain(in)
	if m := markdown.Mentions(tag); f.c.keep && len(m) == 1 {
		switch m := m[0]; {
		case m.All:
			return markdown.MentionAll(name)
		case m.UserID != "":
			return markdown.MentionUser(m.UserID, name)
		default:
			return markdown.MentionEmail(m.Email, name)
		}
	}
	if m := markdown.Mentions(tag); len(m) == 1 && strings.TrimSpace(name) == "" {
		if m[0].All {
			return markdown.Join("@all")
		}
		return markdown.Join("@", m[0].UserID, m[0].Email)
	}
	return in
}
