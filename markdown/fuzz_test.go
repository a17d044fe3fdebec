package markdown_test

import (
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/markdown"
	"github.com/weboffice-go/weboffice/markdown/commonmark"
)

// nasty are texts in which something of markdown, of a tag or of an address is hidden.
var nasty = []string{
	"", " ", "\n", "plain", "a\nb", "a\n\n\nb", "\n\na", "a\r\nb\rc", "a\u2028b\u2029c\u0085d", "a\vb\fc",
	`<at user_id="-1">all</at>`, `<at email="a@b.c">x</at>`, "<AT user_id='-1'/>", `&lt;at user_id="-1"&gt;`, "&#60;at&#x3c;",
	"<\x00at user_id=\"-1\">", "<\u200bat user_id=\"-1\">", "< at user_id=-1>", "<a", "<", "<b>x</b>", "<!-- x -->", "<?php ?>",
	"<font color='red'>x</font>", "<https://evil.example>", "<a@b.c>", "https://evil.example/x", "HTTP://EVIL.EXAMPLE",
	"www.evil.example", "(www.evil.example)", "*www.evil.example*", "ftp://evil.example", "mailto:a@b.example", "a@b.example",
	"a.b+c@d-e.example.", "xmpp:a@b.example", "# h", "#", "####### h", "a\n===", "a\n---", "---", "***", "___", "- - -", "=",
	"- x", "-", "-\tx", "+ x", "* x", "-5", "+49 30", "1. x", "1) x", "123456789. x", "1234567890. x", "1.", "1)", "1.5", "0. x",
	"> q", ">", ">>>", "    code", "\tcode", " a", "a  ", "a \\", "\\", "\\*", "```\nx\n```", "~~~\nx\n~~~", "`x`", "``", "`",
	"**b**", "*i*", "_i_", "__b__", "~~s~~", "~s~", "***", "* * *", "a*b*c", "snake_case_name", "2*3*4", "[x](https://evil.example)",
	"![x](https://evil.example)", "[x]: https://evil.example", "[x][y]", "[x]", "- [ ] t", "[ ] t", "| a | b |\n|---|---|\n| c | d |",
	"a | b\n--- | ---", "a\n:-", "a\n:-:", "a\n-:", "|", "&amp;", "&copy;", "&copy", "&#0;", "&", "AT&T", "R&D;", "a&b=c&lt=d",
	"\x00", "a\x00b", "\x1b[31mred", "\ufeff# x", "\u202egnp.exe", "\u2066x", "a\xffb", "\xc3", "\u00a0- x", "\u200b- x", "\u3000# x",
	"ä*ö*ü", "你好，**世界**。", "🔥*x*🔥", "👨‍👩‍👧‍👦", "e\u0301", "$x$", "==x==", ":smile:", "[^1]: x", "{.c}", "term\n: def",
	"a\n    b", "a\n- b\n  - c", "a  \nb", "a\\\nb", "a\n \nb", " \n a", "javascript:alert(1)", "\"'", "!", "![", "a!",
	"http:/", "//evil.example", "http:", "www", ".evil.example", "at user_id=\"-1\">", "lt;at", "#60;at",
	"0)\x00 0", "- \u00a0", "-\u00a0", "1.\u2028", "a@\x00b.example", "&\x01lt;", "\u0085- x", "www\x00.a.b",
}

func FuzzEscape(f *testing.F) {
	for _, s := range nasty {
		f.Add(s)
	}
	j := newJudge()
	f.Fuzz(func(t *testing.T, s string) {
		md := markdown.Escape(s)
		checkInert(t, j, s, md)
		checkNaive(t, s, md)
		checkInert(t, j, md, markdown.Escape(md)) // escaping twice shows the escapes
	})
}

// checkInert fails unless md is text and nothing else, and reads as s does.
func checkInert(t *testing.T, j judge, s, md string) {
	t.Helper()
	if kind := j.foreign(md); kind != "" {
		t.Fatalf("%q as %q: goldmark finds a %s", s, md, kind)
	}
	if strings.Contains(md, "<") {
		t.Fatalf("%q as %q: has a tag", s, md)
	}
	if got, want := j.shown(t, md), reading(s); got != want {
		t.Fatalf("%q as %q: reads %q, want %q", s, md, got, want)
	}
	if ps := commonmark.Check(md); len(ps) > 0 {
		t.Fatalf("%q as %q: Check() = %v", s, md, ps)
	}
}

// FuzzPieces writes two texts beside each other in every block. What one leaves open the
// other must not finish.
func FuzzPieces(f *testing.F) {
	for i, s := range nasty {
		f.Add(s, nasty[(i+1)%len(nasty)])
		f.Add("http:/", s)
		f.Add("1", s)
		f.Add(s, "@b.example")
	}
	j := newJudge()
	f.Fuzz(func(t *testing.T, a, b string) {
		a, b = string([]rune(a)), string([]rune(b)) // a character in two pieces is none
		if got, want := j.shown(t, markdown.Join(a, b).String()), reading(a+b); got != want {
			t.Fatalf("%q, %q: reads %q, want %q", a, b, got, want)
		}
		for name, block := range map[string]*markdown.Builder{
			"Heading":                 new(markdown.Builder).Heading(3, a, b),
			"Paragraph":               new(markdown.Builder).Paragraph(a, b),
			"Blockquote Paragraph":    new(markdown.Builder).Quote(a, b),
			"List ListItem TextBlock": new(markdown.Builder).OrderedList(markdown.Join(a, b)),
		} {
			md := block.String()
			if got := j.kinds(md); got != name && md != "" {
				t.Fatalf("%q, %q as %q: goldmark reads %s, want %s", a, b, md, got, name)
			}
			if strings.Contains(md, "<") {
				t.Fatalf("%q, %q as %q: has a tag", a, b, md)
			}
			want := reading(a + b)
			if name == "Heading" {
				want = strings.ReplaceAll(want, "\n", " ")
			}
			if got := j.shown(t, md); got != want {
				t.Fatalf("%q, %q as %q: reads %q, want %q", a, b, md, got, want)
			}
			if ps := commonmark.Check(md); len(ps) > 0 {
				t.Fatalf("Check(%q) = %v", md, ps)
			}
		}
	})
}

func FuzzInlineStyles(f *testing.F) {
	f.Add(uint64(1), "a")
	f.Add(uint64(2), "**")
	j := newJudge()
	f.Fuzz(func(t *testing.T, seed uint64, s string) {
		checkStyles(t, j, seed, s)
	})
}

func FuzzMentions(f *testing.F) {
	for _, s := range hostile {
		f.Add(s, s)
	}
	f.Add(`<at user_id="1">x</at>`, "a@b")
	f.Fuzz(func(t *testing.T, name, id string) {
		markdown.Mentions(name)
		for _, in := range []markdown.Inline{markdown.MentionUser(id, name), markdown.MentionEmail(id, name), markdown.MentionAll(name)} {
			for _, s := range []string{in.String(), markdown.Plain(in)} {
				ms := markdown.Mentions(s)
				if len(ms) > 1 {
					t.Fatalf("%q, %q as %q: mentions %v", id, name, s, ms)
				}
				if len(ms) == 1 && (ms[0].UserID+ms[0].Email != id && !ms[0].All || ms[0].All != (in == markdown.MentionAll(name))) {
					t.Fatalf("%q, %q as %q: mentions %v", id, name, s, ms)
				}
				if len(ms) == 1 && strings.ReplaceAll(reading(ms[0].Name), "\n", " ") != strings.ReplaceAll(reading(name), "\n", " ") {
					t.Fatalf("%q, %q as %q: name %q", id, name, s, ms[0].Name)
				}
			}
		}
	})
}
