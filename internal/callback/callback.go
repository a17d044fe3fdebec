// Package callback holds what the servers of callbacks share (protocol 4.2, 4.3):
// the errors that choose an answer, the JSON of an answer, a deadline, and what is done
// about panics. An answer is always JSON and tells nothing internal; the log does.
package callback

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"
)

// Errors by which code of an integrator chooses the answer. [Known] has the codes.
var (
	ErrUnauthorized = errors.New("weboffice: the user's token is not valid")
	ErrForbidden    = errors.New("weboffice: the user may not do this")
	ErrNotFound     = errors.New("weboffice: there is no such file")
	ErrInvalid      = errors.New("weboffice: an argument is not valid")
)

// Codes of answers (public reference 3.3).
const (
	CodeUnauthorized = 40002
	CodeForbidden    = 40003
	CodeNotFound     = 40004
	CodeInvalid      = 40005
	CodeInternal     = 50001
)

// known are the answers to the errors above, and weboffice.Outcome.Error for each.
var known = [...]struct {
	err           error
	status, code  int
	message, kind string
}{
	{ErrUnauthorized, http.StatusUnauthorized, CodeUnauthorized, "unauthorized", "unauthorized"},
	{ErrForbidden, http.StatusForbidden, CodeForbidden, "forbidden", "forbidden"},
	{ErrNotFound, http.StatusNotFound, CodeNotFound, "not found", "not_found"},
	{ErrInvalid, http.StatusBadRequest, CodeInvalid, "invalid argument", "invalid"},
}

// Known gives the answer to one of the errors above, alone or wrapped.
func Known(err error) (status, code int, message string, ok bool) {
	for _, k := range known {
		if errors.Is(err, k.err) {
			return k.status, k.code, k.message, true
		}
	}
	return http.StatusInternalServerError, CodeInternal, "internal error", false
}

// CheckReply says why an answer that a MapError chose for a failure cannot be sent.
func CheckReply(status, code int) error {
	switch {
	case code == 0:
		return errors.New("weboffice: a Reply with code 0 would be a success")
	case status < 200 || status > 599 || status == http.StatusNoContent || status == http.StatusNotModified:
		return errors.New("weboffice: a Reply has an HTTP status that cannot have a body")
	default:
		return nil
	}
}

// AppendFailure appends the body of an answer that is not a success.
func AppendFailure(b []byte, code int, message string) []byte {
	return fmt.Appendf(b, `{"code":%d,"message":%s}`, code, AppendString(nil, message))
}

// AppendString appends s to b as a JSON string, as encoding/json writes it with
// SetEscapeHTML(false): bytes that are not UTF-8 become U+FFFD. Most strings need no
// escape, and are copied.
func AppendString(b []byte, s string) []byte {
	if plain(s) {
		return append(append(append(b, '"'), s...), '"')
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(s) // a string always encodes
	return append(b, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...)
}

func plain(s string) bool {
	ascii := true
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c == '"' || c == '\\' {
			return false
		}
		ascii = ascii && c < utf8.RuneSelf
	}
	return ascii || utf8.ValidString(s) &&
		!strings.Contains(s, "\u2028") && !strings.Contains(s, "\u2029") // ends of lines in JavaScript
}

// Write sends body, which is JSON. No cache may keep an answer: it may hold a signed
// URL or a token.
func Write(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h["Content-Type"] = jsonType
	h["Cache-Control"] = noStore
	h["X-Content-Type-Options"] = noSniff
	w.WriteHeader(status)
	_, _ = w.Write(body) // the caller may be gone
}

var (
	jsonType = []string{"application/json"}
	noStore  = []string{"no-store"}
	noSniff  = []string{"nosniff"}
)

// RequestID returns X-Request-Id, which the service's support asks for (public
// reference 3.1), cut to what is safe to log and to repeat.
func RequestID(h http.Header) string {
	const most = 128
	id := h.Get("X-Request-Id")
	id = id[:min(len(id), most)]
	if strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ""
	}
	return id
}
