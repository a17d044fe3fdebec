package markdown_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/markdown"
	"github.com/weboffice-go/weboffice/markdown/commonmark"
)

func TestBuilderBlocks(t *testing.T) {
	t.Parallel()
	const u = "https://a.example/b"
	type builder = markdown.Builder
	tests := []struct {
		name  string
		write func(b *builder)
		want  string
		kinds string // as goldmark reads it
	}{
		{"nothing", func(*builder) {}, "", ""},
		{"heading", func(b *builder) { b.Heading(2, "a\nb") }, "## a b", "Heading"},
		{"heading 0", func(b *builder) { b.Heading(0, "a") }, "# a", "Heading"},
		{"heading 7", func(b *builder) { b.Heading(7, "a") }, "###### a", "Heading"},
		{"heading with number", func(b *builder) { b.Heading(1, "1. a") }, "# 1. a", "Heading"},
		{"heading of marks", func(b *builder) { b.Heading(1, "# a ##") }, `# # a \##`, "Heading"},
		{"heading that ends in C#", func(b *builder) { b.Heading(1, "C#") }, "# C#", "Heading"},
		{"heading of one mark", func(b *builder) { b.Heading(1, "#") }, `# \#`, "Heading"},
		{"colored heading", func(b *builder) { b.Heading(1, markdown.Color("red", "a")) }, "# <font color='red'>a</font>", "Heading RawHTML RawHTML"},
		{"paragraphs", func(b *builder) { b.Paragraph("a").Paragraph("b") }, "a\n\nb", "Paragraph Paragraph"},
		{"lines", func(b *builder) { b.Paragraph("a\nb\n\nc\n") }, "a  \nb  \n\u00a0  \nc", "Paragraph"},
		{"values", func(b *builder) { b.Paragraph(1, "*", 2.5, errors.New("_x_"), nil) }, `1\*2.5\_x\_&lt;nil>`, "Paragraph"},
		{"number and point", func(b *builder) { b.Paragraph(1, ". a") }, `1\. a`, "Paragraph"},
		{"address in pieces", func(b *builder) { b.Paragraph("http:", "//", "a.example") }, `http:/\/a.example`, "Paragraph"},
		{"empty blocks", func(b *builder) { b.Paragraph("").Heading(1, " \n").Quote().List().OrderedList().Image("x") }, "", ""},
		{"empty between", func(b *builder) { b.Paragraph("a").Paragraph("\n").Paragraph("b") }, "a\n\nb", "Paragraph Paragraph"},
		{"indented", func(b *builder) { b.Paragraph("    a\n\tb") }, "\u00a0\u00a0\u00a0\u00a0a  \n\u00a0\u00a0\u00a0\u00a0b", "Paragraph"},
		{"spaces in pieces", func(b *builder) { b.Paragraph(" ", " ", " ", " ", "a") }, " \u00a0\u00a0\u00a0a", "Paragraph"},
		{"quote", func(b *builder) { b.Quote("a\nb\n\nc").Quote("d") }, "> a  \n> b  \n> \u00a0  \n> c\n\n> d", "Blockquote Paragraph Blockquote Paragraph"},
		{"text after quote", func(b *builder) { b.Quote("a").Paragraph("b") }, "> a\n\nb", "Blockquote Paragraph Paragraph"},
		{"list", func(b *builder) { b.List("a", "- b", "c\nd") }, "- a\n- \\- b\n- c  \n  d", "List ListItem TextBlock ListItem TextBlock ListItem TextBlock"},
		{"item that is a link named x", func(b *builder) { b.List(markdown.Link("x", u)) }, "- [x\u2060](" + u + ")", "List ListItem TextBlock Link"},
		{"empty item", func(b *builder) { b.List("", "b") }, "- \u00a0\n- b", "List ListItem TextBlock ListItem TextBlock"},
		{"ordered list", func(b *builder) { b.OrderedList("a", "b\nc") }, "1. a\n2. b  \n   c", "List ListItem TextBlock ListItem TextBlock"},
		{"from 9", func(b *builder) { b.OrderedListFrom(9, "a", "b\nc") }, "9. a\n10. b  \n    c", "List ListItem TextBlock ListItem TextBlock"},
		{"from -1", func(b *builder) { b.OrderedListFrom(-1, "a") }, "0. a", "List ListItem TextBlock"},
		{"beyond nine digits", func(b *builder) { b.OrderedListFrom(999_999_999, "a", "b") }, "999999998. a\n999999999. b", "List ListItem TextBlock ListItem TextBlock"},
		{"two lists", func(b *builder) { b.List("a").List("b") }, "- a\n\n\u00a0\n\n- b", "List ListItem TextBlock Paragraph List ListItem TextBlock"},
		{"two ordered", func(b *builder) { b.OrderedList("a").Paragraph("").OrderedList("b") }, "1. a\n\n\u00a0\n\n1. b", "List ListItem TextBlock Paragraph List ListItem TextBlock"},
		{"a list and none", func(b *builder) { b.List("a").List() }, "- a", "List ListItem TextBlock"},
		{"two kinds", func(b *builder) { b.List("a").OrderedList("b") }, "- a\n\n1. b", "List ListItem TextBlock List ListItem TextBlock"},
		{"text after list", func(b *builder) { b.List("a").Paragraph("b").List("c") }, "- a\n\nb\n\n- c", "List ListItem TextBlock Paragraph List ListItem TextBlock"},
		{"image", func(b *builder) { b.Image(u).Paragraph("a", markdown.Image(u)) }, "![](" + u + ")\n\na![](" + u + ")", "Paragraph Image Paragraph Image"},
		{"raw", func(b *builder) { b.Quote(markdown.Raw("**a**\r\n\nb\x00")) }, "> **a**\n> \n> b", "Blockquote Paragraph Emphasis Paragraph"},
		{"raw in a heading", func(b *builder) { b.Heading(1, markdown.Raw("a\nb")) }, "# a b", "Heading"},
	}
	j := newJudge()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var b builder
			tt.write(&b)
			if diff := cmp.Diff(tt.want, b.String()); diff != "" {
				t.Errorf("String() (-want +got)\n%s", diff)
			}
			if got, want := b.Len(), utf8.RuneCountInString(tt.want); got != want {
				t.Errorf("Len() = %d, want %d", got, want)
			}
			if diff := cmp.Diff(tt.kinds, j.kinds(tt.want)); diff != "" {
				t.Errorf("as goldmark reads %q (-want +got)\n%s", tt.want, diff)
			}
			if ps := commonmark.Check(b.String()); len(ps) > 0 && !strings.HasPrefix(tt.name, "raw") {
				t.Errorf("Check(%q) = %v", b.String(), ps)
			}
		})
	}
}

func TestInline(t *testing.T) {
	t.Parallel()
	const u = "https://a.example/b"
	bold, italic, strike := markdown.Bold, markdown.Italic, markdown.Strike
	link, join := markdown.Link, markdown.Join
	tests := []struct {
		name        string
		in          markdown.Inline
		want, plain string
	}{
		{"zero", markdown.Inline{}, "", ""},
		{"bold", bold("a*b"), `**a\*b**`, "a*b"},
		{"italic", italic("a"), "*a*", "a"},
		{"strike", strike("a"), "~~a~~", "a"},
		{"all three", bold(italic(strike("a"))), "***~~a~~***", "a"},
		{"empty", join(bold(""), italic(), strike(bold())), "", ""},
		{"space only", join("a", bold(" "), "b"), "a b", "a b"},
		{"space outside", join("a", bold(" b\n"), "c"), "a **b**  \nc", "a b\nc"},
		{"within itself", italic("a ", italic("b"), " c"), "*a b c*", "a b c"},
		{"bold in italic", italic("a", bold("b"), "c"), "*a**b**c*", "abc"},
		{"side by side", join(bold("a"), bold("b")), "**ab**", "ab"},
		{"side by side with space", join(bold("a"), " ", bold("b")), "**a** **b**", "a b"},
		{"bold beside italic", join(bold("a"), italic("b")), "**a**\u2060*b*", "ab"},
		{"chinese", join("他说", bold("“好”"), "了"), "他说**\u2060“好”\u2060**了", "他说“好”了"},
		{"punctuation inside, space outside", join("a ", bold("(b)"), " c"), "a **(b)** c", "a (b) c"},
		{"emoji", join("a", bold("🔥"), "b"), "a**\u2060🔥\u2060**b", "a🔥b"},
		{"color", markdown.Color("#34495E", "a"), "<font color='#34495E'>a</font>", "a"},
		{"color by name", markdown.Color("DarkRed", "a"), "<font color='DarkRed'>a</font>", "a"},
		{"bad colors", join(markdown.Color("#12345", "a"), markdown.Color("", "b"), markdown.Color("x'y", "c"), markdown.Color("#12345g", "d")), "abcd", "abcd"},
		{"color in bold", bold("a", markdown.Color("red", "b")), "**a<font color='red'>b</font>**", "ab"},
		{"empty color", markdown.Color("red", "\n"), "  \n", "\n"},
		{"link", link("a", u), "[a](" + u + ")", "a (" + u + ")"},
		{"link of a number", link(7, u), "[7](" + u + ")", "7 (" + u + ")"},
		{"link with brackets", link("[a](b)", u), `[\[a\]\(b)](` + u + ")", "[a](b) (" + u + ")"},
		{"link over lines", link("a\nb", u), "[a b](" + u + ")", "a\nb (" + u + ")"},
		{"link without text", link(" ", u), "<" + u + ">", u},
		{"link of its address", link(u, u), `[https:/\/a.example/b](` + u + ")", u},
		{"link after !", join("a!", link("b", u)), `a\![b](` + u + ")", "a!b (" + u + ")"},
		{"bold link", bold(link("a", u)), "**[a](" + u + ")**", "a (" + u + ")"},
		{"link of bold", link(bold("a"), u), "[**a**](" + u + ")", "a (" + u + ")"},
		{"link in a link", link(join("a", link("b", "https://c.example")), u), "[ab](" + u + ")", "ab (https://c.example) (" + u + ")"},
		{"link of an image", link(markdown.Image(u), u), "[![](" + u + ")](" + u + ")", u},
		{"bad link", link(bold("a"), "javascript:alert(1)"), "**a**", "a"},
		{"auto link", markdown.AutoLink(u), "<" + u + ">", u},
		{"bad auto link", markdown.AutoLink("mailto:a@b.c"), `mailto:a\@b.c`, "mailto:a@b.c"},
		{"auto link in a link", link(markdown.AutoLink(u), u), `[https:/\/a.example/b](` + u + ")", u},
		{"image", markdown.Image(u), "![](" + u + ")", u},
		{"bad image", markdown.Image("a.png"), "", ""},
		{"line break", join("a", markdown.LineBreak(), "b"), "a  \nb", "a\nb"},
		{"raw", join("*", markdown.Raw("*a*")), `\**a*`, "**a*"},
		{"each", join(markdown.Each([]int{1, 2})...), "12", "12"},
		{"entity in pieces", join("&", "lt;at"), "&amp;\u2060lt;at", "&\u2060lt;at"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, tt.in.String()); diff != "" {
				t.Errorf("String() (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(tt.plain, markdown.Plain(tt.in)); diff != "" {
				t.Errorf("Plain() (-want +got)\n%s", diff)
			}
		})
	}
}

func TestLinkAddress(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, url, want string }{
		{"as it is", "https://a.example/b?c=d&e=f#g", "https://a.example/b?c=d&e=f#g"},
		{"space around", " https://a.example\n", "https://a.example"},
		{"upper case", "HTTPS://A.EXAMPLE", "HTTPS://A.EXAMPLE"},
		{"port and user", "http://u:p@a.example:8080/", "http://u:p@a.example:8080/"},
		{"IPv6", "http://[::1]:80/", "http://[::1]:80/"},
		{"space", "https://a.example/b c", "https://a.example/b%20c"},
		{"parentheses", "https://a.example/b_(c)", "https://a.example/b_%28c%29"},
		{"quotes", `https://a.example/"'`, "https://a.example/%22%27"},
		{"tag", `https://a.example/<at user_id="-1">`, "https://a.example/%3Cat%20user_id=%22-1%22%3E"},
		{"brackets", "https://a.example/?a[]=\\b`{|}^", "https://a.example/?a%5B%5D=%5Cb%60%7B%7C%7D%5E"},
		{"entity", "https://a.example/?a&lt;b;c", "https://a.example/?a&%6Ct%3Bb;c"},
		{"number of a character", "https://a.example/?&#60;b", "https://a.example/?&#%360%3Bb"},
		{"fragment of a host", "https://a.example#b c", "https://a.example#b%20c"},
		{"chinese", "https://例子.example/文", "https://例子.example/文"},
		{"hidden", "https://a.example/\u202eb\u00a0", "https://a.example/%E2%80%AEb"},
		{"line feed", "https://a.example/\nb", ""},
		{"javascript", "javascript:alert(1)", ""},
		{"data", "data:text/html,x", ""},
		{"relative", "/a/b", ""},
		{"without scheme", "//a.example", ""},
		{"without host", "https:///a", ""},
		{"ftp", "ftp://a.example", ""},
		{"host with quote", `https://a'b.example`, ""},
		{"bad escape", "https://a.example/%zz", ""},
		{"not UTF-8", "https://a.example/\xff", ""},
		{"empty", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := "x"
			if tt.want != "" {
				want = "[x](" + tt.want + ")"
			}
			got := markdown.Link("x", tt.url).String()
			if got != want {
				t.Errorf("Link(x, %q) = %q, want %q", tt.url, got, want)
			}
			if ps := commonmark.Check(got); len(ps) > 0 {
				t.Errorf("Check(%q) = %v", got, ps)
			}
		})
	}
}
