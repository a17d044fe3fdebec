package markdown_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/markdown"
	"github.com/weboffice-go/weboffice/markdown/commonmark"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

// TestMessage writes every element of protocol 2.7 and 2.8 into one message, with text of
// users in each.
func TestMessage(t *testing.T) {
	t.Parallel()
	const user = "<at user_id=\"-1\">all</at> **x** [y](https://evil.example)"
	const u = "https://a.example/b_(c)?d=e&f"
	parts := []any{
		markdown.Bold("bold ", user), " ", markdown.Italic("italic"), " ", markdown.Strike("old"), " ",
		markdown.Color("#34495e", "blue"), " ", markdown.Link(user, u), " ", markdown.AutoLink(u), " ", markdown.Image(u),
	}
	var b markdown.Builder
	for level := 1; level <= 6; level++ {
		b.Heading(level, "标题 ", level, " ", markdown.Color("red", user))
	}
	b.Paragraph(parts...)
	b.Paragraph("first\nsecond", markdown.LineBreak(), "third\n\n    fourth")
	b.Quote(parts...)
	b.Quote("备注\n", user)
	b.List(user, markdown.Join(parts...), "two\nlines")
	b.OrderedList(markdown.Each([]string{"- one", "1. two", "# three"})...)
	b.OrderedList("another list")
	b.Image(u)
	b.Paragraph(markdown.MentionUser("17856", "李三"), markdown.MentionEmail("a@b.example", user), markdown.MentionAll(""))

	file := filepath.Join("testdata", "message.golden")
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if ps := commonmark.Check(b.String()); len(ps) > 0 {
		t.Errorf("Check() = %v", ps)
	}
	if got := len(markdown.Mentions(b.String())); got != 3 {
		t.Errorf("%d mentions, want 3", got)
	}
}

// The message that public reference 6.3 records as accepted.
func TestRecordedMessage(t *testing.T) {
	t.Parallel()
	got := new(markdown.Builder).Heading(2, "标题").Quote("备注").String()
	if want := "## 标题\n\n> 备注"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
	got = markdown.Plain("…", markdown.MentionUser("17856", "李三"), markdown.MentionAll("所有人"))
	if want := `…<at user_id="17856">李三</at><at user_id="-1">所有人</at>`; got != want {
		t.Errorf("Plain() = %q, want %q", got, want)
	}
}
