package desk

import (
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Block is a part of a message as the chat shows it: a tree, none of whose texts is HTML.
type Block struct {
	Type    string    `json:"type"` // paragraph, heading, quote or list
	Level   int       `json:"level,omitempty"`
	Ordered bool      `json:"ordered,omitempty"`
	Start   int       `json:"start,omitempty"`
	Items   [][]Block `json:"items,omitempty"`
	Blocks  []Block   `json:"blocks,omitempty"`
	Inlines []Inline  `json:"inlines,omitempty"`
}

// Inline is a part of a line.
type Inline struct {
	Type    string   `json:"type"` // text, break, bold, italic, strike, color, link, image or mention
	Text    string   `json:"text,omitempty"`
	Color   string   `json:"color,omitempty"`
	URL     string   `json:"url,omitempty"`
	Mention string   `json:"mention,omitempty"` // user, email or all
	User    string   `json:"user,omitempty"`
	Inlines []Inline `json:"inlines,omitempty"`
}

// maxRendered is the longest markdown that is read, in bytes: that of a message that is
// not too long.
const maxRendered = 20_000

// maxNesting is how deep the tree gets; what is deeper is text.
const maxNesting = 8

// subset reads the elements of protocol 2.8, and no other.
var subset = sync.OnceValue(func() parser.Parser {
	p := parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewListParser(), 300), util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewATXHeadingParser(), 600), util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewLinkParser(), 200), util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewRawHTMLParser(), 400), util.Prioritized(parser.NewEmphasisParser(), 500),
			util.Prioritized(extension.NewStrikethroughParser(), 500),
		),
	)
	return p
})

// plainBlocks are the blocks of a plain text, in which only mentions mean something.
func plainBlocks(s string) []Block {
	s = cut(s, maxRendered)
	blocks := []Block{}
	for part := range strings.SplitSeq(s, "\n\n") {
		var line []Inline
		for i, l := range strings.Split(part, "\n") {
			if i > 0 {
				line = append(line, Inline{Type: "break"})
			}
			line = append(line, mentions(l)...)
		}
		blocks = append(blocks, Block{Type: "paragraph", Inlines: line})
	}
	return blocks
}

// atTag is a mention (protocol 2.7).
var atTag = regexp.MustCompile(`<at (user_id|email)="([^"<>]{0,200})">([^<>]{0,200})</at>`)

// mentions finds the mentions in a line of plain text.
func mentions(s string) (line []Inline) {
	for s != "" {
		m := atTag.FindStringSubmatchIndex(s)
		if m == nil {
			return append(line, Inline{Type: "text", Text: s})
		}
		if m[0] > 0 {
			line = append(line, Inline{Type: "text", Text: s[:m[0]]})
		}
		line = append(line, mention(s[m[2]:m[3]], s[m[4]:m[5]], s[m[6]:m[7]]))
		s = s[m[1]:]
	}
	return line
}

func mention(attribute, value, name string) Inline {
	i := Inline{Type: "mention", Mention: "user", User: value, Text: name}
	switch {
	case attribute == "email":
		i.Mention = "email"
	case value == "-1":
		i.Mention = "all"
	}
	if i.Text == "" && i.Mention != "all" {
		i.Text = value // The service fills in a name that it knows.
	}
	return i
}

// markdownBlocks are the blocks of markdown.
func markdownBlocks(s string) []Block {
	if len(s) > maxRendered {
		return plainBlocks(s)
	}
	r := renderer{[]byte(s)}
	return r.blocks(subset().Parse(text.NewReader(r.src)), 0)
}

type renderer struct{ src []byte }

func (r renderer) blocks(parent ast.Node, depth int) []Block {
	blocks := []Block{}
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if depth >= maxNesting {
			blocks = append(blocks, Block{Type: "paragraph", Inlines: []Inline{{Type: "text", Text: "…"}}})
			break
		}
		switch n := n.(type) {
		case *ast.Heading:
			blocks = append(blocks, Block{Type: "heading", Level: n.Level, Inlines: r.inlines(n, 0)})
		case *ast.Blockquote:
			blocks = append(blocks, Block{Type: "quote", Blocks: r.blocks(n, depth+1)})
		case *ast.List:
			b := Block{Type: "list", Ordered: n.IsOrdered(), Start: n.Start, Items: [][]Block{}}
			for item := n.FirstChild(); item != nil; item = item.NextSibling() {
				b.Items = append(b.Items, r.blocks(item, depth+1))
			}
			blocks = append(blocks, b)
		default:
			blocks = append(blocks, Block{Type: "paragraph", Inlines: r.inlines(n, 0)})
		}
	}
	return blocks
}

// inlines are the children of a node. Tags may begin in one and end in a later one.
func (r renderer) inlines(parent ast.Node, depth int) []Inline {
	var out tags
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if depth >= maxNesting {
			out.add(Inline{Type: "text", Text: "…"})
			break
		}
		switch n := n.(type) {
		case *ast.Text:
			out.add(Inline{Type: "text", Text: unescape(n.Segment.Value(r.src))})
			switch {
			case n.HardLineBreak():
				out.add(Inline{Type: "break"})
			case n.SoftLineBreak():
				out.add(Inline{Type: "text", Text: " "})
			}
		case *ast.String:
			out.add(Inline{Type: "text", Text: string(n.Value)})
		case *ast.Emphasis:
			kind := "italic"
			if n.Level == 2 {
				kind = "bold"
			}
			out.add(Inline{Type: kind, Inlines: r.inlines(n, depth+1)})
		case *east.Strikethrough:
			out.add(Inline{Type: "strike", Inlines: r.inlines(n, depth+1)})
		case *ast.Link:
			out.link(string(n.Destination), r.inlines(n, depth+1))
		case *ast.AutoLink:
			out.link(string(n.URL(r.src)), []Inline{{Type: "text", Text: string(n.Label(r.src))}})
		case *ast.Image:
			out.image(string(n.Destination))
		case *ast.RawHTML:
			out.tag(string(n.Segments.Value(r.src)))
		default:
			out.add(r.inlines(n, depth+1)...)
		}
	}
	return out.end()
}

// unescape reads backslashes and character references.
func unescape(s []byte) string {
	return string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(s))))
}

// tags are inlines, some of which are between tags.
type tags struct {
	done []Inline
	open []open
}

type open struct {
	inline Inline
	tag    string // As written.
}

func (t *tags) add(inlines ...Inline) {
	to := &t.done
	if len(t.open) > 0 {
		to = &t.open[len(t.open)-1].inline.Inlines
	}
	for _, i := range inlines {
		if last := len(*to) - 1; i.Type == "text" && last >= 0 && (*to)[last].Type == "text" {
			(*to)[last].Text += i.Text
			continue
		}
		*to = append(*to, i)
	}
}

// link adds a link, or its text if its address is not safe.
func (t *tags) link(address string, inlines []Inline) {
	if safe := safeURL(address); safe != "" {
		t.add(Inline{Type: "link", URL: safe, Inlines: inlines})
		return
	}
	t.add(inlines...)
}

func (t *tags) image(address string) {
	if safe := safeURL(address); safe != "" {
		t.add(Inline{Type: "image", URL: safe})
		return
	}
	t.add(Inline{Type: "text", Text: "![](" + address + ")"})
}

var (
	colorTag = regexp.MustCompile(`^<font color=['"]?(#[0-9A-Fa-f]{6}|[A-Za-z]{1,20})['"]?>$`)
	startTag = regexp.MustCompile(`^<at (user_id|email)=["']?([^"'<>]{0,200})["']?>$`)
)

// tag is a piece of HTML: the beginning or the end of a color or a mention, or text.
func (t *tags) tag(s string) {
	last := len(t.open) - 1
	if m := colorTag.FindStringSubmatch(s); m != nil && len(t.open) < maxNesting {
		t.open = append(t.open, open{Inline{Type: "color", Color: m[1]}, s})
		return
	}
	if m := startTag.FindStringSubmatch(s); m != nil && len(t.open) < maxNesting {
		t.open = append(t.open, open{mention(m[1], m[2], ""), s})
		return
	}
	if last >= 0 && (s == "</font>" && t.open[last].inline.Type == "color" || s == "</at>" && t.open[last].inline.Type == "mention") {
		i := t.open[last].inline
		t.open = t.open[:last]
		if i.Type == "mention" {
			if name := textOf(i.Inlines); name != "" {
				i.Text = name
			}
			i.Inlines = nil
		}
		t.add(i)
		return
	}
	t.add(Inline{Type: "text", Text: s})
}

// end gives the inlines. A tag that was not closed is text.
func (t *tags) end() []Inline {
	for len(t.open) > 0 {
		o := t.open[len(t.open)-1]
		t.open = t.open[:len(t.open)-1]
		t.add(Inline{Type: "text", Text: o.tag})
		t.add(o.inline.Inlines...)
	}
	if t.done == nil {
		return []Inline{}
	}
	return t.done
}

func textOf(inlines []Inline) string {
	var b strings.Builder
	for _, i := range inlines {
		b.WriteString(i.Text + textOf(i.Inlines))
	}
	return b.String()
}

// safeURL is an absolute http or https URL, or empty.
func safeURL(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return u.String()
}
