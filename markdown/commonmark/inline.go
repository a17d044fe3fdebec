package commonmark

import (
	"net/url"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"github.com/weboffice-go/weboffice/internal/markup"
	"github.com/weboffice-go/weboffice/markdown"
)

// inlines writes the text in n.
func (f *flow) inlines(n ast.Node) {
	defer f.scope()()
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		f.inlineNode(child)
	}
}

func (f *flow) inlineNode(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		f.textNode(n)
	case *ast.CodeSpan:
		f.text(strings.ReplaceAll(f.plain(n), "\n", " "))
	case *ast.Emphasis:
		f.emphasis(n, [...]string{1: "i", 2: "b"}[n.Level])
	case *east.Strikethrough:
		f.emphasis(n, "s")
	case *ast.Link:
		f.link(n)
	case *ast.AutoLink:
		f.autoLink(n)
	case *ast.Image:
		f.image(unescape(n.Destination), f.plain(n), unescape(n.Title))
	case *ast.RawHTML:
		f.rawTag(string(n.Segments.Value(f.c.src)))
	case *east.TaskCheckBox:
		f.text(box(n.IsChecked) + " ")
	}
}

func (f *flow) textNode(n *ast.Text) {
	f.text(f.c.textOf(n))
	switch {
	case n.HardLineBreak():
		f.text("\n")
	case n.SoftLineBreak():
		f.text(" ")
	}
}

// textOf is what n says.
func (c *converter) textOf(n *ast.Text) string {
	if n.IsRaw() {
		return string(n.Segment.Value(c.src))
	}
	return unescape(n.Segment.Value(c.src))
}

// emphasis writes what is in n in an emphasis.
func (f *flow) emphasis(n ast.Node, name string) {
	opened := f.open(name, markup.Tag{})
	f.inlines(n)
	if opened {
		f.pop(true)
	}
}

// link writes a link. An address that the subset does not have is text.
func (f *flow) link(n *ast.Link) {
	inner := f.c.flow()
	inner.inlines(n)
	f.addLink(inner.inline(), unescape(n.Destination))
	f.title(unescape(n.Title))
}

func (f *flow) addLink(text markdown.Inline, address string) {
	address = f.c.resolve(address)
	if isWeb(address) {
		f.add(markdown.Link(text, address))
		return
	}
	f.add(text)
	address = strings.TrimPrefix(address, "mailto:")
	if address != "" && address[0] != '#' && !strings.HasPrefix(address, "data:") && markdown.Plain(text) != markdown.Plain(address) {
		f.text(" (" + address + ")")
	}
}

// title writes the title of a link or an image.
func (f *flow) title(s string) {
	if strings.TrimSpace(s) != "" {
		f.text(" (" + strings.Join(strings.Fields(s), " ") + ")")
	}
}

func (f *flow) autoLink(n *ast.AutoLink) {
	label, address := string(n.Label(f.c.src)), string(n.URL(f.c.src))
	switch {
	case n.AutoLinkType == ast.AutoLinkEmail:
		f.text(label)
	case label == address:
		f.add(markdown.AutoLink(address))
	default:
		f.add(markdown.Link(label, address))
	}
}

// image writes an image, and after it what it says in words.
func (f *flow) image(address, alt, title string) {
	words := strings.Join(strings.Fields(alt), " ")
	address = f.c.resolve(address)
	f.space()
	if isWeb(address) {
		f.add(markdown.Image(address))
		if words != "" {
			f.text(" " + words)
		}
	} else {
		f.addLink(markdown.Join(words), address)
	}
	f.title(title)
	f.apart = words != "" || !isWeb(address)
}

// plain is the text in an image or a span of code, without styles.
func (f *flow) plain(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.WriteString(f.c.textOf(n))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.AutoLink:
			b.Write(n.Label(f.c.src))
		case *ast.RawHTML:
			tag := string(n.Segments.Value(f.c.src))
			if t, _, ok := markup.CutTag(tag); ok && f.c.isText(t) {
				b.WriteString(tag)
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// resolve returns a relative address as it is seen from the base.
func (c *converter) resolve(address string) string {
	u, err := url.Parse(address)
	if c.base == nil || err != nil || u.IsAbs() || address == "" {
		return address
	}
	return c.base.ResolveReference(u).String()
}

// isWeb reports whether a link may lead to address.
func isWeb(address string) bool { return markdown.Image(address) != markdown.Inline{} }
