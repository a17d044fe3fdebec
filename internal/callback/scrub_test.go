package callback_test

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/internal/callback"
)

func TestScrub(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "open /data/a.docx: no such file", "open /data/a.docx: no such file"},
		{"query", `Get "https://b.example.com/a?X-Amz-Signature=CANARY": EOF`, `Get "https://b.example.com/a?[secret]": EOF`},
		{"fragment", "see https://b.example.com/a#CANARY now", "see https://b.example.com/a?[secret] now"},
		{"user info", "dial postgres://user:CANARY@db.example.com/x failed", "dial postgres://db.example.com/x failed"},
		{"two addresses", "https://a.example.com/?k=CANARY, http://b.example.com/?k=CANARY", "https://a.example.com/?[secret] http://b.example.com/?[secret]"},
		{"no address", "at https://%zz?CANARY", "at [secret]"},
		{"the token", "no session for tok-CANARY", "no session for [secret]"},
		{"a colon and slashes", "weird ://CANARY?x", "weird [secret]"},
	} {
		got := callback.Scrub(c.text, "", "tok-CANARY")
		if strings.Contains(got, "CANARY") || got != c.want {
			t.Errorf("%s: Scrub(%q) = %q, want %q", c.name, c.text, got, c.want)
		}
	}
}

// FuzzScrub hides whatever stands behind an address's question mark.
func FuzzScrub(f *testing.F) {
	f.Add("Get ", "https://example.com/a", ": EOF")
	f.Add("://", "http://", "://")
	f.Fuzz(func(t *testing.T, before, address, after string) {
		text := before + " " + address + "https://example.com/?CANARY " + after
		if strings.Contains(before+address+after, "CANARY") {
			t.Skip()
		}
		if got := callback.Scrub(text); strings.Contains(got, "CANARY") {
			t.Errorf("Scrub(%q) = %q", text, got)
		}
	})
}

// TestScrubError hides the values of a query also where they stand alone.
func TestScrubError(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("bucket: %w", &url.Error{
		Op: "Get", URL: "https://b.example.com/a?X-Amz-Signature=CANARY-123", Err: errors.New("signature CANARY-123 refused, not https://c.example.com/?s=CANARY"),
	})
	want := `bucket: Get "https://b.example.com/a?[secret]": signature [secret] refused, not https://c.example.com/?[secret]`
	// Not even a secret that is a part of the mark hides the mark.
	for _, secret := range []string{"", "secret", "[", "cret]"} {
		if got := callback.ScrubError(err, secret); got != want {
			t.Errorf("ScrubError without %q = %q, want %q", secret, got, want)
		}
	}
}
