package token

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/internal/redact"
	"github.com/weboffice-go/weboffice/signing"
)

// grant is an answer of the token endpoint: bare or in an envelope, a success or
// a failure in the service's form (code, msg) or in OAuth's (error).
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

// readGrant makes a Token of an answer, or an [*EndpointError].
func readGrant(resp *http.Response, body []byte, asked time.Time, hide func(string) string) (Token, error) {
	t, failure := parseGrant(resp.StatusCode, body, asked)
	if failure == nil {
		return t, nil
	}
	failure.StatusCode = resp.StatusCode
	failure.retryAfter = retryAfter(resp.Header)
	failure.show(body, hide)
	return Token{}, failure
}

func parseGrant(status int, body []byte, asked time.Time) (Token, *EndpointError) {
	if len(body) > MaxEndpointBody {
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

// failed reports whether g says so itself, whatever the HTTP status.
func (g *grant) failed() bool {
	code, err := number(g.Code)
	return g.Error != "" || len(g.Code) > 0 && (err != nil || code != 0)
}

func (g *grant) failure(status int) *EndpointError {
	code, _ := number(g.Code)
	e := &EndpointError{Code: int(code)}
	switch {
	case g.Msg != "":
		e.Message = g.Msg
	case g.Message != "":
		e.Message = g.Message
	case g.ErrorDescription != "":
		e.Message = g.Error + ": " + g.ErrorDescription
	case g.Error != "":
		e.Message = g.Error
	case status/100 == 2:
		e.Message = "the answer is a failure without a message"
	default:
		e.Message = cmp.Or(strings.ToLower(http.StatusText(status)), "no message")
	}
	e.Message = redact.Text(e.Message, g.tokens()...)
	return e
}

// tokens are those that a failure has brought all the same.
func (g *grant) tokens() []string {
	if g.Data == nil {
		return []string{g.AccessToken}
	}
	return []string{g.AccessToken, g.Data.AccessToken}
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

// number reads a JSON number, or a string of one, rounded down. What is absent or
// null is zero.
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

// retryAfter reads the form that counts seconds.
func retryAfter(h http.Header) time.Duration {
	seconds, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || seconds < 0 || seconds > math.MaxInt32 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}
