package markdown_test

import (
	"html"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/markdown"
	"github.com/weboffice-go/weboffice/markdown/commonmark"
)

// A styledRune is a visible character and what it is in: b, i, s for emphasis, a for a
// link, f for a color.
type styledRune struct {
	R  rune
	In string
}

// tree makes random inlines together with what a reader should see.
type tree struct {
	r    *rand.Rand
	s    string // text to use, besides edges
	want []styledRune
}

var edges = []string{
	"a", "b c", " ", "x ", " y", "(z)", "“q”", "，", "世界", "!", "🔥", "-", "1. ", "*", "_", "~", "**", "\\", "<", "&", "]", "a\nb", "\n",
	"# ", "http://e.example", "", "\u00a0", "~~", "a*", "*a", "[x](y)", "\u2060",
}

func (g *tree) inline(depth int, in string) markdown.Inline {
	var parts []any
	for range 1 + g.r.IntN(3) {
		parts = append(parts, g.part(depth, in))
	}
	return markdown.Join(parts...)
}

func (g *tree) part(depth int, in string) any {
	kind := g.r.IntN(9)
	if depth == 0 {
		kind %= 3
	}
	switch kind {
	case 3:
		return markdown.Bold(g.inline(depth-1, in+"b"))
	case 4:
		return markdown.Italic(g.inline(depth-1, in+"i"))
	case 5:
		return markdown.Strike(g.inline(depth-1, in+"s"))
	case 6:
		return markdown.Color("red", g.inline(depth-1, in+"f"))
	case 7:
		n := len(g.want)
		text := g.inline(depth-1, in+"a")
		if len(g.want) == n { // a link without text shows its address
			g.add("http://e.example/", in+"a")
		}
		return markdown.Link(text, "http://e.example/")
	case 8:
		g.add("n*m", in)
		return markdown.MentionUser("7", "n*m")
	}
	s := g.s
	if kind > 0 {
		s = edges[g.r.IntN(len(edges))]
	}
	g.add(s, in)
	return s
}

func (g *tree) add(s, in string) {
	styles := []rune(in)
	slices.Sort(styles)
	in = string(slices.Compact(styles))
	for _, r := range s {
		if !unicode.IsSpace(r) && !unicode.IsControl(r) && !unicode.Is(unicode.Cf, r) {
			g.want = append(g.want, styledRune{r, in})
		}
	}
}

var htmlPiece = regexp.MustCompile(`<(/?)([a-z0-9]+)[^>]*>|[^<]+`)

// styles reads the HTML of md.
func (j judge) styles(tb testing.TB, md string) []styledRune {
	tb.Helper()
	g := tree{}
	names := map[string]string{"strong": "b", "em": "i", "del": "s", "a": "a", "font": "f"}
	var in string
	for _, m := range htmlPiece.FindAllStringSubmatch(j.html(tb, md), -1) {
		switch {
		case m[2] == "":
			g.add(html.UnescapeString(m[0]), in)
		case m[1] == "":
			in += names[m[2]]
		case names[m[2]] != "":
			in = strings.TrimSuffix(in, names[m[2]])
		}
	}
	return g.want
}

func TestInlineStylesAsReadByGoldmark(t *testing.T) {
	t.Parallel()
	j := newJudge()
	for seed := range uint64(1_000) {
		checkStyles(t, j, seed, "a")
	}
}

// checkStyles fails unless goldmark finds each character of a random inline in the styles
// that it was put in. Some of the text is s.
func checkStyles(t *testing.T, j judge, seed uint64, s string) {
	t.Helper()
	g := tree{r: rand.New(rand.NewPCG(seed, 2)), s: s}
	in := g.inline(3, "")
	twice := slices.Concat([]styledRune{{'x', ""}}, g.want, g.want)
	for _, tt := range []struct {
		md   string
		want []styledRune
	}{
		{in.String(), g.want},
		{new(markdown.Builder).Heading(2, in).String(), g.want},
		{new(markdown.Builder).Paragraph(in).String(), g.want},
		{new(markdown.Builder).Quote(in).String(), g.want},
		{new(markdown.Builder).List("x", in).OrderedList(in).String(), twice},
	} {
		if ps := commonmark.Check(tt.md); len(ps) > 0 {
			t.Fatalf("seed %d: Check(%q) = %v", seed, tt.md, ps)
		}
		if diff := cmp.Diff(tt.want, j.styles(t, tt.md)); diff != "" {
			t.Fatalf("seed %d: %q is read as (-want +got)\n%s", seed, tt.md, diff)
		}
	}
}
