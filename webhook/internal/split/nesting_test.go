package split_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/weboffice-go/weboffice/webhook/internal/split"
)

// outliner makes up lists within lists, with paragraphs and fences in their items.
// Every paragraph begins with a number of its own.
type outliner struct {
	*rand.Rand
	b    strings.Builder
	n    int
	flat bool // one paragraph in an item
}

func (o *outliner) label() string {
	o.n++
	return fmt.Sprintf("n%d", o.n)
}

func (o *outliner) words() string {
	return strings.TrimSpace(o.label() + " " + strings.Repeat("word ", o.IntN(12)))
}

// list writes a list whose markers are indented.
func (o *outliner) list(indent string, depth int) {
	ordered := o.IntN(3) == 0
	loose := o.IntN(3) == 0
	for i := range 1 + o.IntN(4) {
		mark := "- "
		if ordered {
			mark = fmt.Sprintf("%d. ", i+1)
		}
		inner := indent + o.margin(indent, mark)
		o.b.WriteString(indent + mark + o.words() + "\n")
		if o.IntN(4) == 0 {
			o.b.WriteString(inner + "and " + o.words() + "\n")
		}
		switch kind := o.IntN(6); {
		case o.flat:
		case kind == 0:
			o.b.WriteString("\n" + inner + o.words() + "\n")
		case kind == 1:
			o.fence(inner)
		}
		if depth > 0 && o.IntN(2) == 0 {
			o.list(inner, depth-1)
		}
		if loose {
			o.b.WriteString("\n")
		}
	}
}

// margin is what people write before what belongs to an item.
func (o *outliner) margin(indent, mark string) string {
	switch o.IntN(8) {
	case 0:
		return "    "
	case 1:
		if !o.flat && strings.Trim(indent, "\t") == "" {
			return "\t"
		}
	}
	return strings.Repeat(" ", len(mark))
}

// quote writes a list of one level in a quote.
func (o *outliner) quote() {
	in := outliner{Rand: o.Rand, n: o.n, flat: true}
	in.list("", 0)
	o.b.WriteString("> " + strings.ReplaceAll(strings.TrimSpace(in.b.String()), "\n", "\n> ") + "\n\n")
	o.n = in.n
}

func (o *outliner) fence(indent string) {
	indent += strings.Repeat(" ", o.IntN(2))
	o.b.WriteString(indent + "```\n")
	for range 1 + o.IntN(5) {
		o.b.WriteString(indent + strings.Repeat(" ", o.IntN(4)) + o.label() + " code " + strings.Repeat("x", o.IntN(20)) + "\n")
	}
	o.b.WriteString(indent + "```\n")
}

// place says where a numbered text stands.
type place struct {
	Label string
	Kind  string // what it is in, and for code its indentation
	depth int    // in lists
	first bool   // it begins an item
}

// places reads where goldmark sees the numbered texts of md.
func places(md string) []place {
	src := []byte(md)
	var all []place
	add := func(n ast.Node, kind, s string) {
		p := place{Kind: kind}
		for up := n.Parent(); up != nil; up = up.Parent() {
			if up.Kind() == ast.KindListItem {
				p.depth++
			}
			if up.Kind() == ast.KindBlockquote {
				p.Kind += " in a quote"
			}
		}
		p.first = n.PreviousSibling() == nil && n.Parent().Kind() == ast.KindListItem
		for word := range strings.FieldsSeq(s) {
			if strings.HasPrefix(word, "n") {
				p.Label = word
				all = append(all, p)
				p.first = false
			}
		}
	}
	doc := goldmark.New().Parser().Parse(text.NewReader(src))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n.Kind() {
		case ast.KindFencedCodeBlock, ast.KindCodeBlock:
			for _, l := range n.Lines().Sliced(0, n.Lines().Len()) {
				line := string(l.Value(src))
				add(n, fmt.Sprintf("%s %d", n.Kind(), len(line)-len(strings.TrimLeft(line, " "))), line)
			}
		case ast.KindParagraph, ast.KindTextBlock:
			add(n, "text", string(n.Lines().Value(src)))
		case ast.KindHeading:
			add(n, "heading", string(n.Lines().Value(src)))
		}
		return ast.WalkContinue, nil
	})
	return all
}

// What is a paragraph, an item or code stays one in every piece, and no item of a
// piece goes below another that it stood beside or above.
func TestListsKeepTheirNesting(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		o := outliner{Rand: rand.New(rand.NewPCG(seed, 11))}
		for range 1 + o.IntN(3) {
			o.list(strings.Repeat(" ", o.IntN(3)), 3)
			o.b.WriteString("\n" + o.words() + "\n\n")
			o.quote()
		}
		src := o.b.String()
		checkNesting(t, src, 60+o.IntN(200))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func checkNesting(t *testing.T, src string, limit int) {
	t.Helper()
	pieces, err := split.Markdown(src).Pieces(room(limit))
	if err != nil {
		t.Fatalf("limit %d: %v\n%s", limit, err, src)
	}
	check(t, src, limit, pieces)
	want := places(src)
	var got []place
	for i, piece := range pieces {
		in, last := places(piece), -1
		for j := range in {
			at := len(got) + j
			if at >= len(want) {
				break
			}
			if first := want[at].first; first && !in[j].first && (j > 0 || strings.HasPrefix(piece, "-")) {
				t.Errorf("limit %d: %s is no item any more in piece %d", limit, in[j].Label, i)
			} else if !first && in[j].first {
				t.Errorf("limit %d: %s became an item in piece %d", limit, in[j].Label, i)
			}
			if !in[j].first {
				continue
			}
			if last >= 0 && in[j].depth > in[last].depth && want[at].depth <= want[len(got)+last].depth {
				t.Errorf("limit %d: %s went below %s in piece %d", limit, in[j].Label, in[last].Label, i)
			}
			if last >= 0 && in[j].depth < in[last].depth && want[at].depth >= want[len(got)+last].depth {
				t.Errorf("limit %d: %s went above %s in piece %d", limit, in[j].Label, in[last].Label, i)
			}
			last = j
		}
		got = append(got, in...)
	}
	bare := func(all []place) (out []string) {
		for _, p := range all {
			out = append(out, p.Label+" "+p.Kind)
		}
		return out
	}
	if diff := cmp.Diff(bare(want), bare(got)); diff != "" {
		t.Errorf("limit %d: (-whole +pieces)\n%s", limit, diff)
	}
	if t.Failed() {
		t.Logf("whole:\n%s\npieces:\n%s", src, strings.Join(pieces, "\n=====\n"))
	}
}
