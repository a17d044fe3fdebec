package callback

import (
	"strings"
	"unicode"

	"github.com/weboffice-go/weboffice/internal/redact"
)

// ScrubError is [Scrub] for an error of an integrator. It knows more of one that
// wraps a *url.Error.
func ScrubError(err error, secrets ...string) string {
	return Scrub(redact.Error(err, secrets...).Error(), secrets...)
}

// Scrub makes a text of an integrator fit for the log: without secrets, and
// without the user info, the query and the fragment of each address in it, where
// cloud stores put their signatures.
func Scrub(text string, secrets ...string) string {
	// Addresses come first: afterwards a secret in one might be hidden in a way
	// that makes it no address any more.
	text = scrubAddresses(text)
	return redact.Text(text, secrets...)
}

func scrubAddresses(text string) string {
	var b strings.Builder
	for {
		sep := strings.Index(text, "://")
		if sep < 0 {
			b.WriteString(text)
			return b.String()
		}
		start := sep
		for start > 0 && isSchemeByte(text[start-1]) {
			start--
		}
		end := sep + len("://")
		if n := strings.IndexFunc(text[end:], endsAddress); n >= 0 {
			end += n
		} else {
			end = len(text)
		}
		b.WriteString(text[:start])
		b.WriteString(redact.URL(text[start:end]))
		text = text[end:]
	}
}

func isSchemeByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'
}

// endsAddress errs on the long side: what belongs to an address and is not taken
// for a part of it would be shown.
func endsAddress(r rune) bool {
	return unicode.IsSpace(r) || r == '"' || r == '<' || r == '>' || r == '`'
}
