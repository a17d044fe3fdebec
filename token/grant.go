package token

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/weboffice-go/weboffice/internal/redact"
	"github.com/weboffice-go/weboffice/signing"
)

// grant is an answer of the token endpoint: bare or in an envelope, a success, or a
// failure in the service's form (code, msg) or in OAuth's (error).
type grant struct {
	AccessToken string          `json:"access_token"`
	TokenType   string          `json:"token_type"`
	ExpiresIn   json.RawMessage `json:"expires_in"` // a number, or a string of one

	Code    json.RawMessage `json:"code"` // likewise
	Msg     string          `json:"msg"`
	Message string          `json:"message"`
	Data    *grant          `json:"data"`

	Error            string `json:"error"`
	ErrorDescription string `json:"error_description"`
}

// readGrant makes a Token of an answer, or says what the answer is instead.
func readGrant(resp *http.Response, body []byte, asked time.Time, secrets []string) (Token, *EndpointError) {
	t, failure := parseGrant(resp.StatusCode, body, asked)
	if failure != nil {
		failure.StatusCode = resp.StatusCode
		failure.retryAfter = retryAfter(resp.Header)
		failure.show(body, secrets)
	}
	return t, failure
}

func parseGrant(status int, body []byte, asked time.Time) (Token, *EndpointError) {
	if len(body) > maxAnswer {
		return Token{}, &EndpointError{Message: "the answer is too long"}
	}
	var g grant
	err := json.Unmarshal(body, &g)
	if status/100 != 2 || g.failed() {
		return Token{}, g.failure(status)
	}
	if err != nil {
		return Token{}, &EndpointError{Message: "the answer is not a JSON object of the expected form"}
	}
	if g.AccessToken == "" && g.Data != nil {
		g = *g.Data
	}
	return g.token(asked)
}

// failed reports whether g says that it is a failure, whatever the HTTP status.
func (g *grant) failed() bool {
	code, err := number(g.Code)
	return g.Error != "" || len(g.Code) > 0 && (err != nil || code != 0)
}

func (g *grant) failure(status int) *EndpointError {
	code, _ := number(g.Code)
	oauth := g.Error
	if g.ErrorDescription != "" {
		oauth += ": " + g.ErrorDescription
	}
	unnamed := "the answer is a failure without a message"
	if status/100 != 2 {
		unnamed = cmp.Or(strings.ToLower(http.StatusText(status)), "no message")
	}
	tokens := []string{g.AccessToken} // which an error answer should not have
	if g.Data != nil {
		tokens = append(tokens, g.Data.AccessToken)
	}
	message := redact.Text(cmp.Or(g.Msg, g.Message, oauth, unnamed), tokens...)
	return &EndpointError{Code: int(code), Message: message, refused: true}
}

// token checks a success (public reference 7.2).
func (g *grant) token(asked time.Time) (Token, *EndpointError) {
	if g.AccessToken == "" {
		return Token{}, &EndpointError{Message: "the answer has no access_token"}
	}
	if g.TokenType != "" && !strings.EqualFold(g.TokenType, "bearer") {
		return Token{}, &EndpointError{Message: "token_type is not bearer"}
	}
	seconds, err := number(g.ExpiresIn)
	if err != nil || seconds < 0 || seconds > maxLife {
		return Token{}, &EndpointError{Message: "expires_in is not a number of seconds"}
	}
	t := Token{AccessToken: signing.NewSecret(g.AccessToken)}
	if seconds > 0 {
		t.ExpiresAt = asked.Add(time.Duration(seconds) * time.Second)
	}
	return t, nil
}

// maxLife keeps a time.Duration from overflowing; it is more than a century.
const maxLife = math.MaxUint32

// number reads a JSON number, or a string with one, rounded down. An absent member and
// null are zero.
func number(raw json.RawMessage) (int64, error) {
	s := string(bytes.Trim(raw, `"`))
	if s == "" || s == "null" {
		return 0, nil
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(math.Abs(f) <= math.MaxInt32) { // NaN is not
		return 0, errors.New("not a number")
	}
	return int64(math.Floor(f)), nil
}

// retryAfter reads the form with seconds; the form with a date counts as none.
func retryAfter(h http.Header) time.Duration {
	seconds, _ := number([]byte(h.Get("Retry-After")))
	return time.Duration(min(max(seconds, 0), maxLife)) * time.Second
}

// EndpointError is an answer of the token endpoint without a token: a failure that the
// endpoint reports, or an answer that public reference 7.2 does not show. It holds no
// secret of the client, and no token.
type EndpointError struct {
	StatusCode int    // HTTP status; a failure may come with 200.
	Code       int    // code, or zero if there was none.
	Message    string // msg, message, or error and error_description of the answer; otherwise what is wrong with it.
	Body       []byte // As received, cut at 1 KiB, without secrets; nil if it may hold a token or quotes a secret.

	retryAfter time.Duration
	refused    bool // The endpoint reports a failure.
}

// Error returns status, code and message in one line.
func (e *EndpointError) Error() string {
	code := ""
	if e.Code != 0 {
		code = ", code " + strconv.Itoa(e.Code)
	}
	return fmt.Sprintf("the token endpoint answered HTTP %d%s: %s", e.StatusCode, code, e.Message)
}

// tokenLike finds what may be a token in an answer that could not be read: the names of
// tokens, the start of a JWT, a long run of the characters of a token (RFC 6750 2.1), and
// an answer that consists of them.
const tokenLike = `(?i)access_token|refresh_token|id_token|eyj|[\w.~+=-]{24}|^[\s"]*[\w.~+/=-]{16,}[\s"]*$`

// show keeps what may be seen of the answer. If the message quotes a secret, the body
// does too, and perhaps in an escaped form.
func (e *EndpointError) show(body []byte, secrets []string) {
	message := redact.Text(e.Message, secrets...)
	quotes := message != e.Message
	e.Message = cut(strings.Map(oneLine, message))
	if !quotes && !regexp.MustCompile(tokenLike).Match(body) { // compiled here, since failures are rare
		e.Body = []byte(cut(redact.Text(string(body), secrets...)))
	}
}

// cut bounds what an EndpointError repeats.
func cut(s string) string {
	const most = 1 << 10
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "")
	}
	return s
}

// oneLine keeps an answer from writing lines of its own into a log.
func oneLine(r rune) rune {
	if unicode.IsControl(r) {
		return ' '
	}
	return r
}
