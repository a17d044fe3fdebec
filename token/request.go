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
	mediaType, _, err := mime.ParseMediaType(contentType)
	return err == nil && strings.EqualFold(mediaType, signing.ContentType)
}

// field is one of the members that a request must have, all of them strings.
type field struct {
	name  string
	value json.RawMessage
	seen  int
}

// text returns the text of f, or says what is wrong with it.
func (f *field) text() (s, problem string) {
	switch {
	case f.seen == 0:
		return "", f.name + " is missing"
	case f.seen > 1:
		return "", f.name + " is given more than once"
	case f.value[0] != '"' || json.Unmarshal(f.value, &s) != nil:
		return "", f.name + " must be a string"
	case s == "":
		return "", f.name + " is empty"
	default:
		return s, ""
	}
}

// parseRequest reads the three fields. Other members are ignored.
func parseRequest(body []byte, asked *Request) error {
	fields := [...]field{{name: "app_id"}, {name: "file_id"}, {name: "weboffice_token"}}
	if err := readObject(body, fields[:]); err != nil {
		return err
	}
	var texts, problems []string
	for i := range fields {
		s, problem := fields[i].text()
		texts = append(texts, s)
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
// with the same name: a proxy might see another request than this handler.
func readObject(body []byte, fields []field) error {
	if !json.Valid(body) || !utf8.Valid(body) {
		return malformed(http.StatusBadRequest, "the body is not JSON", nil)
	}
	d := json.NewDecoder(bytes.NewReader(body))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return malformed(http.StatusBadRequest, "the body is not a JSON object", nil)
	}
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err = errors.Join(err, d.Decode(&value)); err != nil {
			return malformed(http.StatusBadRequest, "the body is not JSON", err) // deeper than a Decoder goes
		}
		for i := range fields {
			if name == fields[i].name {
				fields[i].value = value
				fields[i].seen++
			}
		}
	}
	return nil
}
