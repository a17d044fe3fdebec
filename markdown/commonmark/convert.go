package commonmark

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"github.com/weboffice-go/weboffice/markdown"
)

// Options change what [Convert] does.
type Options struct {
	_ [0]func()
	// Keep the at tags of the source (protocol 2.7) as mentions. Set it only if the sender
	// wrote the source. If false, a tag becomes its name.
	KeepMentions bool

	// The URL of the source, against which relative addresses are resolved. Unless it is an
	// absolute http or https URL, they become text.
	BaseURL string
}

// rule is what a thematic break becomes.
const rule = "──────────"

// Convert converts src to the subset of protocol 2.8. No text is lost, and [Check] accepts
// the result. If opts is nil, the zero [Options] are used. Convert is safe for concurrent use.
func Convert(src string, opts *Options) string {
	src = strings.TrimPrefix(src, "\ufeff") // as files of some editors begin
	doc, parsed := parse(src)
	o := *cmp.Or(opts, &Options{})
	c := converter{src: parsed, keep: o.KeepMentions}
	if base, err := url.Parse(o.BaseURL); err == nil && isWeb(o.BaseURL) {
		c.base = base
	}
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		c.block(n)
	}
	return c.b.String()
}

// converter writes the blocks of one source.
type converter struct {
	src  []byte
	keep bool
	base *url.URL
	ends map[string]bool // see hasEnd
	b    markdown.Builder
}

// block writes a block of the first level.
func (c *converter) block(n ast.Node) {
	f := c.flow()
	switch n := n.(type) {
	case *ast.List:
		c.list(n)
	case *ast.Heading:
		f.inlines(n)
		c.b.Heading(n.Level, f.inline())
	case *ast.Blockquote:
		f.blocks(n, paragraphs)
		c.b.Quote(f.inline())
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		f.block(n)
		c.b.Quote(f.inline())
	default:
		f.block(n)
		c.b.Paragraph(f.inline())
	}
}

func (c *converter) list(n *ast.List) {
	var items []any
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		f := c.flow()
		f.blocks(item, lines)
		items = append(items, f.inline())
	}
	if n.IsOrdered() {
		c.b.OrderedListFrom(n.Start, items...)
	} else {
		c.b.List(items...)
	}
}

// flow begins what is one block in the result.
func (c *converter) flow() *flow { return &flow{c: c, frames: []frame{{}}} }

// The line feeds between blocks that become lines.
const (
	lines      = 1
	paragraphs = 2
)

// blocks writes the blocks in n as lines.
func (f *flow) blocks(n ast.Node, distance int) {
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		f.breakLine(distance)
		f.block(child)
	}
}

// block writes a block as lines.
func (f *flow) block(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		f.emphasis(n, "b")
	case *ast.ThematicBreak:
		f.text(rule)
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		f.text(strings.Trim(string(n.Lines().Value(f.c.src)), "\n"))
	case *ast.Blockquote:
		defer f.indented("│ ")()
		f.blocks(n, lines)
	case *ast.List:
		f.list(n)
	case *ast.HTMLBlock:
		f.htmlBlock(n)
	case *east.Table:
		f.table(n)
	case *ast.Paragraph, *ast.TextBlock:
		f.inlines(n)
	default: // The definition of a link has no blocks.
		f.blocks(n, lines)
	}
}
