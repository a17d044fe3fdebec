package desk_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/examples/emulator/internal/desk"
)

// FuzzRender reads any markdown, and finds no address in the tree that a browser would
// run, and not much more than was written.
func FuzzRender(f *testing.F) {
	f.Add("# a\n\n> **b** [c](javascript:alert(1)) <font color='red'>d")
	f.Add("- 1. <at user_id=\"-1\"></at> ![](data:text/html,x) ~~e~~ <https://f>")
	f.Fuzz(func(t *testing.T, text string) {
		tree := desk.Render(text)
		encoded, err := json.Marshal(tree)
		if err != nil {
			t.Fatal(err)
		}
		if len(encoded) > 10_000+100*len(text) {
			t.Errorf("%d bytes became %d", len(text), len(encoded))
		}
		for _, b := range tree {
			addresses(b, func(url string) {
				if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
					t.Errorf("the address %q", url)
				}
			})
		}
	})
}

// addresses calls f with each address in a block.
func addresses(b desk.Block, f func(string)) {
	var inlines func([]desk.Inline)
	inlines = func(all []desk.Inline) {
		for _, i := range all {
			if i.Type == "link" || i.Type == "image" {
				f(i.URL)
			}
			inlines(i.Inlines)
		}
	}
	inlines(b.Inlines)
	for _, inner := range b.Blocks {
		addresses(inner, f)
	}
	for _, item := range b.Items {
		for _, inner := range item {
			addresses(inner, f)
		}
	}
}

// FuzzHide hides a secret in any text.
func FuzzHide(f *testing.F) {
	f.Add(`{"url":"http://a/b?c=`, `","d":1}`, "secret")
	f.Fuzz(func(t *testing.T, before, after, secret string) {
		const mark = "[hidden]"
		if len(secret) < 4 || strings.Contains(mark, secret) {
			return
		}
		hidden := desk.Hide(secret, before+secret+after)
		if strings.Contains(hidden, secret) {
			t.Errorf("%q is in %q", secret, hidden)
		}
	})
}

// FuzzReadSeed reads any file of seeds.
func FuzzReadSeed(f *testing.F) {
	f.Add([]byte("robots:\n- name: a\n"))
	f.Add([]byte(`{"apps":[{"id":"a","key":"b"}]}`))
	f.Fuzz(func(_ *testing.T, text []byte) {
		_, _ = desk.ReadSeed(text)
	})
}
