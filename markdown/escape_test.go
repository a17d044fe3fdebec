package markdown_test

import (
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/weboffice-go/weboffice/markdown"
)

func TestEscape(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, s, want string }{
		{"clean", "Disk 93 % full (sda1): a-b, 3 > 2, #7, R & D, 10:30! \"x\"", "Disk 93 % full (sda1): a-b, 3 > 2, #7, R & D, 10:30! \"x\""},
		{"chinese", "磁盘已满，请处理。", "磁盘已满，请处理。"},
		{"family", "👨‍👩‍👧‍👦", "👨‍👩‍👧‍👦"},
		{"at tag", `<at user_id="-1">all</at>`, "&lt;\u2060at user\\_id=\"-1\">all&lt;\u2060/at>"},
		{"escaped at tag", `&lt;at user_id="-1"&gt;`, "&amp;\u2060lt;at user\\_id=\"-1\"&amp;gt;"},
		{"cut at tag", "<\x00a\u202et>", "&lt;\u2060at>"},
		{"font", "<font color='red'>x</font>", "&lt;font color='red'>x&lt;/font>"},
		{"emphasis", "**a** *b* _c_ ~~d~~", `\*\*a\*\* \*b\* \_c\_ \~\~d\~\~`},
		{"code", "`a`", "\\`a\\`"},
		{"link", "[a](https://b.example)", `\[a\]\(https:/\/b.example)`},
		{"image", "![a](https://b.example)", `!\[a\]\(https:/\/b.example)`},
		{"definition", "[a]: https://b.example", `\[a\]: https:/\/b.example`},
		{"addresses", "www.a.example WWW.b a@b.example @c d @ e", `www\.a.example WWW\.b a\@b.example @c d @ e`},
		{"path", "/usr//lib, C:/x", "/usr//lib, C:/x"},
		{"backslash", `C:\a\*`, `C:\\a\\\*`},
		{"entity", "&amp; &#60; &x", "&amp;amp; &amp;#60; &amp;x"},
		{"heading", "# a\n#b", "\\# a  \n\\#b"},
		{"quote", "> a\n>b", "\\> a  \n\\>b"},
		{"items", "- a\n+ b\n* c\n-\n1. d\n2) e\n3.", "\\- a  \n\\+ b  \n\\* c  \n\\-  \n1\\. d  \n2\\) e  \n3\\."},
		{"no items", "-5\n+49 30\n1.5\n2024", "-5  \n+49 30  \n1.5  \n2024"},
		{"rules", "---\n***\n___\n===", "\\---  \n\\*\\*\\*  \n\\_\\_\\_  \n\\==="},
		{"table", "a|b\n-|-", "a\\|b  \n\\-\\|-"},
		{"breaks", "a\nb\r\nc\rd\u2028e\vf\u0085g", "a  \nb  \nc  \nd  \ne  \nf  \ng"},
		{"empty lines", "a\n\n \nb", "a  \n\u00a0  \n\u00a0  \nb"},
		{"breaks at the ends", "\na\n", "  \na  \n"},
		{"spaces at the ends", " a  \n  b ", " a  \n\u00a0\u00a0b "},
		{"indent", "    a\n\tb", "\u00a0\u00a0\u00a0\u00a0a  \n\u00a0\u00a0\u00a0\u00a0b"},
		{"one indented line", "  a", "\u00a0\u00a0a"},
		{"definition of a word", ": a", `\: a`},
		{"item behind space", "\u3000- a\n\u200b# b", "\u3000\\- a  \n\u200b\\# b"},
		{"tab within", "a\tb", "a\tb"},
		{"control characters", "\x00a\x1b[31mb\x7f\u0080", `a\[31mb`},
		{"direction", "\u202egnp\u202c.\u2067exe\u2069\u200f", "gnp.exe\u200f"},
		{"byte order mark", "\ufeff# a", "\\# a"},
		{"not UTF-8", "a\xff\xc3b", "a\ufffd\ufffdb"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := markdown.Escape(tt.s); got != tt.want {
				t.Errorf("Escape(%q) = %q, want %q", tt.s, got, tt.want)
			}
		})
	}
}

func TestEscapeNasty(t *testing.T) {
	t.Parallel()
	j := newJudge()
	for _, s := range nasty {
		t.Run(s, func(t *testing.T) {
			t.Parallel()
			checkInert(t, j, s, markdown.Escape(s))
		})
	}
}

// naive is what a renderer looks for that knows neither backslashes nor CommonMark.
var naive = map[string]*regexp.Regexp{
	"a tag":       regexp.MustCompile(`<`),
	"an entity":   regexp.MustCompile(`&(?:#|[b-km-zA-Z]\w+;)`), // but &lt; and &amp;
	"a block":     regexp.MustCompile(`(?m)^[\s\p{Z}\p{Cf}]*(?:#|>|=|[-*+](?:\s|$)|\d{1,9}[.)](?:\s|$)|\x60\x60\x60|~~~|\|)`),
	"code":        regexp.MustCompile(`(?m)^(?: {4}|\t)`),
	"bold":        regexp.MustCompile(`\*\*|__`),
	"strike":      regexp.MustCompile(`~~`),
	"a link":      regexp.MustCompile(`[^\\]\]\(`),
	"an address":  regexp.MustCompile(`(?i)https?://|ftp://|\bwww\.`),
	"a mail box":  regexp.MustCompile(`(?i)[a-z0-9]@[a-z0-9]`),
	"a line feed": regexp.MustCompile(`(?m)(?:^|[^ ]|[^ ] )\n`),
}

func checkNaive(t *testing.T, s, md string) {
	t.Helper()
	for what, re := range naive {
		if found := re.FindString(md); found != "" && !(what == "an entity" && found == "&amp;") {
			t.Fatalf("%q as %q: %q is %s", s, md, found, what)
		}
	}
}

func TestEscapeForNaiveRenderers(t *testing.T) {
	t.Parallel()
	for _, s := range nasty {
		checkNaive(t, s, markdown.Escape(s))
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 8_000 {
		s := randomText(r)
		checkNaive(t, s, markdown.Escape(s))
	}
}
