package commonmark_test

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
	"github.com/yuin/goldmark/text"

	"github.com/weboffice-go/weboffice/markdown"
	"github.com/weboffice-go/weboffice/markdown/commonmark"
)

var notText = regexp.MustCompile(`(?s)<!--.*?-->|<[^>]*>`)

// letters are the letters and digits that a reader of md sees.
func letters(tb testing.TB, md string) string {
	tb.Helper()
	var b bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert([]byte(md), &b); err != nil {
		tb.Fatalf("goldmark: %v", err)
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, html.UnescapeString(notText.ReplaceAllString(b.String(), "")))
}

// isWithin reports whether all of a is in b, in the same order.
func isWithin(a, b string) bool {
	rest := []rune(b)
	for _, r := range a {
		i := 0
		for i < len(rest) && rest[i] != r {
			i++
		}
		if i == len(rest) {
			return false
		}
		rest = rest[i+1:]
	}
	return true
}

// subset is what goldmark may find in the subset of protocol 2.8.
var subset = map[string]bool{
	"Document": true, "Heading": true, "Paragraph": true, "Blockquote": true, "List": true, "ListItem": true, "TextBlock": true,
	"Emphasis": true, "Strikethrough": true, "Link": true, "AutoLink": true, "Image": true, "RawHTML": true, "Text": true,
}

// checkConverted converts src and fails if anything is lost, alive or outside the subset.
func checkConverted(t *testing.T, src string) string {
	t.Helper()
	got := commonmark.Convert(src, nil)
	if ps := markdown.Check(got); len(ps) > 0 {
		t.Errorf("%q as %q: Check() = %v", src, got, ps)
	}
	if ms := markdown.Mentions(got); len(ms) > 0 {
		t.Errorf("%q as %q: mentions %v", src, got, ms)
	}
	if want, got2 := letters(t, src), letters(t, got); !isWithin(want, got2) {
		t.Errorf("%q as %q: reads %q, want all of %q", src, got, got2, want)
	}
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader([]byte(got)))
	_ = ast.Walk(doc, func(n ast.Node, _ bool) (ast.WalkStatus, error) {
		if !subset[n.Kind().String()] {
			t.Errorf("%q as %q: goldmark finds a %s", src, got, n.Kind())
		}
		return ast.WalkContinue, nil
	})
	return got
}
