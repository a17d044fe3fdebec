// Package callback holds what the servers of callbacks share (protocol 4.2, 4.3):
// the errors that choose an answer, the JSON of an answer, a deadline, and what is done
// about panics. An answer is always JSON and tells nothing internal; the log does.
package callback

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
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

// Known gives the answer to one of the errors above, alone or wrapped.
func Known(err error) (status, code int, message string, ok bool) {
	switch {
	case errors.Is(err, ErrUnauthorized):
		return http.StatusUnauthorized, CodeUnauthorized, "unauthorized", true
	case errors.Is(err, ErrForbidden):
		return http.StatusForbidden, CodeForbidden, "forbidden", true
	case errors.Is(err, ErrNotFound):
		return http.StatusNotFound, CodeNotFound, "not found", true
	case errors.Is(err, ErrInvalid):
		return http.StatusBadRequest, CodeInvalid, "invalid argument", true
	default:
		return http.StatusInternalServerError, CodeInternal, "internal error", false
	}
}

// AppendFailure appends the body of an answer that is not a success.
func AppendFailure(b []byte, code int, message string) []byte {
	b = append(b, `{"code":`...)
	b = strconv.AppendInt(b, int64(code), 10)
	b = append(b, `,"message":`...)
	b = AppendString(b, message)
	return append(b, '}')
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
