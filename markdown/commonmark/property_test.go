package commonmark_test

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// parts are what sources are made of, and what would break one that is not careful.
var parts = []string{
	"a", "word ", "b c", "词", " ", "\n", "\n\n", "  \n", "- ", "1. ", "> ", "# ", "    ", "  ", "*", "**", "_", "~~", "`", "```\n", "|", "|-|-|\n", "---\n", "\\", "&lt;", "&", ";",
	"[x](http://h)", "![y](http://h/i)", "<http://h/j>", "[", "](", ")", "List<string>", "<T>", "</T>", "Map<K, V>", "<u>", "</u>", "<b>", "</b>", "<i>", "</i>", "<p>", "</p>",
	"<div>\n", "</div>\n", "<ul>", "<ol start=3>", "<li>", "</ul>", "</ol>", "<table>", "<tr>", "<th>", "<td>", "</table>", "<h2>", "</h2>", "<pre>", "</pre>", "<br>", "<hr>",
	"<blockquote>", "</blockquote>", "<sup>", "2", "</sup>", "<q>", "</q>", "<img src=http://h/k alt=z>", "<a href=http://h>", "</a>", "<input type=checkbox>", "<abbr title=m>", "</abbr>",
	"<source>", "<rp>", "</rp>", "<rt>", "</rt>", "<!-- n -->", "<at user_id=\"-1\">", "</at>", "<font color='red'>", "</font>", "<x-y z=\"o\">", "<video src=q>", "- [x] ", "[^1]",
}

// Nothing is lost, alive or outside the subset, whatever stands beside what.
func TestConvertOfAnything(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 7))
		var b strings.Builder
		for range 1 + r.IntN(25) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		checkConverted(t, b.String())
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}
