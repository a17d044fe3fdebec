package markdown_test

import (
	"bytes"
	"html"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	ghtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

// judge is goldmark with all that GFM adds, bare addresses included: it reads what this
// package writes, and shares no code with it.
type judge struct{ md goldmark.Markdown }

func newJudge() judge {
	return judge{goldmark.New(
		goldmark.WithExtensions(extension.GFM),
		goldmark.WithRendererOptions(renderer.Option(ghtml.WithUnsafe())),
	)}
}

// parse returns the tree of md.
func (j judge) parse(md string) ast.Node {
	return j.md.Parser().Parse(text.NewReader([]byte(md)))
}

// foreign returns the first node of md that is neither text nor a paragraph.
func (j judge) foreign(md string) string {
	var kind string
	_ = ast.Walk(j.parse(md), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n.Kind() {
		case ast.KindDocument, ast.KindParagraph, ast.KindTextBlock, ast.KindText:
			return ast.WalkContinue, nil
		}
		kind = n.Kind().String()
		return ast.WalkStop, nil
	})
	return kind
}

// kinds returns the kinds of the nodes of md, text aside, in their order.
func (j judge) kinds(md string) string {
	var kinds []string
	_ = ast.Walk(j.parse(md), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && n.Kind() != ast.KindDocument && n.Kind() != ast.KindText {
			kinds = append(kinds, n.Kind().String())
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(kinds, " ")
}

// html renders md.
func (j judge) html(tb testing.TB, md string) string {
	tb.Helper()
	var b bytes.Buffer
	if err := j.md.Convert([]byte(md), &b); err != nil {
		tb.Fatalf("goldmark: %v", err)
	}
	return b.String()
}

var (
	breaks = regexp.MustCompile(`<br>\n?|</p>\n|</li>\n|</h\d>\n`)
	tags   = regexp.MustCompile(`</?[a-z][^>]*>`)
)

// shown is the text that a reader of md sees.
func (j judge) shown(tb testing.TB, md string) string {
	tb.Helper()
	s := breaks.ReplaceAllString(j.html(tb, md), "\x00")
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\n", " "), "\x00", "\n")
	return reading(html.UnescapeString(tags.ReplaceAllString(s, "")))
}

// reading brings s to a form that is equal for texts which a person reads as the same:
// what does not show is gone, and space at the ends of lines and runs of space do not count.
func reading(s string) string {
	s = strings.ReplaceAll(string([]rune(s)), "\r\n", "\n")
	lines := strings.FieldsFunc(s, func(r rune) bool {
		return r >= '\n' && r <= '\r' || r == 0x85 || r == 0x2028 || r == 0x2029
	})
	kept := lines[:0]
	for _, line := range lines {
		line = strings.Map(func(r rune) rune {
			if r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
				return -1
			}
			return r
		}, line)
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}
