package tokentest

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"time"

	"github.com/weboffice-go/weboffice/internal/redact"
	"github.com/weboffice-go/weboffice/signing"
)

// AnswerError is an answer that is a refusal, or breaks a rule.
type AnswerError struct {
	StatusCode int // Of HTTP.
	Code       int // Zero if it could not be read.
	Message    string
	Rule       string // The rule that the answer breaks; empty for a refusal in the right form.
	Body       []byte // Without the user's token and the access token.
}

// Error says which rule is broken, or which failure the answer is.
func (e *AnswerError) Error() string {
	if e.Rule != "" {
		return fmt.Sprintf("tokentest: the answer (HTTP %d) breaks a rule: %s", e.StatusCode, e.Rule)
	}
	return fmt.Sprintf("tokentest: refused: HTTP %d, code %d: %s", e.StatusCode, e.Code, e.Message)
}

func (e *AnswerError) hide(secrets ...signing.Secret) {
	for _, s := range secrets {
		e.Body = []byte(redact.Text(string(e.Body), s.Reveal()))
		e.Message = redact.Text(e.Message, s.Reveal())
	}
}

// answer is what a handler sent.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// grant is a success of protocol 2.11.
type grant struct {
	token signing.Secret
	life  time.Duration
}

// members are those of a JSON object, by their exact names.
type members map[string]json.RawMessage

// envelope checks what every answer has in common (protocol 7 rule 1).
func (a *answer) envelope() (m members, e *AnswerError) {
	mediaType, _, _ := mime.ParseMediaType(a.header.Get("Content-Type"))
	_ = json.Unmarshal(a.body, &m) // nil if it is not an object
	code, notNumber := strconv.Atoi(string(m["code"]))
	message, isText := m.text("message")
	e = &AnswerError{StatusCode: a.status, Code: code, Message: message, Body: a.body}
	switch {
	case mediaType != signing.ContentType:
		e.Rule = "Content-Type is application/json"
	case m == nil:
		e.Rule = "the body is a JSON object"
	case notNumber != nil:
		e.Rule = "code is a number (protocol 7 rule 1)"
	case !isText:
		e.Rule = "message is a string (protocol 2.11)"
	default:
		return m, e
	}
	return nil, e
}

// success checks an answer against protocol 2.11 and 4.3. What it could read of a
// bad answer comes with the error.
func (a *answer) success() (g grant, failed *AnswerError) {
	m, e := a.envelope()
	if m == nil || e.Code != 0 {
		return g, e
	}
	var data members
	_ = json.Unmarshal(m["data"], &data) // nil if it is not an object
	accessToken, isText := data.text("access_token")
	tokenType, _ := data.text("token_type")
	seconds, err := strconv.ParseInt(string(data["expires_in"]), 10, 32)
	g = grant{signing.NewSecret(accessToken), time.Duration(seconds) * time.Second}
	switch {
	case data == nil:
		e.Rule = "data is an object (protocol 2.11)"
	case a.status != http.StatusOK:
		e.Rule = "a success has HTTP status 200 (protocol 4.3)"
	case !isText || accessToken == "":
		e.Rule = "data.access_token is a string and not empty (protocol 2.11)"
	case tokenType != "bearer":
		e.Rule = `data.token_type is "bearer" (protocol 2.11)`
	case err != nil || seconds < 1:
		e.Rule = "data.expires_in is a whole number of seconds, at least 1 (protocol 2.11)"
	default:
		return g, nil
	}
	return g, e
}

// text is a member that is a string.
func (m members) text(name string) (s string, ok bool) {
	raw := m[name]
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}
