package commonmark_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/markdown"
	"github.com/weboffice-go/weboffice/markdown/commonmark"
)

func TestCheckAcceptsTheSubset(t *testing.T) {
	t.Parallel()
	for name, md := range map[string]string{
		"empty":             "",
		"headings":          "# a\n## b\n\n###### f\ntext",
		"closed heading":    "# a #",
		"quote":             "> a\n\n> b  \n> c",
		"bold and italic":   "**a** *b* _c_ ***d*** snake_case_name 2*3",
		"color":             "<font color='#34495e'>a</font> <font color=\"DarkRed\">b</font>",
		"colored heading":   "# <font color='red'>**a**</font>",
		"strikethrough":     "~~a~~",
		"links":             "<https://a.example> [b](http://b.example/x_(y)) [c](<https://c.example>)",
		"lists":             "- a\n- b\n\n1. a\n2. b",
		"item of two lines": "- a  \n  b\n- c",
		"ordered, long":     "10. a  \n    b\n11. c",
		"address in text":   "https://a.example",
		"image":             "![](https://a.example/b.png)",
		"mentions":          `<at user_id="1">a</at><at email='a@b.c'></at> <at user_id="-1">all</at>`,
		"breaks":            "a  \nb\n\nc",
		"escapes":           "\\# a \\*b\\* 1\\. \\`c\\` &lt;b> &amp;amp; \\[x\\](y)",
		"not markup":        "a < b > c, a_b_c, 5 * 3 * 2, ~ and ~ , x ]( y, ` alone, #tag, -5, 1.5, [x], !",
		"crlf":              "# a\r\n\r\nb  \r\nc",
		"crlf in a list":    "1.\r\n2.",
		"no-break line":     "a  \n\u00a0  \nb",
		"text after list":   "- a\n\nb",
		"list in a quote":   "> - a\n> - b",
		"year":              "It was in  \n2024. Really.",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := commonmark.Check(md); got != nil {
				t.Errorf("Check(%q) = %v, want nil", md, got)
			}
		})
	}
}

func TestCheckNamesElementAndLine(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, md string
		want     []string // line and element
	}{
		{"fence", "a\n\n```go\n**x\n# y\n```\n\nb\nc", []string{"3 code", "8 line break"}},
		{"open fence", "~~~\n- x", []string{"1 code"}},
		{"fence in a quote ends with it", "> ```\n> x\n\n~a~", []string{"1 code", "4 strikethrough"}},
		{"longer fence", "````\n```\n````\n`x`", []string{"1 code", "4 code"}},
		{"indented code", "a\n\n    b\n    c\n\nd", []string{"3 code"}},
		{"tab", "\tb", []string{"1 code"}},
		{"code in an item", "- a\n\n      b", []string{"3 code"}},
		{"code span", "a `b` c", []string{"1 code"}},
		{"code span over lines", "a ``b  \n`c`` *d*  \n`e`", []string{"1 code", "3 code"}},
		{"table", "x\n\n| a | b |\n|---|:-:|\n| `c` | d |", []string{"3 table", "5 code"}},
		{"table without outer bars", "a | b\n--- | ---\nc | d", []string{"1 table"}},
		{"tasks", "- [ ] a\n- [x] b\n- [y] c", []string{"1 task list", "2 task list"}},
		{"list marks", "* a\n* b\n\n+ c\n\n1) d", []string{"1 list", "2 list", "4 list", "6 list"}},
		{"nested list", "- a\n  - b\n- c", []string{"2 list"}},
		{"nested at once", "- - a", []string{"1 list"}},
		{"nested ordered", "1. a\n   1. b", []string{"2 list"}},
		{"nested quote", "> a\n> > b", []string{"2 quote"}},
		{"underlined headings", "a\n===\n\nb\n-", []string{"1 heading", "4 heading"}},
		{"rules", "---\n\n* * *\n\n___", []string{"1 thematic break", "3 thematic break", "5 thematic break"}},
		{"rule after item", "- a\n---", []string{"2 thematic break"}},
		{"html", "<b>a</b>\n\n<!-- x\ny --> <br/> <?p?>", []string{"1 HTML", "1 HTML", "3 HTML", "4 HTML", "4 HTML"}},
		{"open comment", "<!-- a <!-- b", []string{"1 HTML"}},
		{"link addresses", "[a](b.html) [c](javascript:x) <mailto:a@b.c> <a@b.c>", []string{"1 link", "1 link", "1 link", "1 link"}},
		{"link title", "[a](https://a.example \"t\")", []string{"1 link"}},
		{"address in brackets", "[a](<https://a.example/b c>) [d](<e) [f](<g>)", []string{"1 link"}},
		{"address with parentheses", "[a](b\\)c) [d](e(f)g 'h\\'i' ) [j](k (l)) [m](n o) [p](q", []string{"1 link", "1 link", "1 link", "1 link", "1 link"}},
		{"declarations", "<!DOCTYPE html> <![CDATA[x]]> <?a", []string{"1 HTML", "1 HTML", "1 HTML"}},
		{"alternative text", "![a](https://a.example)", []string{"1 image"}},
		{"image in a link", "[![](https://a.example)](https://b.example 't')", []string{"1 link"}},
		{"definitions", "[a]: https://a.example\n\n[^1]: b", []string{"1 reference", "3 reference"}},
		{"definition of a footnote", "a[^1]\n\n[^1]: two words", []string{"3 reference"}},
		{"angle in a block", "<div>\na < b\n</div>", []string{"1 HTML", "3 HTML"}},
		{"underscores", "__a__ b__c__d (__e__)", []string{"1 bold", "1 bold"}},
		{"one tilde", "~a~", []string{"1 strikethrough"}},
		{"breaks", "a\nb\\\nc", []string{"1 line break", "2 line break"}},
		{"break in a quote", "> a\n> b", []string{"1 line break"}},
		{"break in an item", "- a\n  b", []string{"1 line break"}},
		{"lazy line", "> a\nb", []string{"1 line break"}},
		{"at without attribute", "<at>x</at> <at user_id=\"\">y</at>", []string{"1 mention", "1 mention"}},
		{"open at", "a  \n<at user_id=\"1\">x\n\ny</at>", []string{"2 mention", "4 mention"}},
		{"colors", "<font color='#12345'>a</font> <font size='2'>b</font>", []string{"1 color", "1 color"}},
		{"open font", "<font color='red'>a", []string{"1 color"}},
		{"at without quotes", "<at user_id=1>x</at> <at email=a@b.example></at>", []string{"1 mention", "1 mention"}},
		{"color without quotes", "<font color=red>a</font>", []string{"1 color"}},
		{"crossed", "<font color='red'><at user_id='1'></font></at>", []string{"1 color", "1 color"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, p := range commonmark.Check(tt.md) {
				got = append(got, string(rune('0'+p.Line))+" "+p.Element)
				if p.Detail == "" {
					t.Errorf("%v: no detail", p)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Check(%q) (-want +got)\n%s", tt.md, diff)
			}
		})
	}
}

// A robot may be fed by others, so no text may cost more than a small multiple of its
// length. The test does not look at a clock: what grows with the square of the length runs
// into the deadline of go test.
func TestTakesLinearTime(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{
		"[", "](", "[](", "](a", "](<", "](a \"", "[a](b '", "[](<a)", "[](a\\)", "[](()", "<!--", "<?", "<at ", "<at '<at \"", "`", "`a``b", "\\```\n", "#\\``", "_", "__a", "~a",
		"<a", "\\", ">", "> ", ">\t", "- ", "- >", "1. ", "|", "a|-\n", "<", "<font color=red>",
	} {
		s := strings.Repeat(piece, 100_000/len(piece))
		if found := len(commonmark.Check(s)) + len(markdown.Mentions(s)); found > len(s) {
			t.Errorf("%q repeated: %d findings in %d bytes", piece, found, len(s))
		}
		if n := len(commonmark.Convert(s, nil)); n > 10*len(s) {
			t.Errorf("%q repeated becomes %d bytes from %d", piece, n, len(s))
		}
	}
}
