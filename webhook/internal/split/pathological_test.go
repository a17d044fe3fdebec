package split_test

import (
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/webhook/internal/split"
)

// No text costs more than a small multiple of its length. No clock is looked at: what
// grows with the square of the length runs into the deadline of go test.
func TestNothingIsSlow(t *testing.T) {
	t.Parallel()
	const size = 50_000
	for name, part := range map[string]string{
		"letters": "x", "spaces": " ", "feeds": "\n", "brackets": "[", "both brackets": "[]", "open links": "[a](", "images": "![",
		"at tags": "<at>", "open tags": "<at ", "fonts": "<font color=red>", "open angles": "<a", "ampersands": "&a", "backslashes": `\`,
		"backticks": "`", "uneven backticks": "`a``b", "stars": "*", "open stars": "*a ", "closing stars": "a* ", "both stars": "*a*", "strong": "**a ",
		"mixed": "*_~~a ", "underscores": "_a", "tildes": "~~a", "quotes": "> ", "quote lines": "> a\n", "items": "- a\n", "headings": "# a\n",
		"fences": "```\n", "marks": "\u0301", "flags": "🇨🇳", "joiners": "\u2060", "invalid": "\xff", "nested": "**a *b ",
		"nested items": "- ", "items of paragraphs": "1. a\n\n   b\n", "quoted items": "> 1. a\n", "fences in items": "- ```\n  a\n", "deep lines": "\t\ta\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := strings.Repeat(part, size/len(part))
			for _, d := range []*split.Doc{split.Markdown(src), split.Plain(src)} {
				if pieces, err := d.Pieces(room(5000)); err == nil {
					check(t, src, 5000, pieces)
				}
			}
		})
	}
}

// More markup than a piece has room for is not opened again beyond a depth.
func TestDeepMarkup(t *testing.T) {
	t.Parallel()
	src := strings.Repeat("<font color='red'>", 300) + strings.Repeat("word ", 2000) + strings.Repeat("</font>", 300)
	pieces, err := split.Markdown(src).Pieces(room(5000))
	if err != nil {
		t.Fatal(err)
	}
	check(t, src, 5000, pieces)
}
