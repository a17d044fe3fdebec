package webhook_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/webhook"
)

// What other clients write is read too: other orders, escapes and white space.
func TestDecodeForeign(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		want       webhook.Message
	}{
		{"order and escapes", " {\"text\": {\"content\": \"\\u003cat user_id=\\\"-1\\\"\\u003e\\u4e16\"},\n \"msgtype\": \"text\"} ", webhook.Text{Content: `<at user_id="-1">世`}},
		{"optional fields that are empty", `{"msgtype":"link","link":{"title":"t","text":"x","messageUrl":"","btnTitle":""}}`, webhook.Link{Title: "t", Text: "x"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := webhook.Decode([]byte(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, unexported); diff != "" {
				t.Errorf("Decode (-want +got):\n%s", diff)
			}
		})
	}
}

// What a type cannot hold stays whole in a Raw.
func TestDecodeRaw(t *testing.T) {
	t.Parallel()
	const title = `"header":{"title":{"tag":"text","content":{"type":"plainText","text":"t"}}}`
	const element = `{"tag":"text","content":{"type":"plainText","text":"e"}}`
	for name, body := range map[string]string{
		"another msgtype":         `{"msgtype":"news","news":{}}`,
		"no object of that name":  `{"msgtype":"text"}`,
		"another object":          `{"msgtype":"text","markdown":{"text":"a"}}`,
		"null":                    `{"msgtype":"text","text":null}`,
		"wrong type":              `{"msgtype":"text","text":{"content":5}}`,
		"more beside it":          `{"msgtype":"text","text":{"content":"a"},"at":[1]}`,
		"more in it":              `{"msgtype":"markdown","markdown":{"text":"a","content":"b"}}`,
		"breaks a rule":           `{"msgtype":"text","text":{"content":""}}`,
		"interactive component":   `{"msgtype":"card","card":{` + title + `,"elements":[{"tag":"button","content":{"type":"plainText","text":"e"}}]}}`,
		"unknown type of content": `{"msgtype":"card","card":{` + title + `,"elements":[{"tag":"text","content":{"type":"html","text":"e"}}]}}`,
		"in another language":     `{"msgtype":"card","card":{` + title + `,"elements":[` + element + `],"i18n":{"en-US":{` + title + `,"elements":[{"tag":"img"}]}}}}`,
		"subtitle without text":   `{"msgtype":"card","card":{"header":{"title":` + element + `,"subtitle":{"tag":"text","content":{"type":"markdown","text":""}}},"elements":[` + element + `]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := webhook.Decode([]byte(body))
			if err != nil {
				t.Fatal(err)
			}
			raw, ok := got.(webhook.Raw)
			if !ok || string(raw.Body) != body {
				t.Errorf("Decode = %#v, want a Raw of the same bytes", got)
			}
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for _, body := range []string{``, `null`, `[]`, `"text"`, `{}`, `{"msgtype":""}`, `{"msgtype":1}`, `{"MSGTYPE":"text"}`, `{"msgtype":"a"}{}`, `{"msgtype":"a"`} {
		if m, err := webhook.Decode([]byte(body)); err == nil {
			t.Errorf("Decode(%s) = %#v, want an error", body, m)
		}
	}
}

// Decode keeps no part of what it was given.
func TestDecodeCopies(t *testing.T) {
	t.Parallel()
	body := []byte(`{"msgtype":"news"}`)
	m, err := webhook.Decode(body)
	if err != nil {
		t.Fatal(err)
	}
	copy(body, bytes.Repeat([]byte("x"), len(body)))
	if got, err := webhook.Encode(m); err != nil || string(got) != `{"msgtype":"news"}` {
		t.Errorf("Encode = %s, %v", got, err)
	}
}

// Whatever is read can be written again, and means the same.
func FuzzDecode(f *testing.F) {
	files, err := filepath.Glob("testdata/messages/*.json")
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		m, err := webhook.Decode(body)
		if err != nil {
			return
		}
		again, err := webhook.Encode(m)
		if errors.Is(err, webhook.ErrTooLong) {
			return
		}
		if err != nil {
			t.Fatalf("Encode(Decode(%q)) = %v", body, err)
		}
		m2, err := webhook.Decode(again)
		if err != nil || !reflect.DeepEqual(m, m2) {
			t.Errorf("Decode(%q) = %#v, %v, want %#v", again, m2, err, m)
		}
		if _, ok := m.(webhook.Raw); ok && !bytes.Equal(again, body) || !json.Valid(again) {
			t.Errorf("Encode(Decode(%q)) = %q", body, again)
		}
	})
}
