package token

import (
	"errors"
	"mime"
	"net/http"
	"strings"

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

// unreadable is the refusal of a body that [callback.Bound] has cut off, also
// within the error of a Verifier; nil for other errors.
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

// isJSON tolerates parameters such as charset. Whether the signature covers them
// is the verifier's matter.
func isJSON(contentType string) bool {
	if contentType == signing.ContentType {
		return true
	}
	mediaType, _, err := mime.ParseMediaType(contentType)
	return err == nil && strings.EqualFold(mediaType, signing.ContentType)
}

// parseRequest reads the three fields, all of them required strings. Other
// members are passed over. The names must match to the letter and none may come
// twice: somebody in between could otherwise see another request than we do.
func parseRequest(body []byte, asked *Request) error {
	fields := [...]field{{name: "app_id"}, {name: "file_id"}, {name: "weboffice_token"}}
	if err := readFields(body, fields[:]); err != nil {
		return err
	}
	var problems []string
	for i := range fields {
		if problem := fields[i].problem(); problem != "" {
			problems = append(problems, fields[i].name+" "+problem)
		}
	}
	if problems != nil {
		return malformed(http.StatusBadRequest, strings.Join(problems, ", "), nil)
	}
	asked.AppID, asked.FileID = fields[0].value, fields[1].value
	asked.WebOfficeToken = signing.NewSecret(fields[2].value)
	return nil
}
