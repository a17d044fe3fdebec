package webhook_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/weboffice-go/weboffice/markdown"
	"github.com/weboffice-go/weboffice/webhook"
)

// nasty are parts of text that means something somewhere.
var nasty = []string{
	"<at user_id=\"-1\">", "</at>", "<", ">", "at", " ", "  ", "\n", "\n\n", "#", "# ", "> ", "- ", "+ ", "* ", "1. ", "2) ", "---", "===", "```", "~~~", "`",
	"*", "**", "_", "~~", "[", "](http://h)", "!", "&lt;", "&", ";", "\\", "|", "http://h/x", "www.h.com", "a@b.c", "word", "词语。", "，", "👨\u200d👩", "e\u0301", "\t", "<font color='red'>", "</font>",
}

// Text of users that was made inert stays so in every piece: no cut puts a "#" at the
// beginning of a line, or half an escape.
func TestSplitLeavesTextInert(t *testing.T) {
	t.Parallel()
	parser := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		var user strings.Builder
		for range 2 + r.IntN(40) {
			user.WriteString(nasty[r.IntN(len(nasty))])
		}
		var b markdown.Builder
		limit := 12 + r.IntN(30)
		for _, m := range []webhook.Message{
			webhook.Markdown{Text: markdown.Escape(user.String())},
			webhook.Markdown{Text: b.Paragraph(user.String()).String()},
			webhook.Text{Content: markdown.Plain(user.String())},
		} {
			ms, err := webhook.Split(m, &webhook.SplitOptions{Limit: limit})
			if err != nil {
				continue // blank
			}
			for _, piece := range contents(ms) {
				if got := markdown.Mentions(piece); len(got) > 0 {
					t.Fatalf("seed %d: %q mentions %v in piece %q", seed, user.String(), got, piece)
				}
				if _, ok := m.(webhook.Text); ok {
					continue
				}
				if kind := live(parser.Parse(text.NewReader([]byte(piece)))); kind != "" {
					t.Fatalf("seed %d, limit %d: %q has a %s in piece %q of %q", seed, limit, user.String(), kind, piece, contents(ms))
				}
			}
		}
	}
}

// live names the first node that is more than text.
func live(doc ast.Node) (kind string) {
	_ = ast.Walk(doc, func(n ast.Node, _ bool) (ast.WalkStatus, error) {
		switch n.Kind() {
		case ast.KindDocument, ast.KindParagraph, ast.KindText, ast.KindString, ast.KindTextBlock:
			return ast.WalkContinue, nil
		}
		kind = n.Kind().String()
		return ast.WalkStop, nil
	})
	return kind
}
