package commonmark

import (
	"bytes"
	"slices"
	"sort"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"github.com/weboffice-go/weboffice/internal/markup"
	"github.com/weboffice-go/weboffice/markdown"
)

// Problem is a piece of markdown outside the subset (protocol 2.8). The service shows it
// as characters, as something else, or not at all.
type Problem struct {
	Line    int    // Where it begins, from 1.
	Element string // Such as "table" or "line break".
	Detail  string // What is wrong, for people.
}

// Check returns what the subset of protocol 2.8 does not allow in md, sorted by line. It
// accepts both forms of italic, and all that a [markdown.Builder] writes without
// [markdown.Raw].
func Check(md string) []Problem {
	doc, src := parse(md)
	c := checker{src: src}
	for i, b := range src {
		if b == '\n' {
			c.feeds = append(c.feeds, i)
		}
	}
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			c.block(n)
			c.inline(n)
		} else if n.Type() == ast.TypeBlock {
			c.endTags()
		}
		return ast.WalkContinue, nil
	})
	slices.SortStableFunc(c.problems, func(a, b Problem) int { return a.Line - b.Line })
	return c.problems
}

// checker gathers what is wrong in src.
type checker struct {
	src      []byte
	feeds    []int // where the lines of src end
	problems []Problem
	open     []openTag // at and font tags
}

type openTag struct {
	pos  int
	name string
}

// report adds what is wrong at pos.
func (c *checker) report(pos int, element, detail string) {
	c.problems = append(c.problems, Problem{1 + sort.SearchInts(c.feeds, pos), element, detail})
}

func (c *checker) block(n ast.Node) {
	pos := n.Pos()
	switch n := n.(type) {
	case *ast.CodeBlock:
		c.report(n.Lines().At(0).Start, "code", "an indented block of code")
	case *ast.FencedCodeBlock:
		c.report(pos, "code", "a fenced block of code")
	case *east.Table:
		c.report(pos, "table", "the head of a table")
	case *ast.List:
		c.nested(n, "list")
	case *ast.ListItem:
		if list, ok := n.Parent().(*ast.List); ok && list.Marker != '-' && list.Marker != '.' {
			c.report(pos, "list", "an item marked with "+string(list.Marker))
		}
	case *ast.Blockquote:
		c.nested(n, "quote")
	case *ast.Heading:
		if c.at(pos) != '#' {
			c.report(pos, "heading", "a heading that is underlined, not marked with #")
		}
	case *ast.ThematicBreak:
		c.report(pos, "thematic break", "a line of "+string(c.at(pos)))
	case *ast.LinkReferenceDefinition:
		c.report(pos, "reference", "a definition of ["+string(n.Label)+"]")
	case *ast.Paragraph, *ast.TextBlock:
		first := n.Lines().At(0)
		if label, _, ok := bytes.Cut(first.Value(c.src), []byte("]:")); ok && bytes.HasPrefix(label, []byte("[^")) {
			c.report(first.Start, "reference", "a definition of "+string(label)+"]")
		}
	case *ast.HTMLBlock:
		for i := range n.Lines().Len() {
			l := n.Lines().At(i)
			c.tags(l.Start, string(l.Value(c.src)))
		}
		if n.HasClosure() {
			c.tags(n.ClosureLine.Start, string(n.ClosureLine.Value(c.src)))
		}
	}
}

func (c *checker) inline(n ast.Node) {
	pos := n.Pos()
	switch n := n.(type) {
	case *ast.CodeSpan:
		c.report(pos, "code", "a span of code")
	case *east.TaskCheckBox:
		c.report(pos, "task list", "an item with a box")
	case *ast.RawHTML:
		c.tags(n.Segments.At(0).Start, string(n.Segments.Value(c.src)))
	case *ast.Link:
		c.target(pos, "link", n.Destination, n.Title)
	case *ast.Image:
		if n.HasChildren() {
			c.report(pos, "image", "alternative text, which is not shown")
		}
		c.target(pos, "image", n.Destination, n.Title)
	case *ast.AutoLink:
		if c.at(pos) == '<' || c.at(pos-1) == '<' {
			c.target(pos, "link", n.URL(c.src), nil)
		}
	case *ast.Emphasis:
		if n.Level == 2 && c.at(pos) == '_' {
			c.report(pos, "bold", "bold with underscores; it takes **")
		}
	case *east.Strikethrough:
		if c.at(pos+1) != '~' {
			c.report(pos, "strikethrough", "strikethrough with one tilde; it takes ~~")
		}
	case *ast.Text:
		switch end := n.Segment.Stop; {
		case n.SoftLineBreak():
			c.report(end, "line break", "a line feed alone is shown as a space; it takes two spaces before it, or an empty line")
		case n.HardLineBreak() && c.at(end) == '\\':
			c.report(end, "line break", "a backslash at the end of a line; it takes two spaces")
		}
	}
}

// at returns the character at pos, or 0.
func (c *checker) at(pos int) byte {
	if pos < 0 || pos >= len(c.src) {
		return 0
	}
	return c.src[pos]
}

// nested reports a block that is in another of its kind.
func (c *checker) nested(n ast.Node, element string) {
	for p := n.Parent(); p != nil; p = p.Parent() {
		if p.Kind() == n.Kind() {
			c.report(n.Pos(), element, "a "+element+" within a "+element)
			return
		}
	}
}

// target checks what a link or an image leads to.
func (c *checker) target(pos int, element string, address, title []byte) {
	if !isWeb(unescape(address)) {
		c.report(pos, element, "the address is not an absolute http or https URL")
	}
	if len(title) > 0 {
		c.report(pos, element, "a title")
	}
}

// tags checks the tags in a piece of HTML that begins at pos.
func (c *checker) tags(pos int, s string) {
	for i := strings.IndexByte(s, '<'); i >= 0; i = strings.IndexByte(s, '<') {
		pos, s = pos+i, s[i:]
		t, rest, ok := markup.CutTag(s)
		switch {
		case ok && (t.Name == "at" || t.Name == "font"):
			c.tag(pos, t, s)
		case ok:
			c.report(pos, "HTML", "the tag "+t.Name)
		case len(s) > 1 && (s[1] == '!' || s[1] == '?'):
			c.report(pos, "HTML", "a comment or a declaration")
			rest = s[2:]
			if strings.HasPrefix(s, "<!--") {
				_, rest, _ = strings.Cut(s, "-->")
			}
		default:
			rest = s[1:]
		}
		pos, s = pos+len(s)-len(rest), rest
	}
}

// tag checks an at tag or a font tag, with which s begins.
func (c *checker) tag(pos int, t markup.Tag, s string) {
	last := len(c.open) - 1
	switch {
	case t.Closing && (last < 0 || c.open[last].name != t.Name):
		c.report(pos, tagElements[t.Name], "</"+t.Name+"> ends nothing")
		return
	case t.Closing:
		c.open = c.open[:last]
		return
	}
	c.open = append(c.open, openTag{pos, t.Name})
	if t.Name == "font" {
		value, quoted, _ := t.Attr("color")
		switch {
		case markdown.Color(value, "a") == markdown.Join("a"):
			c.report(pos, "color", "the color is neither #RRGGBB nor a name")
		case !quoted:
			c.report(pos, "color", "the color is not in quotes")
		}
		return
	}
	switch at, _, _ := markup.CutAt(s); {
	case at.UserID == "" && at.Email == "":
		c.report(pos, "mention", "an at tag takes user_id or email")
	case !at.Quoted:
		c.report(pos, "mention", "the user_id or email is not in quotes")
	}
}

// endTags reports the tags that a block leaves open.
func (c *checker) endTags() {
	for _, t := range c.open {
		c.report(t.pos, tagElements[t.name], "<"+t.name+"> has no end")
	}
	c.open = c.open[:0]
}

// tagElements are the elements of a [Problem] with a tag.
var tagElements = map[string]string{"at": "mention", "font": "color"}
