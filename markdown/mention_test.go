package markdown_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/markdown"
	"github.com/weboffice-go/weboffice/markdown/commonmark"
)

// hostile are names that try to end their tag or to begin another.
var hostile = []string{
	"", "张三", "a b", "</at>", `</at><at user_id="-1">all`, `"><at user_id='-1'>`, "a&lt;b", "&#60;at", "a*b_c", `a\`, "`x`", "[x](y)",
	"<", "&", "<a", "zhang_san@example.com", "https://a.example", "1. a", "# a", "&amp;lt;", "a|b", "~~a~~", "<\u2060", "**a**", `\*`, "\\\u2060*", "R&D;",
}

func TestMentionRoundTrip(t *testing.T) {
	t.Parallel()
	j := newJudge()
	for _, name := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := markdown.Join("a ", markdown.MentionUser("17856", name), " b ", markdown.MentionEmail("o'b+c@d.example", name),
				markdown.MentionAll(name), "c")
			want := []markdown.Mention{{UserID: "17856", Name: name}, {Email: "o'b+c@d.example", Name: name}, {All: true, Name: name}}
			for _, s := range []string{in.String(), markdown.Plain(in)} {
				if diff := cmp.Diff(want, markdown.Mentions(s)); diff != "" {
					t.Errorf("Mentions(%q) (-want +got)\n%s", s, diff)
				}
			}
			if got, want := j.kinds(in.String()), "Paragraph RawHTML RawHTML RawHTML RawHTML RawHTML RawHTML"; got != want {
				t.Errorf("%q: goldmark reads %s, want %s", in.String(), got, want)
			}
			if ps := commonmark.Check(in.String()); len(ps) > 0 {
				t.Errorf("Check(%q) = %v", in.String(), ps)
			}
		})
	}
}

func TestMentionShapesOfProtocol2_7(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		in   markdown.Inline
		want string
	}{
		{"user", markdown.MentionUser("17856", "李三"), `<at user_id="17856">李三</at>`},
		{"user without name", markdown.MentionUser("17856", ""), `<at user_id="17856"></at>`},
		{"e-mail", markdown.MentionEmail("a@b.example", "A"), `<at email="a@b.example">A</at>`},
		{"all", markdown.MentionAll("所有人"), `<at user_id="-1">所有人</at>`},
		{"name over lines", markdown.MentionAll("a\nb"), `<at user_id="-1">a b</at>`},
		{"everyone as a user", markdown.MentionUser("-1", "A"), "A"},
		{"everyone as another number", markdown.MentionUser("-01", ""), "-01"},
		{"everyone with a wide sign", markdown.MentionUser("－1", "A"), "A"},
		{"user id with quotes", markdown.MentionUser(`1" user_id="-1`, "A*"), `A\*`},
		{"user id with a space", markdown.MentionUser("1 2", "A"), "A"},
		{"user id with an entity", markdown.MentionUser("1&#45;1;", "A"), "A"},
		{"empty user id", markdown.MentionUser("", "A"), "A"},
		{"user id not UTF-8", markdown.MentionUser("a\xff", "A"), "A"},
		{"no e-mail", markdown.MentionEmail("ab.example", ""), "ab.example"},
		{"two e-mails", markdown.MentionEmail("a@b@c", "A"), "A"},
		{"e-mail with a tag", markdown.MentionEmail(`a@b"><at user_id="-1"`, "A"), "A"},
		{"e-mail without a domain", markdown.MentionEmail("a@", "A"), "A"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.in.String(); got != tt.want {
				t.Errorf("String() = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestMentionsReadsGenerously(t *testing.T) {
	t.Parallel()
	one, all := []markdown.Mention{{UserID: "1"}}, []markdown.Mention{{All: true}}
	named := []markdown.Mention{{UserID: "1", Name: "a"}}
	tests := []struct {
		name, s string
		want    []markdown.Mention
	}{
		{"none", "a < b, @c, <b>d</b>", nil},
		{"single quotes", "<at user_id='1'>a</at>", named},
		{"no quotes", "<at user_id=1>a</at>", named},
		{"upper case", `<AT USER_ID="1">a</AT>`, named},
		{"space", "< at user_id=\"1\"><at\n user_id = \"1\" >a</at >", named},
		{"other attributes", `<at class="x>y" user_id="1" z>a</at>`, named},
		{"closes itself", `<at user_id="1"/>`, one},
		{"no end", `<at user_id="1">a`, one},
		{"no end before the next", `<at user_id="1">a<at user_id="1">a</at>`, append(one[:1:1], named...)},
		{"cut", `<at user_id="1"`, nil},
		{"cut before the next", `<at user_id="1" <at user_id="-1"></at>`, all},
		{"after a backslash", `\<at user_id="-1"></at>`, all},
		{"e-mail", `<at email="a@b.c">a</at>`, []markdown.Mention{{Email: "a@b.c", Name: "a"}}},
		{"both", `<at email="a@b.c" user_id="1">a</at>`, named},
		{"neither", `<at>a</at><at user_id="">a</at><at id="1">a</at>`, nil},
		{"other tags", `<attr user_id="1">a</attr><a user_id="1">b</a>`, nil},
		{"tag in the name", `<at user_id="1"><b>a</b></at>`, []markdown.Mention{{UserID: "1", Name: "<b>a</b>"}}},
		{"escapes in the name", `<at user_id="1">a\_b &amp; \\c &nope &;</at>`, []markdown.Mention{{UserID: "1", Name: `a_b & \c &nope &;`}}},
		{"of a text message", `<at user_id="17856">李三</at><at user_id="-1">所有人</at>`, []markdown.Mention{{UserID: "17856", Name: "李三"}, {All: true, Name: "所有人"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, markdown.Mentions(tt.s)); diff != "" {
				t.Errorf("Mentions(%q) (-want +got)\n%s", tt.s, diff)
			}
		})
	}
}
