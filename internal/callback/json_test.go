package callback_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/internal/callback"
)

// encoded is s by encoding/json, without the escapes for HTML.
func encoded(t *testing.T, s string) string {
	t.Helper()
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(s); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func TestAppendString(t *testing.T) {
	t.Parallel()
	var every strings.Builder
	for c := range 256 {
		every.WriteByte(byte(c))
	}
	for _, s := range []string{"", "plain", `"\/`, "<a&b>", "\u2027\u2028\u2029\u202a", "計劃 👩‍👩‍👧", "\xf0\x9f\x91", "\xed\xa0\x80", every.String()} {
		if got, want := string(callback.AppendString(nil, s)), encoded(t, s); got != want {
			t.Errorf("AppendString(%q) = %s, want %s", s, got, want)
		}
	}
	if got := string(callback.AppendString([]byte("x:"), "y")); got != `x:"y"` {
		t.Errorf("AppendString behind x: = %s", got)
	}
}

func FuzzAppendString(f *testing.F) {
	for _, seed := range []string{"", "a\"b", "\xff", "\u2028", "\x00\x1f\x7f"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := string(callback.AppendString(nil, s)), encoded(t, s); got != want {
			t.Errorf("AppendString(%q) = %s, want %s", s, got, want)
		}
	})
}

// BenchmarkAppendString is a file name of each kind, beside json.Marshal.
func BenchmarkAppendString(b *testing.B) {
	for name, s := range map[string]string{"ascii": strings.Repeat("a", 40), "chinese": strings.Repeat("計", 240), "quoted": `a "b" c`} {
		b.Run(name, func(b *testing.B) {
			buf := make([]byte, 0, 2048)
			b.ReportAllocs()
			for b.Loop() {
				buf = callback.AppendString(buf[:0], s)
			}
		})
		b.Run(name+"/json.Marshal", func(b *testing.B) {
			for b.Loop() {
				if _, err := json.Marshal(s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
