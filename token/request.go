package token

import (
	"bytes"
	"cmp"
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
		return cmp.Or(unreadable(err), malformed(http.StatusBadRequest, "the body could not be read", err))
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

// parseRequest reads three members of body, which must be one JSON object in UTF-8. Other
// members are ignored. json.Unmarshal would take "App_Id" for "app_id", and the last of two
// members with the same name: a proxy might see another request than this handler. A
// json.Decoder would make the whole callback take twice as long.
func parseRequest(body []byte, asked *Request) error {
	if !json.Valid(body) || !utf8.Valid(body) {
		return malformed(http.StatusBadRequest, "the body is not JSON", nil)
	}
	if bytes.TrimLeft(body, space)[0] != '{' {
		return malformed(http.StatusBadRequest, "the body is not a JSON object", nil)
	}
	names := [...]string{"app_id", "file_id", "weboffice_token"}
	var values [len(names)][]byte // each from its first byte to the end of the body
	var seen [len(names)]int
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
				for n, text := 0, unquote(name); n < len(names); n++ {
					if text == names[n] {
						values[n] = bytes.TrimLeft(rest[1:], space)
						seen[n]++
					}
				}
			}
		}
	}
	var texts [len(names)]string
	var problems []string
	for i, name := range names {
		switch {
		case seen[i] == 0:
			problems = append(problems, name+" is missing")
		case seen[i] > 1:
			problems = append(problems, name+" is given more than once")
		case values[i][0] != '"':
			problems = append(problems, name+" must be a string")
		default:
			if texts[i] = unquote(quoted(values[i])); texts[i] == "" {
				problems = append(problems, name+" is empty")
			}
		}
	}
	if problems != nil {
		return malformed(http.StatusBadRequest, strings.Join(problems, ", "), nil)
	}
	asked.AppID, asked.FileID, asked.WebOfficeToken = texts[0], texts[1], signing.NewSecret(texts[2])
	return nil
}

const space = " \t\r\n" // of JSON

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
func unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	_ = json.Unmarshal(raw, &s) // it is valid
	return s
}
