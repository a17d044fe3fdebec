package split_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/weboffice-go/weboffice/webhook/internal/split"
)

// emptyQuoted is a line of a quote that holds nothing: at a cut it is white space.
var emptyQuoted = regexp.MustCompile(`(?m)(^|\n)[> \t]*>[\s\pZ>]*$`)

// check holds for every text: pieces are within their room, in order, and nothing
// but white space is lost. What is opened again only adds to that.
func check(t *testing.T, src string, limit int, pieces []string) {
	t.Helper()
	for i, piece := range pieces {
		if n := utf8.RuneCountInString(piece); n > limit {
			t.Errorf("piece %d has %d characters, want at most %d: %q", i, n, limit, piece)
		}
		if strings.TrimSpace(piece) == "" {
			t.Errorf("piece %d is blank: %q", i, piece)
		}
		if utf8.ValidString(src) && !utf8.ValidString(piece) {
			t.Errorf("piece %d is cut within a character: %q", i, piece)
		}
	}
	rest := strings.Join(pieces, "")
	src = emptyQuoted.ReplaceAllString(src, "$1")
	for i, r := range src {
		if unicode.IsSpace(r) {
			continue
		}
		j := strings.IndexRune(rest, r)
		if r == utf8.RuneError {
			j = strings.IndexByte(rest, src[i])
		}
		if j < 0 {
			t.Fatalf("limit %d: %q at %d of %q is lost or out of order in %q", limit, r, i, src, pieces)
		}
		rest = rest[j+1:]
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{
		"# T\n\n> a **b\n> c** d\n\n- x\n- y\n\n```go\nf()\n```\n", "<font color='red'>a *b `c` d*</font> <at user_id=\"-1\">n</at>",
		"[a](b) ![](c) <http://d> &lt; \\* ~~e~~ ***f* g**", "👨\u200d👩\u200d👧 🇨🇳🇩🇪 今天。明天，", "> ```\n> a\n> b\n", "- ```\n  a\n  ```", "1. a\n   - b\n\n     c\n   - d\n2. e", "> 1. a\n>    b\n> 2. c", "\xe4\xb8\x00\r\n\r",
	} {
		f.Add(seed, 12)
		f.Add(strings.Repeat(seed, 5), 60)
	}
	f.Fuzz(func(t *testing.T, src string, limit int) {
		limit = 1 + abs(limit)%200
		pieces, err := split.Markdown(src).Pieces(room(limit))
		var long *split.Error
		switch {
		case err == nil:
			check(t, src, limit, pieces)
		case !errors.As(err, &long):
			t.Errorf("Pieces = %v, want a *split.Error", err)
		}
	})
}

func FuzzPlain(f *testing.F) {
	for _, seed := range []string{"a b c\nd  e", "<at email=\"a@b\">n</at> x &amp; y", "今天。明天，👍🏽🇨🇳", "\xff\xfe\r\n\t"} {
		f.Add(seed, 5)
	}
	f.Fuzz(func(t *testing.T, src string, limit int) {
		limit = 1 + abs(limit)%200
		pieces, err := split.Plain(src).Pieces(room(limit))
		if err == nil {
			check(t, src, limit, pieces)
			if got := squeeze(strings.Join(pieces, "")); utf8.ValidString(src) && got != squeeze(src) {
				t.Errorf("limit %d: pieces of %q hold %q", limit, src, got)
			}
		}
	})
}

func abs(n int) int { return max(n, -(n + 1)) }

// squeeze drops all white space.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

// goldmark reads the pieces as it reads the whole: the same words in bold, in
// italics, in code, in links, in headings, in the same order.
func TestPiecesReadLikeTheWhole(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		g := &generator{rand.New(rand.NewPCG(seed, 4))}
		src := g.document()
		var want reader
		want.read(src)
		for _, limit := range []int{60, 90, 150, 400} {
			pieces, err := split.Markdown(src).Pieces(room(limit))
			if err != nil {
				t.Fatalf("seed %d, limit %d: %v\n%s", seed, limit, err, src)
			}
			check(t, src, limit, pieces)
			var got reader
			for _, piece := range pieces {
				got.read(piece)
				if o, c := strings.Count(piece, "<font"), strings.Count(piece, "</font>"); o != c {
					t.Errorf("seed %d, limit %d: %d <font> and %d </font> in %q", seed, limit, o, c, piece)
				}
			}
			if diff := cmp.Diff(strings.Split(want.String(), "\n"), strings.Split(got.String(), "\n")); diff != "" {
				t.Fatalf("seed %d, limit %d: (-whole +pieces):\n%s\npieces %q", seed, limit, diff, pieces)
			}
		}
	}
}

// reader writes what goldmark takes the words of a text for, a line for each style.
type reader struct {
	strings.Builder
	last, color string
}

func (r *reader) write(style, s string) {
	if s = squeeze(s); s == "" {
		return
	}
	if style = r.color + style; style != r.last {
		r.WriteString("\n" + style + ": ")
		r.last = style
	}
	r.WriteString(s)
}

func (r *reader) read(md string) {
	src := []byte(md)
	doc := goldmark.New(goldmark.WithExtensions(extension.Strikethrough)).Parser().Parse(text.NewReader(src))
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			r.write(style(n), string(n.Value(src)))
		case *ast.FencedCodeBlock:
			r.write("fence "+string(n.Language(src)), string(n.Lines().Value(src)))
		case *ast.CodeBlock:
			r.write("indented", string(n.Lines().Value(src)))
		case *ast.AutoLink:
			r.write("autolink"+style(n), string(n.URL(src)))
		case *ast.Link:
			r.write("to", string(n.Destination))
		case *ast.HTMLBlock:
			r.write("html", string(n.Lines().Value(src)))
		case *ast.RawHTML:
			switch tag := string(n.Segments.Value(src)); {
			case strings.HasPrefix(tag, "<font"):
				r.color = tag
			case tag == "</font>":
				r.color = ""
			default:
				r.write("tag", tag)
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		panic(err)
	}
}

// style names what a text is within, lists aside: an item that goes on in another
// piece is no item there.
func style(n ast.Node) string {
	var parts []string
	for p := n.Parent(); p != nil; p = p.Parent() {
		switch p.Kind() {
		case ast.KindEmphasis, ast.KindLink, ast.KindCodeSpan, ast.KindHeading, ast.KindBlockquote, east.KindStrikethrough:
			name := p.Kind().String()
			if e, ok := p.(*ast.Emphasis); ok {
				name = fmt.Sprintf("%s%d", name, e.Level)
			}
			parts = append(parts, name)
		}
	}
	return strings.Join(parts, "<")
}
