package split_test

import (
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/markdown"
	"github.com/weboffice-go/weboffice/markdown/commonmark"
	"github.com/weboffice-go/weboffice/webhook/internal/split"
)

// A mention in plain text is whole, whatever its name holds.
func TestPlainMentionsAreWhole(t *testing.T) {
	t.Parallel()
	const name = "Bob Miller <bob@corp.example>"
	src := markdown.Plain("Thanks to ", markdown.MentionUser("7", name), " for the fix of the build.")
	for limit := 55; limit < 90; limit++ {
		pieces, err := split.Plain(src).Pieces(room(limit))
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, piece := range pieces {
			for _, m := range markdown.Mentions(piece) {
				if found++; m.Name != name {
					t.Errorf("limit %d: %q", limit, pieces)
				}
			}
		}
		if found != 1 {
			t.Errorf("limit %d: %d mentions", limit, found)
		}
	}
}

// Emphasis that goes on over an empty line of a quote ends with the text before that line.
func TestEmphasisInQuotes(t *testing.T) {
	t.Parallel()
	const text = "first paragraph of what was said\n\n\nsecond paragraph of what was said"
	for _, in := range []markdown.Inline{markdown.Bold(text), markdown.Bold(markdown.Italic(text)), markdown.Strike(text)} {
		src := new(markdown.Builder).Quote(in).String()
		for limit := 45; limit < 80; limit++ {
			pieces, err := split.Markdown(src).Pieces(room(limit))
			if err != nil {
				t.Fatal(err)
			}
			check(t, src, limit, pieces)
			for _, piece := range pieces {
				if ps := commonmark.Check(piece); ps != nil || strings.HasSuffix(piece, ">**") || strings.HasSuffix(piece, ">~~") {
					t.Errorf("limit %d: %q: %v", limit, piece, ps)
				}
			}
		}
	}
}

// A number sign that is a word of a heading is not taken for the end mark of a piece.
func TestNumberSignsInHeadings(t *testing.T) {
	t.Parallel()
	src := new(markdown.Builder).Heading(3, "The release that closes the issue with the number # 4711 at last, and ## 12").String()
	for limit := 12; limit < 80; limit++ {
		pieces, err := split.Markdown(src).Pieces(room(limit))
		if err != nil {
			t.Fatal(err)
		}
		for _, piece := range pieces {
			if strings.HasSuffix(piece, " #") || strings.HasSuffix(piece, " ##") {
				t.Errorf("limit %d: %q ends with what closes a heading", limit, piece)
			}
		}
	}
}

// Text of this length would run into the deadline of go test if it took the square of it.
func TestLongTextIsNotSlow(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	for name, src := range map[string]string{
		"escaped backticks":    strings.Repeat("\\```\n", size/5),
		"fence of empty lines": "```\n" + strings.Repeat("  \n", size/3) + "x\n```",
		"one quoted line":      "> " + strings.Repeat("word ", size/5),
		"open links":           strings.Repeat("[a](", size/4) + "\nb",
		"nested emphasis":      strings.Repeat("*a **a ", size/14) + strings.Repeat(" a** a*", size/14),
	} {
		if _, err := split.Markdown(src).Pieces(room(500)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A link that is longer than a piece can become text, in which nothing comes alive.
func TestUnlink(t *testing.T) {
	t.Parallel()
	long := "https://a.example/" + strings.Repeat("x_y/", 20)
	src := "see [the **log**](" + long + "), <" + long + ">, ![](" + long + "), [![](" + long + ")](" + long + ") and [this](https://b.example)"
	d := split.Markdown(src)
	for range 2 { // an image in a link
		var found bool
		if d, found = d.Unlink(60); !found {
			t.Fatal("Unlink found no link")
		}
	}
	if _, found := d.Unlink(60); found {
		t.Error("Unlink left a long link")
	}
	pieces, err := d.Pieces(room(60))
	if err != nil {
		t.Fatal(err)
	}
	check(t, "see the **log** and [this](https://b.example)", 60, pieces)
	got := strings.ReplaceAll(strings.ReplaceAll(strings.Join(pieces, ""), "\\", ""), "\u2060", "")
	if n := strings.Count(got, long); n != 5 {
		t.Errorf("%d of 5 addresses are left in %q", n, pieces)
	}
	for _, piece := range pieces {
		if ps := commonmark.Check(piece); ps != nil {
			t.Errorf("%q: %v", piece, ps)
		}
	}
}

// A color that goes on over an empty line of a quote opens again at that line.
func TestColorsInQuotes(t *testing.T) {
	t.Parallel()
	for _, empty := range []string{">", "> ", ">   "} {
		src := "> <font color='red'>first paragraph of it\n" + empty + "\n> second paragraph of it</font>"
		for limit := 40; limit < 90; limit++ {
			pieces, err := split.Markdown(src).Pieces(room(limit))
			if err != nil {
				t.Fatal(err)
			}
			check(t, src, limit, pieces)
		}
	}
}
