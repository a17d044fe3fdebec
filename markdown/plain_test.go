package markdown_test

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/markdown"
)

func TestPlainText(t *testing.T) {
	t.Parallel()
	const wj = "\u2060"
	tests := []struct{ name, s, want string }{
		{"markdown stays", "**a** # b\n- c [d](e) 1. f https://g.example", "**a** # b\n- c [d](e) 1. f https://g.example"},
		{"less than", "1 < 2, x<y && y>z, <b>", "1 < 2, x<y && y>z, <b>"},
		{"at tag", `<at user_id="-1">all</at>`, "<" + wj + `at user_id="-1">all<` + wj + "/at>"},
		{"upper case", "<AT>", "<" + wj + "AT>"},
		{"space", "< \u200b at>", "<" + wj + " \u200b at>"},
		{"control characters", "<\x00at>", "<" + wj + "at>"},
		{"at the end", "a <", "a <" + wj},
		{"entity", "&lt;at &#60;at &LT;at", "&" + wj + "lt;at &" + wj + "#60;at &" + wj + "LT;at"},
		{"other entities", "R&D &amp; x", "R&D &amp; x"},
		{"breaks", "a\r\nb\rc\u2028d", "a\nb\nc\nd"},
		{"turned", "\u202ea\u2066b\ufeff", "ab"},
		{"not UTF-8", "a\xffb", "a\ufffdb"},
		{"emoji", "👨‍👩‍👧 e\u0301", "👨‍👩‍👧 e\u0301"},
		{"tab and indent", "\ta\n    b", "\ta\n    b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := markdown.Plain(tt.s); got != tt.want {
				t.Errorf("Plain(%q) = %q, want %q", tt.s, got, tt.want)
			}
		})
	}
}

func TestPlainParts(t *testing.T) {
	t.Parallel()
	got := markdown.Plain("<", "at ", 7, markdown.Join("<", markdown.Bold("at")), markdown.MentionUser("1", "</at>"), markdown.Raw("<at>\n"))
	want := "<\u2060at 7<\u2060at<at user_id=\"1\"><\u2060/at></at><at>\n"
	if got != want {
		t.Errorf("Plain() = %q, want %q", got, want)
	}
}

// anyTag is an at tag for a reader that does not care for space, slashes or case.
var anyTag = regexp.MustCompile(`(?i)<[\s/]*at`)

func FuzzPlain(f *testing.F) {
	for i, s := range nasty {
		f.Add(s, hostile[i%len(hostile)])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		a, b = string([]rune(a)), string([]rune(b)) // a character in two pieces is none
		got := markdown.Plain(a, markdown.Join(b, markdown.Bold(a)))
		for _, s := range []string{got, html.UnescapeString(got)} {
			if anyTag.MatchString(s) {
				t.Fatalf("Plain(%q, %q) = %q: has a tag", a, b, got)
			}
		}
		if got, want := reading(got), reading(a+b+a); got != want {
			t.Fatalf("Plain(%q, %q) reads %q, want %q", a, b, got, want)
		}
		named := markdown.Plain(markdown.MentionUser("1", a))
		ms := markdown.Mentions(named)
		if len(ms) != 1 || ms[0].UserID != "1" || strings.Count(named, "<at") != 1 {
			t.Fatalf("Mentions(%q) = %v", named, ms)
		}
	})
}
