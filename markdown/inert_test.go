package markdown_test

import (
	"html"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/markdown"
)

// Text, ids and addresses of strangers hold no at tag, in whatever order the service
// decodes entities, reads markdown and looks for tags.
func TestNoTagInAnyOrder(t *testing.T) {
	t.Parallel()
	const address = "https://h.example/?"
	j := newJudge()
	for name, in := range map[string]markdown.Inline{
		"e-mail tag":                    markdown.Join(`<at email="boss@例子.中国">x</at>`),
		"user tag":                      markdown.Join(`<at user_id="-1">x</at>`),
		"tag in pieces":                 markdown.Join("<", "at user_id=-1", ">x</at>"),
		"tag of space":                  markdown.Join("< \u200b/AT user_id=-1>"),
		"id with entities":              markdown.MentionUser("a&quot&gtx&lt/at&gt&ltat/user_id=&quot-1", "x"),
		"e-mail with entities":          markdown.MentionEmail("a@b&quot&gt&ltat/user_id=&quot-1", "x"),
		"name":                          markdown.MentionUser("7", `<at email="a@b.example">`),
		"link":                          markdown.Link("log", address+"&ltat/user_id=-1&gt"),
		"link with upper case":          markdown.Link("log", address+"&LTat/user_id=-1&GT"),
		"link with numbers":             markdown.Link("log", address+"a&#60at/user_id=-1&#x3eb"),
		"link that is decoded twice":    markdown.Link("log", address+"&ampltat/user_id=-1&ampgt"),
		"link shown by its address":     markdown.AutoLink(address + "&ltat/user_id=-1&gt"),
		"image":                         markdown.Image(address + "&ltat/user_id=-1&gt"),
		"fragment":                      markdown.Link("log", "https://h.example/#&ltat/user_id=-1&gt"),
		"address and the text after it": markdown.Join(markdown.AutoLink(address+"&#60"), "at user_id=-1>"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			written := in.String()
			seen := html.UnescapeString(tags.ReplaceAllString(j.html(t, written), "")) // with what does not show
			for _, s := range []string{written, markdown.Plain(in), markdown.Plain(in, "lt;at user_id=-1>"), seen} {
				for range 2 {
					for _, m := range markdown.Mentions(s) {
						if m.UserID != "7" {
							t.Errorf("%q mentions %+v", s, m)
						}
					}
					s = html.UnescapeString(s)
				}
			}
		})
	}
}

func TestAddressesKeepTheirMeaning(t *testing.T) {
	t.Parallel()
	tests := []struct{ address, want string }{
		{"https://h.example/?a=1&b=2&c#d", "https://h.example/?a=1&b=2&c#d"},
		{"https://h.example/?a&#section", "https://h.example/?a&#section"},
		{"https://h.example/?lt=1&lt=2&Quota=3", "https://h.example/?lt=1&%6Ct=2&%51uota=3"},
		{"https://h.example/?a&#60b", "https://h.example/?a&#%360b"},
		{"https://h.example/?a&b;c", "https://h.example/?a&b%3Bc"},
	}
	for _, tt := range tests {
		if got := markdown.AutoLink(tt.address).String(); got != "<"+tt.want+">" {
			t.Errorf("AutoLink(%q) = %q, want %q", tt.address, got, tt.want)
		}
	}
}

// What strangers write may be long, and a heading of it must not take the square of its
// length. The test does not look at a clock: it would run into the deadline of go test.
func TestLinearTime(t *testing.T) {
	t.Parallel()
	s := strings.Repeat("  \n", 1<<18) + "x"
	for name, in := range map[string]markdown.Inline{
		"text": markdown.Join(s), "link": markdown.Link(s, "https://a.example"), "mention": markdown.MentionUser("1", s), "bold": markdown.Bold(s),
	} {
		var b markdown.Builder
		b.Heading(1, in).Paragraph(in)
		if !strings.Contains(b.String(), "x") {
			t.Errorf("%s: lost", name)
		}
	}
}
