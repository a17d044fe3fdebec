package split_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/webhook/internal/split"
)

func room(n int) func(int) int { return func(int) int { return n } }

func TestPlain(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, src string
		room      int
		want      []string
	}{
		{"words", "hello world this is a test of words", 12, []string{"hello world", "this is a", "test of", "words"}},
		{"paragraph before line", "one\ntwo\n\nthree\nfour", 14, []string{"one\ntwo", "three\nfour"}},
		{"line before sentence", "aaa bbb\nccc. ddd eee", 14, []string{"aaa bbb", "ccc. ddd eee"}},
		{"sentence before word", "aaa bbb. ccc ddd eee", 14, []string{"aaa bbb.", "ccc ddd eee"}},
		{"an early paragraph is not worth a piece", "a\n\nbbb ccc ddd eee fff", 16, []string{"a\n\nbbb ccc ddd", "eee fff"}},
		{
			"Chinese sentences and clauses", "今天天气很好。我们去公园玩吧，好不好？好的，走吧。", 10,
			[]string{"今天天气很好。", "我们去公园玩吧，", "好不好？好的，走吧。"},
		},
		{"Chinese punctuation does not begin a piece", "一二三四五，六七八九十", 5, []string{"一二三四", "五，六七八", "九十"}},
		{"one long word", strings.Repeat("x", 25), 10, []string{"xxxxxxxxxx", "xxxxxxxxxx", "xxxxx"}},
		{"a long word fills the piece", "Hi " + strings.Repeat("x", 17), 10, []string{"Hi xxxxxxx", "xxxxxxxxxx"}},
		{"a word that fits is moved", "Hi there " + strings.Repeat("x", 12), 16, []string{"Hi there", strings.Repeat("x", 12)}},
		{"indentation of a line stays", "if a {\n    return b\n}", 15, []string{"if a {", "    return b\n}"}},
		{"an at tag is whole", `ab <at user_id="1">n</at> cd`, 24, []string{"ab", `<at user_id="1">n</at>`, "cd"}},
		{"white space at the end", "aaa bbb   ", 8, []string{"aaa bbb"}},
		{"no-break space", "aa\u00a0bb cc\u00a0dd", 7, []string{"aa\u00a0bb", "cc\u00a0dd"}},
		{"asterisks are text", "**aaa bbb ccc**", 8, []string{"**aaa", "bbb", "ccc**"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := split.Plain(tt.src).Pieces(room(tt.room))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Pieces (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, src string
		room      int
		want      []string
	}{
		{
			"a link is whole", "some text on [a link](http://x.y/zzz) more", 26,
			[]string{"some text on", "[a link](http://x.y/zzz)", "more"},
		},
		{"a link after a bracket", "a( [b see [a link](http://x.y/zzz) more", 24, []string{"a( [b see", "[a link](http://x.y/zzz)", "more"}},
		{"a link after an open one", "[b](c [a link](http://x.y/zzz) more", 24, []string{"[b](c", "[a link](http://x.y/zzz)", "more"}},
		{"a link with brackets", `see [a [b] \] c](http://x.y/(z)) d`, 30, []string{"see", `[a [b] \] c](http://x.y/(z)) d`}},
		{"an image is whole", "some text ![](http://x.y/zzz.png) more", 25, []string{"some text", "![](http://x.y/zzz.png)", "more"}},
		{"an address is whole", "see also <http://x.y/zzz> here", 18, []string{"see also", "<http://x.y/zzz>", "here"}},
		{"an escape is whole", `aaaa\*\*\*\*`, 7, []string{`aaaa\*`, `\*\*\*`}},
		{"bold that fits stays whole", "some text **bold words** x", 16, []string{"some text", "**bold words** x"}},
		{"bold that does not is opened again", "**one two three four**", 12, []string{"**one two**", "**three**", "**four**"}},
		{"bold and italic", "**one *two three* four**", 12, []string{"**one**", "***two***", "***three***", "**four**"}},
		{"a fence ends with its quote", "> ```\n> aa\nbb cc dd", 14, []string{"> ```\n> aa", "bb cc dd"}},
		{"a heading ends with its line", "> # aa\nbb cc dd ee", 10, []string{"> # aa", "bb cc dd", "ee"}},
		{"a quote ends after an empty line", "> aa\n>\nbb cc dd ee", 10, []string{"> aa\n>", "bb cc dd", "ee"}},
		{"a paragraph goes on without the marker", "> aa aa\nbb cc dd", 10, []string{"> aa aa", "> bb cc dd"}},
		{"an item goes on without the marker", "> - aa\nbb cc dd", 10, []string{"> - aa", "> bb cc dd"}},
		{"a fence ends with its item", "- ```x\n  aa\nbb cc dd", 14, []string{"- ```x\n  aa", "bb cc dd"}},
		{"both that fit stay whole", "d***a***", 7, []string{"d", "***a***"}},
		{"an address does not go on in the next line", "[1](aaa bbb\nccc ddd)", 14, []string{"[1](aaa bbb", "ccc ddd)"}},
		{"strikethrough", "~~one two three~~", 11, []string{"~~one two~~", "~~three~~"}},
		{
			"colour", "<font color='red'>one two three</font>", 32,
			[]string{"<font color='red'>one two</font>", "<font color='red'>three</font>"},
		},
		{
			"colour over paragraphs", "<font color='red'>one\n\ntwo</font> three", 32,
			[]string{"<font color='red'>one</font>", "<font color='red'>two</font>", "three"},
		},
		{"code", "`one two three`", 10, []string{"`one two`", "`three`"}},
		{"fence that fits stays whole", "text before\n\n```\na\nb\n```", 20, []string{"text before", "```\na\nb\n```"}},
		{
			"fence that does not is opened again", "```go\nfunc a() {\n  b()\n}\n```\nafter", 24,
			[]string{"```go\nfunc a() {\n```", "```go\n  b()\n}\n```\nafter"},
		},
		{
			"fence in a list", "1. item\n    ```\n    aaaa\n    bbbb\n    ```\n", 14,
			[]string{"1. item", "```\naaaa\n```", "```\nbbbb\n```"},
		},
		{
			"fence in an item goes on behind the cut", "- a\n  ```\n  b\n  ```\n- c\n  ```\n  dddd\n  eeee\n  ```", 24,
			[]string{"- a\n  ```\n  b\n  ```\n- c", "```\ndddd\neeee\n```"},
		},
		{"a list within a list of a quote is no code", "> - aaaa\n>     - bbbb", 12, []string{"> - aaaa", "> - bbbb"}},
		{"the rest of an item of a quote does not swallow the next", "> 1. aaa bbb ccccc\n> 2. dd", 17, []string{"> 1. aaa bbb", "> ccccc\n>\n> 2. dd"}},
		{"nor where there is no room for both", "> 1. aaa bbb ccccc\n> 2. dd", 16, []string{"> 1. aaa bbb", "> ccccc", "> 2. dd"}},
		{"nor do its lines", "> 1. aaaaaaaaaaaa\n>    bbb\n> 2. dd", 25, []string{"> 1. aaaaaaaaaaaa", ">    bbb\n>\n> 2. dd"}},
		{"lists within lists", "- aaaa\n  - bbbb\n    - cccc\n  - dddd\n- eeee", 17, []string{"- aaaa\n  - bbbb", "- cccc\n- dddd", "- eeee"}},
		{"blanks that a line loses do not count", "- aaaaaaa bbb\n  \n  cc d", 10, []string{"- aaaaaaa", "bbb\n\n\ncc d"}},
		{"a paragraph of an item", "1. aaaa\n\n    bbbb\n2. cc\n\n    dddd", 15, []string{"1. aaaa", "bbbb\n\n2. cc", "dddd"}},
		{
			"fence in a quote", "> ```\n> aaaa\n> bbbb\n> ```\n> c", 23,
			[]string{"> ```\n> aaaa\n> ```", "> ```\n> bbbb\n> ```\n> c"},
		},
		{"a long line of code", "```\naaaa bbbb cccc\n```", 18, []string{"```\naaaa bbbb \n```", "```\ncccc\n```"}},
		{"a long line of code in a quote", "> ```\n> aaaa bbbb cccc\n> ```", 26, []string{"> ```\n> aaaa bbbb \n> ```", "> ```\n> cccc\n> ```"}},
		{"a fence within a colour", "<font color='red'>\n\n```\naaaa\nbbbb\n```\n\nc</font>", 44, []string{
			"<font color='red'>\n\n```\naaaa\n```\n\n</font>", "<font color='red'>\n\n```\nbbbb\n```\n\nc</font>",
		}},
		{"a fence ends within a colour", "<font color='red'>a\n\n```\nbb\n```\n\nc ddddd</font>", 46, []string{
			"<font color='red'>a\n\n```\nbb\n```\n\n</font>", "<font color='red'>c ddddd</font>",
		}},
		{"blocks begin within a colour", "<font color='red'>aaaa\n\n# bb\n\n- cc</font>", 31, []string{
			"<font color='red'>aaaa</font>", "<font color='red'>\n\n# bb</font>", "<font color='red'>\n\n- cc</font>",
		}},
		{"fence without an end", "```\naaaa\nbbbb\ncccc", 13, []string{"```\naaaa\n```", "```\nbbbb\ncccc"}},
		{"markup in a fence is code", "```\n**a\nb** c\n```", 13, []string{"```\n**a\n```", "```\nb** c\n```"}},
		{"list items stay whole", "- one two\n- three four\n- five", 21, []string{"- one two", "- three four\n- five"}},
		{"a long item", "- one two three four", 11, []string{"- one two", "three four"}},
		{"the rest of an item does not swallow the next", "1. aaa bbb ccc\n2. ddd", 12, []string{"1. aaa bbb", "ccc\n\n2. ddd"}},
		{"nor behind blanks", "1. aaa bbb ccc  \n2. ddd", 13, []string{"1. aaa bbb", "ccc  \n\n2. ddd"}},
		{"code does not become a list", "`aaaaaa - bbbb`", 9, []string{"`aaaaaa`", "`- bbbb`"}},
		{"a quote within a quote goes on", "> > one two three\n> > four", 14, []string{"> > one two", "> > three", "> > four"}},
		{"a quote without its markers goes on", "> one two\nthree four", 12, []string{"> one two", "> three four"}},
		{"a quote goes on", "> one two\n> three four\n> five", 16, []string{"> one two", "> three four", "> five"}},
		{"a line of a quote goes on", "> one two three", 11, []string{"> one two", "> three"}},
		{"bold in a quote goes on", "> **one\n> two\n> three**", 11, []string{"> **one**", "> **two**", "> **three**"}},
		{"a heading goes on", "## one two three", 11, []string{"## one two", "## three"}},
		{"a heading stays with its text", "# one two three\n\nfour five", 22, []string{"# one two three\n\nfour", "five"}},
		{"a hyphen does not become a list", "a - b - c - d", 5, []string{"a -", "b -", "c - d"}},
		{"a number does not become a list", "aaa 1. bbb", 6, []string{"aaa 1.", "bbb"}},
		{"angles do not become a quote", "a" + strings.Repeat(">", 8), 6, []string{"a>>>>>", `\>>>`}},
		{"an escaped tilde does not join what closes", `~~aaaaaa\~ bbbbb~~`, 13, []string{"~~aaaaaa\\~\u2060~~", "~~bbbbb~~"}},
		{"a word is better than a joiner", `~~aaaaa \~ bbbbb~~`, 13, []string{"~~aaaaa~~", `~~\~ bbbbb~~`}},
		{"nor does a tilde alone", `~~aaaaaa~ bbbbb~~`, 12, []string{"~~aaaaaa~\u2060~~", "~~bbbbb~~"}},
		{"an angle in a quote is no marker", `> <at user_id="1">aaaa</at> > <at user_id="2">bbbb</at>`, 27, []string{
			`> <at user_id="1">aaaa</at>`, `> \>`, `> <at user_id="2">bbbb</at>`,
		}},
		{"emphasis does not end at a no-break space", "**aaaaaa bbb \u00a0 cccc**", 16, []string{"**aaaaaa bbb**", "**cccc**"}},
		{"nor begin at one", "**aaaa\u00a0bbbb**", 8, []string{"**aaaa**", "**bbbb**"}},
		{"and is not around one alone", "**aaaaa \u00a0\u00a0\u00a0\u00a0 bbbbb**", 9, []string{"**aaaaa**", "**bbbbb**"}},
		{"a no-break space that indents stays", "aaaa  \n\u00a0\u00a0bbbb", 8, []string{"aaaa", "\u00a0\u00a0bbbb"}},
		{"no fence around nothing", "```\naaaa\nbbbb\n\n\n\n```\nafter", 13, []string{"```\naaaa\n```", "```\nbbbb\n\n```", "after"}},
		{"a longer last line stays", "```\naaaa\n\n\n\n\n\n````", 13, []string{"```\naaaa\n\n```", "```\n\n\n\n\n````"}},
		{"nor at a star that is text", "**aaaaaa bbb * cccccc**", 17, []string{"**aaaaaa bbb**", `**\* cccccc**`}},
		{"a label does not become a definition", `<at user_id="1">aaaa</at> [b]: http://x.y/ cccc`, 27, []string{`<at user_id="1">aaaa</at>`, `\[b]: http://x.y/ cccc`}},
		{"an address does not become a link", "aaaa (bbb www.c.d eee", 12, []string{"aaaa", "(bbb www.c.d", "eee"}},
		{"a link is no definition", "aaaaaaaa [b](http://x.y) ccccccccc", 18, []string{"aaaaaaaa", `[b](http://x.y)`, "ccccccccc"}},
		{"a tag does not become a block", "aaaaaa bbbbbb <div>x</div>", 19, []string{"aaaaaa", "bbbbbb <div>x</div>"}},
		{"a number behind a tag does not become a list", `<at user_id="1">aaaa</at> 1. x <at user_id="2">bbbb</at>`, 27, []string{
			`<at user_id="1">aaaa</at>`, `1\. x`, `<at user_id="2">bbbb</at>`,
		}},
		{"nor one with a bracket", `<at user_id="1">aaaa</at> 12) x <at user_id="2">bbbb</at>`, 27, []string{
			`<at user_id="1">aaaa</at>`, `12\) x`, `<at user_id="2">bbbb</at>`,
		}},
		{"nor one in a quote", `> <at user_id="1">aaaa</at> 1. <at user_id="2">bbbb</at>`, 27, []string{
			`> <at user_id="1">aaaa</at>`, `> 1\.`, `> <at user_id="2">bbbb</at>`,
		}},
		{"a number stays with its point", "**aaaaaaaaaaaaaaaa** 1. **bbbbbbbbbbbb**", 22, []string{"**aaaaaaaaaaaaaaaa**", `1\. **bbbbbbbbbbbb**`}},
		{"a hyphen is escaped before a word is cut", "**aaaaaaaaaaaaaaaa** - **bbbbbbbbbbbb**", 21, []string{"**aaaaaaaaaaaaaaaa**", `\- **bbbbbbbbbbbb**`}},
		{"a word is better than an escape", "aaaa bbb 1. cccccc", 11, []string{"aaaa bbb 1.", "cccccc"}},
		{"table row", "| aaa | bbb | ccc | ddd | eee |", 13, []string{"| aaa | bbb |", "ccc | ddd |", "eee |"}},
		{"one tilde is text", "~aaa bbb ccc~", 8, []string{"~aaa bbb", "ccc~"}},
		{"bold within italics within a word", "*foo**ba ra ga na**baz*", 12, []string{"*foo**ba***", "***ra ga***", "***na**baz*"}},
		{"two stars within one are text", "*foo**bar baz qux*", 12, []string{"*foo**bar*", "*baz qux*"}},
		{"a word joiner joins", "aaaa\u2060bbbb", 5, []string{"aaa", "a\u2060bbb", "b"}},
		{"no colour without text", "word <font color='red'> one two</font>", 31, []string{"word", "<font color='red'> one</font>", "<font color='red'>two</font>"}},
		{"emphasis between words is text", "2 * 3 * 4 * 5", 7, []string{"2 * 3 *", "4 * 5"}},
		{"an empty line is no blank piece", "aaa\n\n\n\n\n\n\n\nbbb", 4, []string{"aaa", "bbb"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := split.Markdown(tt.src).Pieces(room(tt.room))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Pieces (-want +got):\n%s", diff)
			}
			for _, piece := range got {
				if n := utf8.RuneCountInString(piece); n > tt.room {
					t.Errorf("%q has %d characters, want at most %d", piece, n, tt.room)
				}
			}
		})
	}
}

// White space before a text is dropped where it would fill pieces, and within a text
// where a line is indented by more than a piece.
func TestBlankBeginning(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ src, want string }{
		"feeds":                   {strings.Repeat("\n", 60) + "x", "x"},
		"spaces":                  {strings.Repeat(" ", 60) + "x", "x"},
		"no-break spaces":         {strings.Repeat("\u00a0", 60) + "x", "x"},
		"feeds that would fit":    {strings.Repeat("\n", 14) + "aaaa bbbb", "aaaa bbbb"},
		"within":                  {"aaaa\n" + strings.Repeat(" ", 60) + "x", "aaaa|x"},
		"at the end":              {"aaaa\n" + strings.Repeat(" ", 60), "aaaa"},
		"nothing but white space": {strings.Repeat(" \n", 60), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, d := range []*split.Doc{split.Plain(tt.src), split.Markdown(tt.src)} {
				pieces, err := d.Pieces(room(16))
				if got := strings.Join(pieces, "|"); err != nil || got != tt.want {
					t.Errorf("Pieces = %q, %v, want %q", got, err, tt.want)
				}
			}
		})
	}
	got, err := split.Plain("\n\n  aaaa bbbb\n  cccc").Pieces(room(12))
	if err != nil || strings.Join(got, "|") != "  aaaa bbbb|  cccc" {
		t.Errorf("Pieces = %q, %v, want the lines with their indentation", got, err)
	}
}

// A part that cannot be cut is named, with its line, and not repeated.
func TestTooLong(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, src string
		room      int
		want      split.Error
	}{
		{"link", "one\ntwo [SECRET](http://SECRET/SECRET)", 12, split.Error{What: "a link", Line: 2, Chars: 30, Room: 12}},
		{"address with an escape", `[b](http://x.y/\)z)`, 18, split.Error{What: "a link", Line: 1, Chars: 19, Room: 18}},
		{"image", "![](http://SECRET/SECRET)", 12, split.Error{What: "an image", Line: 1, Chars: 25, Room: 12}},
		{"at tag", "a\n\n<at user_id=\"SECRET\">SECRET</at>", 12, split.Error{What: "an at tag", Line: 3, Chars: 32, Room: 12}},
		{"character", "a\n\nb" + strings.Repeat("\u0301", 50), 20, split.Error{What: "a character of several parts", Line: 3, Chars: 51, Room: 20}},
		{"colour", "<font color='SECRET'>one two</font>", 28, split.Error{What: "markup that stays open", Line: 1, Room: 28}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := split.Markdown(tt.src).Pieces(room(tt.room))
			var got *split.Error
			if !errors.As(err, &got) {
				t.Fatalf("Pieces = %v, want a *split.Error", err)
			}
			if diff := cmp.Diff(tt.want, *got); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if strings.Contains(err.Error(), "SECRET") {
				t.Errorf("error %q repeats the text", err)
			}
		})
	}
}
