package markup_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/internal/markup"
)

func TestCutTag(t *testing.T) {
	t.Parallel()
	tests := []struct {
		s    string
		want markup.Tag
		rest string
		ok   bool
	}{
		{`<b>x`, markup.Tag{Name: "b"}, "x", true},
		{`</FONT >x`, markup.Tag{Name: "font", Attrs: " ", Closing: true}, "x", true},
		{`<a title=">" href='<'>x`, markup.Tag{Name: "a", Attrs: ` title=">" href='<'`}, "x", true},
		{"<br/>", markup.Tag{Name: "br", Attrs: "/"}, "", true},
		{"<a\nb>", markup.Tag{Name: "a", Attrs: "\nb"}, "", true},
		{"<a <b>", markup.Tag{}, "<a <b>", false},
		{"<a '>", markup.Tag{}, "<a '>", false},
		{"<b", markup.Tag{}, "<b", false},
		{"<b c", markup.Tag{}, "<b c", false},
		{"<3>", markup.Tag{}, "<3>", false},
		{"<", markup.Tag{}, "<", false},
		{"</", markup.Tag{}, "</", false},
		{"a>", markup.Tag{}, "a>", false},
		{"", markup.Tag{}, "", false},
	}
	for _, tt := range tests {
		got, rest, ok := markup.CutTag(tt.s)
		if got != tt.want || rest != tt.rest || ok != tt.ok {
			t.Errorf("CutTag(%q) = %+v, %q, %v, want %+v, %q, %v", tt.s, got, rest, ok, tt.want, tt.rest, tt.ok)
		}
	}
}

func TestAttr(t *testing.T) {
	t.Parallel()
	tag := markup.Tag{Attrs: ` A = "1 2" b='3 4' c=4 d e="" a=5/ /f=6`}
	type value struct {
		Value      string
		Quoted, OK bool
	}
	got := map[string]value{}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		var v value
		v.Value, v.Quoted, v.OK = tag.Attr(name)
		got[name] = v
	}
	want := map[string]value{
		"a": {"1 2", true, true}, "b": {"3 4", true, true}, "c": {"4", false, true}, "d": {"", false, true}, "e": {"", true, true}, "f": {"6", false, true}, "g": {},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Attr (-want +got)\n%s", diff)
	}
}

func TestCutAt(t *testing.T) {
	t.Parallel()
	tests := []struct {
		s    string
		want markup.At
		rest string
		ok   bool
	}{
		{`<at user_id="7">a <b> c</at>d`, markup.At{UserID: "7", Quoted: true, Name: "a <b> c", Ended: true}, "d", true},
		{`<AT email=a@b.example>c</At >d`, markup.At{Email: "a@b.example", Name: "c", Ended: true}, "d", true},
		{`<at x=">" user_id='7' email="e">a`, markup.At{UserID: "7", Quoted: true}, "a", true},
		{`<at user_id=7/>a<at>b</at>`, markup.At{UserID: "7"}, "a<at>b</at>", true},
		{`<at>a</at`, markup.At{}, "a</at", true},
		{`<at>a</atom></at>b`, markup.At{Name: "a</atom>", Ended: true}, "b", true},
		{`</at>`, markup.At{}, "</at>", false},
		{`<att user_id="7">`, markup.At{}, `<att user_id="7">`, false},
		{`<at user_id="7"`, markup.At{}, `<at user_id="7"`, false},
	}
	for _, tt := range tests {
		got, rest, ok := markup.CutAt(tt.s)
		if got != tt.want || rest != tt.rest || ok != tt.ok {
			t.Errorf("CutAt(%q) = %+v, %q, %v, want %+v, %q, %v", tt.s, got, rest, ok, tt.want, tt.rest, tt.ok)
		}
	}
}

func TestEntity(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]int{
		"&lt;x": 4, "&amp;": 5, "&CounterClockwiseContourIntegral;": 33, "&frac12;": 8, "&#60;": 5, "&#x3C;": 6, "&#X3c;": 6, "&#9;": 4, "&#1234567;": 10,
		"&lt": 0, "&;": 0, "&a;": 0, "&a;b": 0, "&#;": 0, "&#;x": 0, "&#x;": 0, "&#x;a": 0, "&#12345678;": 0, "&#x1234567;": 0, "&1a;": 0, "& lt;": 0, "lt;": 0, "": 0,
	} {
		if got := markup.Entity(s); got != want {
			t.Errorf("Entity(%q) = %d, want %d", s, got, want)
		}
	}
}
