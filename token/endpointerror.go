package token

import (
	"bytes"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// maxShown bounds what an EndpointError repeats of an answer.
const maxShown = 1 << 10

// EndpointError says what the token endpoint answered in place of a token: a failure
// that the endpoint reports, or something else than what public reference 7.2
// shows. It holds no secret of the client, and no token.
type EndpointError struct {
	StatusCode int    // Of HTTP; a failure may well come with 200.
	Code       int    // code, or zero where there was none.
	Message    string // msg, message, or error and error_description of the answer; otherwise what is wrong with it.
	Body       []byte // As received, cut at 1 KiB, without secrets; nil where it may hold a token, or its message a secret.

	retryAfter time.Duration
}

// Error returns status, code and message in one line.
func (e *EndpointError) Error() string {
	if e.Code == 0 {
		return fmt.Sprintf("the token endpoint answered HTTP %d: %s", e.StatusCode, e.Message)
	}
	return fmt.Sprintf("the token endpoint answered HTTP %d, code %d: %s", e.StatusCode, e.Code, e.Message)
}

// show keeps what may be seen of the answer.
func (e *EndpointError) show(body []byte, hide func(string) string) {
	message := hide(e.Message)
	quotesSecret := message != e.Message // and the body does so in an escaped form of that
	e.Message = cut(oneLine(message))
	if quotesSecret || mayHoldToken(body) || e.StatusCode/100 == 2 && isWord(body) {
		return
	}
	e.Body = []byte(cut(hide(string(body))))
}

// mayHoldToken looks for the names of tokens and for the start of every JWT, since
// an answer that could not be read cannot be searched for their values.
func mayHoldToken(body []byte) bool {
	lower := bytes.ToLower(body)
	for _, mark := range []string{"access_token", "refresh_token", "id_token", "eyj"} {
		if bytes.Contains(lower, []byte(mark)) {
			return true
		}
	}
	return false
}

// isWord reports whether body is made of the characters of a token (RFC 6750 2.1)
// alone, as from an endpoint that answers with nothing else.
func isWord(body []byte) bool {
	const shortest, letters = 16, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~+/="
	word := bytes.Trim(body, `"`+space)
	return len(word) >= shortest && len(bytes.Trim(word, letters)) == 0
}

func cut(s string) string {
	if len(s) > maxShown {
		return strings.ToValidUTF8(s[:maxShown], "")
	}
	return s
}

// oneLine keeps an answer from writing lines of its own into a log.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}
