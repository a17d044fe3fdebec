package callback

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/weboffice-go/weboffice/internal/redact"
)

// maxLogged bounds one text in a log, in bytes.
const maxLogged = 4 << 10

// ScrubError is [Scrub] for an error of an integrator. It knows more about one that
// wraps a *url.Error.
func ScrubError(err error, secrets ...string) string { return Scrub(scrubError(err), secrets...) }

func scrubError(err error) string { return scrubURLs(redact.Error(err).Error()) }

// Scrub makes a text of an integrator fit for the log: without secrets, without the
// user info, query and fragment of each URL in it, where cloud stores put their
// signatures, and cut to 4 KiB.
//
// A secret shorter than redact.MinPart is hidden only if it is a word of its own, and
// one or two bytes are not a secret: a caller who sends the token "e" must not be able
// to make the log unreadable.
func Scrub(text string, secrets ...string) string {
	// URLs come first: with a secret in it hidden, a URL might not parse any more.
	text = scrubURLs(text)
	var long []string
	for _, secret := range secrets {
		switch n := len(secret); {
		case n >= redact.MinPart:
			long = append(long, secret)
		case n >= minWord:
			text = hideWord(text, secret)
		}
	}
	text = redact.Text(text, long...)
	if len(text) > maxLogged {
		text = strings.ToValidUTF8(text[:maxLogged], "") + "..."
	}
	return text
}

// minWord is how many bytes the shortest secret has.
const minWord = 3

// hideWord hides secret where no letter or digit is next to it.
func hideWord(text, secret string) string {
	pattern := regexp.QuoteMeta(secret)
	if isWordByte(secret[0]) {
		pattern = `\b` + pattern
	}
	if isWordByte(secret[len(secret)-1]) {
		pattern += `\b`
	}
	word, err := regexp.Compile(regexp.QuoteMeta(redact.Hidden) + "|" + pattern) // the mark stays whole
	if err != nil {                                                              // secret is not UTF-8
		return redact.Text(text, secret)
	}
	return word.ReplaceAllLiteralString(text, redact.Hidden)
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

func scrubURLs(text string) string {
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
		if n := strings.IndexFunc(text[end:], endsURL); n >= 0 {
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
	return isWordByte(c) && c != '_' || c == '+' || c == '-' || c == '.'
}

// endsURL is careful: a part of a URL that is not taken for one would be shown.
func endsURL(r rune) bool {
	return unicode.IsSpace(r) || r == '"' || r == '<' || r == '>' || r == '`'
}
