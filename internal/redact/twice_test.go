package redact_test

import (
	"testing"

	"github.com/weboffice-go/weboffice/internal/redact"
)

// TestTextTwice is the same as once, and what was hidden is not hidden again.
func TestTextTwice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text    string
		secrets []string
		want    string
	}{
		{"the tale", []string{"e"}, "th[secret] tal[secret]"},
		{"a [secret] tale", []string{"secret", "s", "]"}, "a [secret] tale"},
		{"key [secret]-abc", []string{"[secret]-abc"}, "key [secret]"},
		{"[secrets]", []string{"s"}, "[[secret]ecret[secret]]"},
	} {
		got := redact.Text(c.text, c.secrets...)
		if got != c.want {
			t.Errorf("Text(%q, %q) = %q, want %q", c.text, c.secrets, got, c.want)
		}
		if again := redact.Text(got, c.secrets...); again != got {
			t.Errorf("hidden twice, %q becomes %q", got, again)
		}
	}
}
