package token

import (
	"bytes"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/internal/callback"
	"github.com/weboffice-go/weboffice/signing"
)

// readRequest fills asked from the body of r (protocol 2.11).
func readRequest(r *http.Request, asked *Request) error {
	if types := r.Header["Content-Type"]; len(types) != 1 || !isJSON(types[0]) {
		return malformed(http.StatusUnsupportedMediaType, "Content-Type must be "+signing.ContentType, nil)
	}
	body, err := callback.ReadBody(r)
	if err != nil {
		if unread := unreadable(err); unread != nil {
			return unread
		}
		return malformed(http.StatusBadRequest, "the body could not be read", err)
	}
	return parseRequest(body, asked)
}

// unreadable is the refusal of a body that [callback.Bound] has cut off, also if a
// Verifier read it; nil for other errors.
func unreadable(err error) error {
	switch cause := callback.BodyError(err); {
	case errors.Is(cause, callback.ErrTooLarge):
		return malformed(http.StatusRequestEntityTooLarge, "the body is too large", err)
	case errors.Is(cause, callback.ErrTooSlow):
		return malformed(http.StatusRequestTimeout, "the body did not arrive in time", err)
	default:
		return nil
	}
}

// isJSON allows parameters such as charset. The verifier checks whether the signature
// covers them.
func isJSON(contentType string) bool {
	if contentType == signing.ContentType {
		return true
	}
	mediaType, _, err := mime.ParseMediaType(contentType)
	return err == nil && strings.EqualFold(mediaType, signing.ContentType)
}

// field is one of the members that a request must have, all of them strings.
type field struct {
	name  string
	value []byte // from its first byte to the end of the body
	seen  int
}

// text returns the text of f, or says what is wrong with it.
func (f *field) text() (s, problem string) {
	switch {
	case f.seen == 0:
		return "", f.name + " is missing"
	case f.seen > 1:
		return "", f.name + " is given more than once"
	case f.value[0] != '"':
		return "", f.name + " must be a string"
	}
	if s = unquote(quoted(f.value)); s == "" {
		return "", f.name + " is empty"
	}
	return s, ""
}

// parseRequest reads the three fields. Other members are ignored.
func parseRequest(body []byte, asked *Request) error {
	fields := [...]field{{name: "app_id"}, {name: "file_id"}, {name: "weboffice_token"}}
	if err := readObject(body, fields[:]); err != nil {
		return err
	}
	var texts [len(fields)]string
	var problems []string
	for i := range fields {
		var problem string
		texts[i], problem = fields[i].text()
		if problem != "" {
			problems = append(problems, problem)
		}
	}
	if problems != nil {
		return malformed(http.StatusBadRequest, strings.Join(problems, ", "), nil)
	}
	asked.AppID, asked.FileID, asked.WebOfficeToken = texts[0], texts[1], signing.NewSecret(texts[2])
	return nil
}

// readObject finds fields among the members of body, which must be one JSON object in
// UTF-8. json.Unmarshal would take "App_Id" for "app_id", and the last of two members
// with the same name: a proxy might see another request than this handler. A json.Decoder
// would make the whole callback take twice as long.
func readObject(body []byte, fields []field) error {
	if !json.Valid(body) || !utf8.Valid(body) {
		return malformed(http.StatusBadRequest, "the body is not JSON", nil)
	}
	if bytes.TrimLeft(body, space)[0] != '{' {
		return malformed(http.StatusBadRequest, "the body is not a JSON object", nil)
	}
	depth := 0
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			name := quoted(body[i:])
			i += len(name) - 1
			if rest := bytes.TrimLeft(body[i+1:], space); depth == 1 && rest[0] == ':' {
				found(fields, name, bytes.TrimLeft(rest[1:], space))
			}
		}
	}
	return nil
}

const space = " \t\r\n" // of JSON

func found(fields []field, name, value []byte) {
	escaped := bytes.IndexByte(name, '\\') >= 0
	for i := range fields {
		if string(name[1:len(name)-1]) == fields[i].name || escaped && unquote(name) == fields[i].name {
			fields[i].value = value
			fields[i].seen++
		}
	}
}

// quoted returns the JSON string at the start of b, with its quotes.
func quoted(b []byte) []byte {
	for i := 1; ; i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return b[:i+1]
		}
	}
}

// unquote returns the text of a JSON string.
func unquote(raw []byte) (s string) {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	_ = json.Unmarshal(raw, &s) // it is valid
	return s
}
