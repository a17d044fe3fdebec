package callback

import (
	"regexp"
	"strings"

	"github.com/weboffice-go/weboffice/internal/redact"
)

const (
	maxLogged = 4 << 10 // bytes of one text in a log
	minWord   = 3       // bytes of the shortest secret
)

// ScrubError is [Scrub] for an error of an integrator. It knows more about one that
// wraps a *url.Error.
func ScrubError(err error, secrets ...string) string {
	return Scrub(redact.Error(err).Error(), secrets...)
}

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
	return redact.Cut(redact.Text(text, long...), maxLogged)
}

// hideWord hides secret where no letter or digit of ASCII is next to it.
func hideWord(text, secret string) string {
	// A \b at each end that is a letter or a digit.
	pattern := regexp.MustCompile(`^\b|\b$`).ReplaceAllString(regexp.QuoteMeta(secret), `\b`)
	word, err := regexp.Compile(regexp.QuoteMeta(redact.Hidden) + "|" + pattern) // the mark stays whole
	if err != nil {                                                              // secret is not UTF-8
		return redact.Text(text, secret)
	}
	return word.ReplaceAllLiteralString(text, redact.Hidden)
}

// anyURL ends late: a part of a URL that is not taken for one would be shown.
const anyURL = "[A-Za-z0-9+.-]*://[^\\s\\v\\x{85}\\pZ\"<>`]*"

func scrubURLs(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	return regexp.MustCompile(anyURL).ReplaceAllStringFunc(text, redact.URL)
}
