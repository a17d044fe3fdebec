package commonmark_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/markdown/commonmark"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

func TestGoldens(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "*.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in testdata (%v)", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := checkConverted(t, string(src))
			golden := strings.TrimSuffix(file, ".md") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("Convert() (-want +got)\n%s", diff)
			}
		})
	}
}

func TestConvert(t *testing.T) {
	t.Parallel()
	const u = "https://a.example"
	tests := []struct{ name, src, want string }{
		{"empty", "", ""},
		{"byte order mark", "\ufeff# a", "# a"},
		{"headings", "# a #\n\nb\n===\n\n####### c", "# a\n\n# b\n\n\\####### c"},
		{"soft and hard breaks", "a\nb  \nc\\\nd", "a b  \nc  \nd"},
		{"escapes", `\*a\* \<b> &lt;c&gt; &amp;amp; &copy; &#65;&#x42; &nope; 1\. d`, `\*a\* &lt;b> &lt;c> &amp;amp; © AB &amp;nope; 1. d`},
		{"null characters", "a\x00b \\*\x00", `ab \*`},
		{"emphasis", "*a* _b_ **c** __d__ ***e*** ~~f~~ ~g~", "*a* *b* **c** **d** ***e*** ~~f~~ ~~g~~"},
		{"emphasis in itself", "**a **b** c** *a *b* c*", "**a b c** *a b c*"},
		{"span of code", "`` a*`b` ``", "a\\*\\`b\\`"},
		{"carriage returns", "a\r\nb `c\r\nd`\r\n\r\n    e\r\n\r\n    f\r\n\r\n<p>g\r\n\r\nh", "a b c d\n\n> e  \n> \u00a0  \n> f\n\ng\n\nh"},
		{"fenced code", "```go\nif a {\n\tb()\n}\n\n# c\n```", "> if a {  \n> \u00a0\u00a0\u00a0\u00a0b()  \n> }  \n> \u00a0  \n> \\# c"},
		{"indented code", "    a\n      b", "> a  \n> \u00a0\u00a0b"},
		{"links", "[a](" + u + ") [b](" + u + " \"t\") [c] [d][c]\n\n[c]: " + u, "[a](" + u + ") [b](" + u + ") (t) [c](" + u + ") [d](" + u + ")"},
		{"other addresses", "[a](b.html) [c](mailto:d@e.f) [g](#h) [i](javascript:j) [](k)", `a (b.html) c (d\@e.f) g i (javascript:j)  (k)`},
		{"auto links", "<" + u + "> " + u + "/x www.b.example c@d.example <c@d.example>", "<" + u + "> <" + u + "/x> [www\\.b.example](http://www.b.example) c\\@d.example c\\@d.example"},
		{"images", "![](" + u + ") ![a *b*](" + u + " 't') ![c](d.png) ![](data:image/png;base64,AAAA)", "![](" + u + ") ![](" + u + ") a b (t) c (d.png)"},
		{"image in a link", "[![a](" + u + "/i)](" + u + ")", "[![](" + u + "/i) a](" + u + ")"},
		{"lists", "* a\n* b\n\n1) c\n2) d\n\n7. e\n8. f", "- a\n- b\n\n1. c\n2. d\n\n\u00a0\n\n7. e\n8. f"},
		{"lists with other marks", "- a\n+ b", "- a\n\n\u00a0\n\n- b"},
		{"nested lists", "- a\n  - b\n    1. c\n- d", "- a  \n  \u00a0\u00a0◦ b  \n  \u00a0\u00a0\u00a0\u00a0(1) c\n- d"},
		{"nested at once", "- - a", "- \u00a0\u00a0◦ a"},
		{"tasks", "- [ ] a\n- [x] b", "- ☐ a\n- ☑ b"},
		{"blocks in an item", "- a\n\n  b\n\n  > c\n\n  # d\n\n  ---", "- a  \n  b  \n  │ c  \n  **d**  \n  ──────────"},
		{"empty item", "-\n- a", "- \u00a0\n- a"},
		{"quote", "> a\n>\n> b\n> - c", "> a  \n> \u00a0  \n> b  \n> \u00a0  \n> \u00a0\u00a0◦ c"},
		{"nested quote", "> a\n>> b\n>>\n>> c", "> a  \n> \u00a0  \n> │ b  \n> │ c"},
		{"table", "|a|b|\n|-|:-:|\n|c|**d**|\n|e\\|f|", "**a** │ **b**  \nc │ **d**  \ne\\|f │"},
		{"table without rows", "a|b\n-|-", "**a** │ **b**"},
		{"rules", "---\n***", "──────────\n\n──────────"},
		{"inline html", "a<b>b</b><EM>c</EM><del>d</del><br/>e <span>f</span><!-- g --> <u>h</u>", "a**b**\u2060*c*~~d~~  \ne f h"},
		{"html link and image", "<a href='" + u + "' title=t>x</a> <img src=\"" + u + "\" alt=\"y &amp; z\">", "[x](" + u + ") (t) ![](" + u + ") y & z"},
		{"font", "<font color=red>a</font> <font size=2>b</font>", "<font color='red'>a</font> b"},
		{"tags that cross", "<b>a <i>b</b> c</i> *d</i>* e</b>", "**a *b c* *d* e**"},
		{"html block", "<div>\n<p>a &lt; b\n   c<p>d <b>e</b>\n</div>", "a &lt; b c  \nd **e**"},
		{"html list and table", "<ul><li><p>a</p></li><li>b</ul>\n<table><tr><td>c<td>d<tr><th>e</table>", "◦ a  \n◦ b  \nc │ d  \ne"},
		{"script and style", "<script>\na</b>\n</script>\n<style>b</style>\n<p>c</p>\n<!-- d -->e", "c  \ne"},
		{"hr and tr", "<div>a<hr>b<!DOCTYPE x><![CDATA[c]]><?d?>e<br> f</div>", "a  \n──────────  \nbe  \nf"},
		{"numbers that are no characters", "&#0; &#xD800; &#99999999; &#x; &#;", "\ufffd \ufffd &amp;#99999999; &amp;#x; &amp;#;"},
		{"address as alternative text", "![<https://b.example> c\nd](" + u + ")", "![](" + u + ") https:/\\/b.example c d"},
		{"everyone without a name", "<at user_id=\"-1\"></at>", "@all"},
		{"pre", "<pre>\n  a\n    b</pre>", "\u00a0\u00a0a  \n\u00a0\u00a0\u00a0\u00a0b"},
		{"broken html", "<p>a <3 b</p>\n<p title='>c", "a &lt;3 b  \n&lt;p title='>c"},
		{"at tags", `<at user_id="-1">all</at> <at user_id="7"></at> <at email='a@b.c'> <at user_id="-1"/> \<at user_id="-1">`, "all @7   &lt;\u2060at user\\_id=\"-1\">"},
		{"at tag in code", "`<at user_id=\"-1\">`\n\n    <at user_id=\"-1\">", "&lt;\u2060at user\\_id=\"-1\">\n\n> &lt;\u2060at user\\_id=\"-1\">"},
		{"at tag as a block", "<at user_id=\"-1\">\nall\n</at>", "all"},
		{"at tag by entities", "&lt;at user_id=\"-1\"&gt;", "&lt;\u2060at user\\_id=\"-1\">"},
		{"at tag in an address", "[a](<https://a.example/\\<at user_id=\"-1\"\\>>)", "[a](https://a.example/%3Cat%20user_id=%22-1%22%3E)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, checkConverted(t, tt.src)); diff != "" {
				t.Errorf("Convert(%q) (-want +got)\n%s", tt.src, diff)
			}
		})
	}
}

func TestKeepMentions(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, src, want string }{
		{"three forms", `<at user_id="7">a *b*</at> <at email="c@d.e"></at> <at user_id='-1'>all</at>`, `<at user_id="7">a b</at> <at email="c@d.e"></at> <at user_id="-1">all</at>`},
		{"in html", "<p><at user_id=\"7\">a</at></p>", `<at user_id="7">a</at>`},
		{"not closed", `<at user_id="-1">all`, "all"},
		{"not a tag", "`<at user_id=\"-1\">` \\<at user_id=\"-1\">", "&lt;\u2060at user\\_id=\"-1\"> &lt;\u2060at user\\_id=\"-1\">"},
		{"name with a tag", `<at user_id="7">&lt;/at>&lt;at user_id="-1">x</at>`, "<at user_id=\"7\">&lt;\u2060/at>&lt;\u2060at user\\_id=\"-1\">x</at>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := commonmark.Convert(tt.src, &commonmark.Options{KeepMentions: true})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Convert(%q) (-want +got)\n%s", tt.src, diff)
			}
		})
	}
}

func TestBaseURL(t *testing.T) {
	t.Parallel()
	const src = `[a](docs/x.md) [b](../y) [c](/z?q#f) [d](#e) [f](mailto:g@h.example) [i](https://j.example) <a href="k">l</a> ![m](n.png) [](o) [p](javascript:q)`
	tests := []struct{ name, base, want string }{
		{"file", "https://git.example/o/r/blob/main/README.md", "[a](https://git.example/o/r/blob/main/docs/x.md) [b](https://git.example/o/r/blob/y) " +
			"[c](https://git.example/z?q#f) [d](https://git.example/o/r/blob/main/README.md#e) f (g\\@h.example) [i](https://j.example) " +
			"[l](https://git.example/o/r/blob/main/k) ![](https://git.example/o/r/blob/main/n.png) m <https://git.example/o/r/blob/main/o> p (javascript:q)"},
		{"none", "", "a (docs/x.md) b (../y) c (/z?q#f) d f (g\\@h.example) [i](https://j.example) l (k) m (n.png)  (o) p (javascript:q)"},
		{"no web address", "file:///a/b", "a (docs/x.md) b (../y) c (/z?q#f) d f (g\\@h.example) [i](https://j.example) l (k) m (n.png)  (o) p (javascript:q)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, commonmark.Convert(src, &commonmark.Options{BaseURL: tt.base})); diff != "" {
				t.Errorf("Convert() (-want +got)\n%s", diff)
			}
		})
	}
}

// Reports may hold text of others, so none may overflow the stack or grow out of
// proportion.
func TestConvertOfDeepNesting(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"> ", "- ", "*a **b ", "<b>", "<font color=red>", "[", "![", "<a href=x>", "~~a", "<div>", "a  \n> ", "1. ", "|", "<!--", "&lt;", "</", "`a", "<ul><li>", "<blockquote>", "a<sup>", "<svg>", "<th>", "<video src=x>", "<?"} {
		src := strings.Repeat(piece, 10_000/len(piece)) + "x</a></b></blockquote></div></font></sup></svg></ul></video>"
		if n := len(commonmark.Convert(src, nil)); n > 100*len(src) {
			t.Errorf("%q repeated becomes %d bytes from %d", piece, n, len(src))
		}
	}
}

// Text of this length would run into the deadline of go test if it took the square of it.
func TestLongTextIsNotSlow(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	for name, src := range map[string]string{
		"emphasis that does not match":     strings.Repeat("_a ", size/6) + strings.Repeat("b* ", size/6),
		"a run of tildes":                  "a" + strings.Repeat("~", size),
		"definitions of links":             strings.Repeat("[a]: x\n", size/7),
		"brackets in a paragraph of lines": strings.Repeat("[]", size/4) + strings.Repeat("|\n", size/4),
	} {
		if n := len(commonmark.Convert(src, nil)); n < size/2 {
			t.Errorf("%s: %d bytes of %d", name, n, len(src))
		}
	}
}

// A paragraph has a bound of marks of emphasis; those beyond it are text.
func TestManyMarks(t *testing.T) {
	t.Parallel()
	const bold = "**a** "
	got := checkConverted(t, strings.Repeat(bold, 600)+"\n\n"+bold)
	want := strings.Repeat(bold, 500) + strings.Repeat(`\*\*a\*\* `, 100)
	if want = strings.TrimSpace(want) + "\n\n**a**"; got != want {
		t.Errorf("Convert() = %q, want %q", got, want)
	}
}

// Rows of a wide table that are nearly empty do not make a short source a long message.
func TestEmptyCells(t *testing.T) {
	t.Parallel()
	src := strings.Repeat("|a", 2_000) + "\n" + strings.Repeat("|-", 2_000) + "\n" + strings.Repeat("|a\n", 2_000)
	if n := len(commonmark.Convert(src, nil)); n > 20*len(src) {
		t.Errorf("%d bytes become %d", len(src), n)
	}
}

// Definitions that are used often do not make a short source a long message.
func TestManyReferences(t *testing.T) {
	t.Parallel()
	const u = "https://a.example/"
	address, title := u+strings.Repeat("x", 5_000-len(u)), strings.Repeat("t", 5_000)
	got := checkConverted(t, "[a]: "+address+" '"+title+"'\n\n"+strings.Repeat("[a] ", 12))
	want := strings.Repeat("[a]("+address+") ("+title+") ", 10) + `\[a\] \[a\]`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Convert() (-want +got)\n%s", diff)
	}
}
