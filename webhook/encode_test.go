package webhook_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/weboffice-go/weboffice/webhook"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func plain(s string) webhook.CardText { return webhook.CardText{Text: s} }
func rich(s string) webhook.CardText  { return webhook.CardText{Text: s, Markdown: true} }

// messages are one of each kind. The first four are the shapes that public
// reference 6.3 recorded.
func messages() map[string]webhook.Message {
	return map[string]webhook.Message{
		"recorded_text":     webhook.Text{Content: `…<at user_id="17856">李三</at><at user_id="-1">所有人</at>`},
		"recorded_markdown": webhook.Markdown{Text: "## 标题\n\n> 备注"},
		"recorded_link":     webhook.Link{Title: "…", Text: "…", URL: "https://example.com", ButtonTitle: "查看详情"},
		"recorded_card": webhook.Card{
			Header:   webhook.CardHeader{Title: plain("标题"), Subtitle: plain("副标题")},
			Elements: []webhook.CardText{rich("普通文本")},
			I18n: map[string]webhook.CardFace{"en-US": {
				Header:   webhook.CardHeader{Title: plain("Title"), Subtitle: plain("Subtitle")},
				Elements: []webhook.CardText{rich("Plain text")},
			}},
		},
		"link_least": webhook.Link{Title: "t", Text: "x"},
		"card_least": webhook.Card{Header: webhook.CardHeader{Title: plain("t")}, Elements: []webhook.CardText{plain("e")}},
		"card_languages": webhook.Card{
			Header:   webhook.CardHeader{Title: rich("**t**")},
			Elements: []webhook.CardText{plain("e1"), rich("e2")},
			I18n: map[string]webhook.CardFace{
				"zh-TW": {Header: webhook.CardHeader{Title: plain("題")}, Elements: []webhook.CardText{plain("文")}},
				"en-US": {Header: webhook.CardHeader{Title: plain("T")}, Elements: []webhook.CardText{plain("E")}},
			},
		},
		"text_escapes": webhook.Text{Content: "<b> & \"q\" \\ \t\r\n \u2028 \x00 \U0001F468\u200d\U0001F469"},
		"raw":          webhook.Raw{Body: []byte(`{"msgtype":"news", "news":{"a":[1,"<x>"]}}`)},
	}
}

// Protocol 2.7, 2.9: the wire form to the byte. The goldens of recorded_* were
// written by hand from public reference 6.3.
func TestEncodeGolden(t *testing.T) {
	t.Parallel()
	for name, m := range messages() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := webhook.Encode(m)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", "messages", name+".json")
			if *update {
				if err := os.WriteFile(file, append(got, '\n'), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.TrimSuffix(string(want), "\n"), string(got)); diff != "" {
				t.Errorf("Encode (-want +got):\n%s", diff)
			}
			back, err := webhook.Decode(got)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(m, back, unexported); diff != "" {
				t.Errorf("Decode(Encode) (-want +got):\n%s", diff)
			}
		})
	}
}

// unexported passes over the field that keeps messages from being compared.
var unexported = cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == "._" }, cmp.Ignore())

// A pointer to a message is a Message too, since the methods are those of values.
func TestEncodePointers(t *testing.T) {
	t.Parallel()
	for name, m := range messages() {
		want, err := webhook.Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		var pointer webhook.Message
		switch m := m.(type) {
		case webhook.Text:
			pointer = &m
		case webhook.Markdown:
			pointer = &m
		case webhook.Link:
			pointer = &m
		case webhook.Card:
			pointer = &m
		case webhook.Raw:
			pointer = &m
		}
		if got, err := webhook.Encode(pointer); err != nil || string(got) != string(want) {
			t.Errorf("%s: Encode of a pointer = %s, %v", name, got, err)
		}
	}
}

// Each rule of protocol 2.7, 2.9 and 8 is reported by the field that breaks it.
func TestEncodeChecks(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("世", webhook.MaxMessageLength)
	title := webhook.CardHeader{Title: plain("t")}
	tests := []struct {
		name   string
		m      webhook.Message
		fields []string
		is     error
	}{
		{"nil", nil, []string{"Message"}, nil},
		{"nil pointer", (*webhook.Card)(nil), []string{"Message"}, nil},
		{"no text", webhook.Text{}, []string{"Content"}, nil},
		{"blank text", webhook.Text{Content: " \n\u3000"}, []string{"Content"}, nil},
		{"no markdown", webhook.Markdown{}, []string{"Text"}, nil},
		{"everything wrong in a link", webhook.Link{URL: "/relative", ButtonTitle: strings.Repeat("看", 13)}, []string{"Title", "Text", "URL", "ButtonTitle"}, nil},
		{"a script for an address", webhook.Link{Title: "t", Text: "x", URL: "JavaScript:alert(1)"}, []string{"URL"}, nil},
		{"an address with its page", webhook.Link{Title: "t", Text: "x", URL: "data:text/html,x"}, []string{"URL"}, nil},
		{"broken address", webhook.Link{Title: "t", Text: "x", URL: "https://h/\x7f"}, []string{"URL"}, nil},
		{"empty card", webhook.Card{}, []string{"Header.Title.Text", "Elements"}, nil},
		{"empty element", webhook.Card{Header: title, Elements: []webhook.CardText{plain("a"), {}}}, []string{"Elements[1].Text"}, nil},
		{
			"languages",
			webhook.Card{Header: title, Elements: []webhook.CardText{plain("a")}, I18n: map[string]webhook.CardFace{
				"zh-TW": {Header: title},
				"en US": {Header: title, Elements: []webhook.CardText{plain("a")}},
			}},
			[]string{"I18n", "I18n[zh-TW].Elements"},
			nil,
		},
		{"raw nothing", webhook.Raw{}, []string{"Body"}, nil},
		{"raw array", webhook.Raw{Body: []byte(`[]`)}, []string{"Body"}, nil},
		{"raw without msgtype", webhook.Raw{Body: []byte(`{"msgtype":5}`)}, []string{"Body"}, nil},
		{"raw with more behind it", webhook.Raw{Body: []byte(`{"msgtype":"a"} x`)}, []string{"Body"}, nil},
		{"too long", webhook.Text{Content: long + "!"}, []string{"Content"}, webhook.ErrTooLong},
		{"too long together", webhook.Link{Title: "t", Text: long}, []string{"Text"}, webhook.ErrTooLong},
		{"too long in all languages", webhook.Card{Header: title, Elements: []webhook.CardText{plain(long[:9000])}, I18n: map[string]webhook.CardFace{
			"en-US": {Header: title, Elements: []webhook.CardText{plain(long[:9000])}},
		}}, []string{"Elements"}, webhook.ErrTooLong},
		{"raw too long", webhook.Raw{Body: []byte(`{"msgtype":"a","b":[{"c":"` + long + `x"}]}`)}, []string{"Body"}, webhook.ErrTooLong},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := webhook.Encode(tt.m)
			if diff := cmp.Diff(tt.fields, fields(err), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("fields of %v (-want +got):\n%s", err, diff)
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("Encode = %v, want %v", err, tt.is)
			}
			if !errors.Is(err, webhook.ErrNotSent) {
				t.Errorf("Encode = %v, want ErrNotSent", err)
			}
		})
	}
}

// fields lists the fields of all FieldErrors in err.
func fields(err error) []string {
	var all []string
	var field *webhook.FieldError
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			all = append(all, fields(e)...)
		}
	} else if errors.As(err, &field) {
		all = append(all, field.Field)
	}
	return all
}

// Protocol 8 counts characters: what just fits in each of them does fit.
func TestEncodeLimits(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]webhook.Message{
		"5000 characters of three bytes": webhook.Text{Content: strings.Repeat("世", webhook.MaxMessageLength)},
		"5000 characters of four bytes":  webhook.Markdown{Text: strings.Repeat("😀", webhook.MaxMessageLength)},
		"12 characters on a button":      webhook.Link{Title: "t", Text: "x", ButtonTitle: strings.Repeat("看", 12)},
		"an address does not count":      webhook.Link{Title: "t", Text: "x", URL: "https://h/" + strings.Repeat("a", 6000)},
		"an app's address":               webhook.Link{Title: "t", Text: "x", URL: "office://open?id=1"},
	} {
		if _, err := webhook.Encode(m); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLength(t *testing.T) {
	t.Parallel()
	tests := []struct {
		m    webhook.Message
		want int
	}{
		{nil, 0},
		{webhook.Text{Content: "世界😀"}, 3},
		{&webhook.Markdown{Text: "**世**"}, 5},
		{webhook.Link{Title: "ab", Text: "cde", URL: "https://h", ButtonTitle: "f"}, 6},
		{messages()["card_languages"], 5 + 4 + 2 + 2},
		{webhook.Raw{Body: []byte(`{"msgtype":"abc","a":"\u4e16","b":[{"c":"de"},7]}`)}, 3},
	}
	for _, tt := range tests {
		if got := webhook.Length(tt.m); got != tt.want {
			t.Errorf("Length(%#v) = %d, want %d", tt.m, got, tt.want)
		}
	}
}
