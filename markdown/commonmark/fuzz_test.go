package commonmark_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/markdown/commonmark"
)

func FuzzConvert(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.md"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds in testdata (%v)", err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(src))
	}
	for _, s := range []string{
		"- a\n  - b\n\n    c", "> - a\n> b", "1. a\n\n   ---", "[a]: b\n\n[a]", "<b>*a</b>*", "a|b\n-|-\n\\|c", "<p>a<br>b", "~~*a*~~b**c**d",
		"<at user_id=\"-1\">x</at>", "&lt;at", "a\\\n*b*", "#\n\n-\n\n>", "<!-- a\n\n-->b", "```\n<at>\n", "\tcode", "- [ ] a", "![*a*](b \"c\")",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if !utf8.ValidString(src) || len(src) > 10_000 {
			t.Skip("goldmark leaves such bytes as they are")
		}
		checkConverted(t, src)
	})
}

func FuzzCheck(f *testing.F) {
	for _, s := range []string{"a\nb", "<at user_id=\"1\">", "[^1]: a", "- a\n  - b", "> a\n> > b", "a|b\n-|-", "__a__", "~a~", "a\n===", "\t<b>\n", "<!-- a\n-->"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		lines := 1 + strings.Count(s, "\n")
		last := 1
		for _, p := range commonmark.Check(s) {
			if p.Line < last || p.Line > lines || p.Element == "" || p.Detail == "" {
				t.Fatalf("Check(%q): %+v", s, p)
			}
			last = p.Line
		}
	})
}
