package callback_test

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

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

// TestScrubShortSecrets hides a short token without making the text unreadable, which
// a caller could do on purpose otherwise.
func TestScrubShortSecrets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ secret, text, want string }{
		{"1", "id: public reference 0.10: 1 of 10", "id: public reference 0.10: 1 of 10"},
		{"tok", "token tok, tokens", "token [secret], tokens"},
		{"alice", `user alice: "alice" alice's malice alice`, `user [secret]: "[secret]" [secret]'s malice [secret]`},
		{"secret", "the [secret] and secret", "the [secret] and [secret]"},
		{"a.b", "a.b axb xa.b", "[secret] axb xa.b"},
		{"-x-", "a-x-b", "a[secret]b"},
		{"\xff\xfe\xfd", "x\xff\xfe\xfdx", "x[secret]x"},
		{"seven77", "seven77 seven777", "[secret] seven777"},
		{"eight888", "eight888 eight8888", "[secret] [secret]8"},
	} {
		if got := callback.Scrub(c.text, c.secret); got != c.want {
			t.Errorf("Scrub(%q, %q) = %q, want %q", c.text, c.secret, got, c.want)
		}
	}
}

// TestScrubBoundsText cuts after secrets are hidden, so that half of one cannot stay.
func TestScrubBoundsText(t *testing.T) {
	t.Parallel()
	for pad := 4080; pad < 4100; pad++ {
		got := callback.Scrub(strings.Repeat("x", pad)+"CANARY-0123456789é"+strings.Repeat("x", 9000), "CANARY-0123456789")
		if strings.Contains(got, "CANARY") || len(got) > 4200 || !utf8.ValidString(got) {
			t.Errorf("Scrub of a long text = ...%q, %d bytes", got[4070:], len(got))
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
