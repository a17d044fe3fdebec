package commonmark_test

import (
	"bytes"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/weboffice-go/weboffice/markdown"
	"github.com/weboffice-go/weboffice/markdown/commonmark"
)

var notText = regexp.MustCompile(`(?s)<!--.*?-->|<[^>]*>`)

// htmlNames are the elements of HTML, with those that went out of use.
const htmlNames = ` a abbr acronym address applet area article aside at audio b base basefont bdi bdo bgsound big blink blockquote body br
	button canvas caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset figcaption
	figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label legend li link
	listing main map mark marquee math menu meta meter nav nobr noembed noframes noscript object ol optgroup option output p param picture
	plaintext pre progress q rb rp rt rtc ruby s samp script search section select slot small source span strike strong style sub summary
	sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr xmp `

var tagName = regexp.MustCompile(`^</?([a-zA-Z][a-zA-Z0-9-]*)`)

// tagsAsText shows the tags within text that HTML does not have.
type tagsAsText struct{}

func (tagsAsText) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindRawHTML, func(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		raw, ok := n.(*ast.RawHTML)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		tag := string(raw.Segments.Value(src))
		if m := tagName.FindStringSubmatch(tag); m != nil && !slices.Contains(strings.Fields(htmlNames), strings.ToLower(m[1])) {
			_, _ = w.WriteString(html.EscapeString(tag))
		}
		return ast.WalkContinue, nil
	})
}

// asDigits reads those above and below the line.
var asDigits = strings.NewReplacer("⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9", "ⁿ", "n",
	"₀", "0", "₁", "1", "₂", "2", "₃", "3", "₄", "4", "₅", "5", "₆", "6", "₇", "7", "₈", "8", "₉", "9")

// letters are the letters and digits that a reader of md sees.
func letters(tb testing.TB, md string) string {
	tb.Helper()
	var b bytes.Buffer
	reader := goldmark.New(goldmark.WithExtensions(extension.GFM))
	if !strings.Contains(md, "<svg") && !strings.Contains(md, "<math") {
		reader.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(tagsAsText{}, 1)))
	}
	if err := reader.Convert([]byte(md), &b); err != nil {
		tb.Fatalf("goldmark: %v", err)
	}
	return asDigits.Replace(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return r
		}
		return -1
	}, html.UnescapeString(notText.ReplaceAllString(b.String(), ""))))
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
	if ps := commonmark.Check(got); len(ps) > 0 {
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
