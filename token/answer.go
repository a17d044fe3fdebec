package token

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/weboffice-go/weboffice/internal/observe"
	"github.com/weboffice-go/weboffice/internal/redact"
	"github.com/weboffice-go/weboffice/signing"
)

// answer is what the token endpoint answers: bare or in an envelope, a success, or a
// failure in the service's form (code, msg) or in OAuth's (error).
type answer struct {
	AccessToken string          `json:"access_token"`
	TokenType   string          `json:"token_type"`
	ExpiresIn   json.RawMessage `json:"expires_in"` // a number, or a string of one

	Code    json.RawMessage `json:"code"` // likewise
	Msg     string          `json:"msg"`
	Message string          `json:"message"`
	Data    *answer         `json:"data"`

	Error            string `json:"error"`
	ErrorDescription string `json:"error_description"`
}

// readAnswer makes a Token of an answer, or says what the answer is instead.
func readAnswer(resp *http.Response, body []byte, asked time.Time, secrets []string) (Token, *EndpointError) {
	var a answer
	err := json.Unmarshal(body, &a)
	code, noCode := number(a.Code)
	wait, _ := number([]byte(resp.Header.Get("Retry-After"))) // the form with a date counts as none
	e := &EndpointError{StatusCode: resp.StatusCode, retryAfter: time.Duration(min(max(wait, 0), maxLife)) * time.Second}
	// A failure is one whatever the HTTP status.
	e.refused = resp.StatusCode/100 != 2 || a.Error != "" || len(a.Code) > 0 && (noCode != nil || code != 0)
	data := cmp.Or(a.Data, &answer{})
	if e.refused {
		e.Code, e.Message = int(code), redact.Text(a.message(resp), a.AccessToken, data.AccessToken) // it should not have them
	} else if a.AccessToken == "" {
		a = *data
	}
	seconds, noNumber := number(a.ExpiresIn)
	switch {
	case len(body) > maxAnswer:
		e.Message = "the answer is too long"
	case e.refused:
	case err != nil:
		e.Message = "the answer is not a JSON object of the expected form"
	case a.AccessToken == "":
		e.Message = "the answer has no access_token"
	case a.TokenType != "" && !strings.EqualFold(a.TokenType, "bearer"):
		e.Message = "token_type is not bearer"
	case noNumber != nil || seconds < 0 || seconds > maxLife:
		e.Message = "expires_in is not a number of seconds"
	default:
		t := Token{AccessToken: signing.NewSecret(a.AccessToken)}
		if seconds > 0 {
			t.ExpiresAt = asked.Add(time.Duration(seconds) * time.Second)
		}
		return t, nil
	}
	e.show(body, secrets)
	return Token{}, e
}

// message is what a failure says about itself.
func (a *answer) message(resp *http.Response) string {
	oauth := a.Error
	if a.ErrorDescription != "" {
		oauth += ": " + a.ErrorDescription
	}
	unnamed := "the answer is a failure without a message"
	if to, err := resp.Location(); err == nil && resp.StatusCode/100 == 3 {
		unnamed = fmt.Sprintf("a redirect to %s://%s, which is not followed: is URL right?", to.Scheme, to.Host)
	} else if resp.StatusCode/100 != 2 {
		unnamed = cmp.Or(strings.ToLower(http.StatusText(resp.StatusCode)), "no message")
	}
	return cmp.Or(a.Msg, a.Message, oauth, unnamed)
}

// maxLife keeps a time.Duration from overflowing; it is more than a century.
const maxLife = math.MaxUint32

// number reads a JSON number, or a string with one, rounded down. An absent member and
// null are zero.
func number(raw []byte) (int64, error) {
	s := string(bytes.Trim(raw, `"`))
	if s == "" || s == "null" {
		return 0, nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(math.Abs(f) <= 1<<53) { // NaN is not
		return 0, errors.New("not a number")
	}
	return int64(math.Floor(f)), nil
}

// EndpointError is an answer of the token endpoint without a token: a failure, or an answer
// that cannot be read.
type EndpointError struct {
	StatusCode int    // HTTP status; a failure may come with 200.
	Code       int    // Zero if there was none.
	Message    string // Of the answer, or what is wrong with it.
	Body       []byte // Cut at 1 KiB; nil if it may hold a token or quotes a secret.

	retryAfter time.Duration
	refused    bool // The endpoint reports a failure.
}

func (e *EndpointError) Error() string {
	if e.Code == 0 {
		return fmt.Sprintf("the token endpoint answered HTTP %d: %s", e.StatusCode, e.Message)
	}
	return fmt.Sprintf("the token endpoint answered HTTP %d, code %d: %s", e.StatusCode, e.Code, e.Message)
}

// DocURL returns the URL of a page about such answers; one in Chinese is beside it.
func (*EndpointError) DocURL() string {
	return "https://github.com/weboffice-go/weboffice/blob/main/docs/errors.md#tokenendpointerror"
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
	e.Message = redact.Cut(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' ' // an answer must not write lines of its own into a log
		}
		return r
	}, message), maxKept)
	if !quotes && !regexp.MustCompile(tokenLike).Match(body) { // compiled here, since failures are rare
		e.Body = []byte(redact.Cut(redact.Text(string(body), secrets...), maxKept))
	}
}

// maxKept is how many bytes of an answer an EndpointError repeats.
const maxKept = 1 << 10

// kind is the weboffice.Outcome.Error of an attempt.
func kind(err error) string {
	var e *EndpointError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e) && e.StatusCode == http.StatusTooManyRequests:
		return "rate_limited"
	case e != nil && e.refused:
		return "refused"
	case e != nil:
		return "invalid"
	default:
		return observe.Kind(err)
	}
}

// pause is how long to wait after a failed attempt, and whether another one may succeed: the
// network failed, or the endpoint says that it is busy or broken. A random part keeps many
// machines from asking together, and a Retry-After is obeyed up to maxRetry.
func pause(attempt int, err error) (wait time.Duration, again bool) {
	wait = min(firstRetry<<min(attempt-1, 10), maxRetry)
	wait = wait/2 + rand.N(wait/2) //nolint:gosec // A pause is not a secret.
	var e *EndpointError
	if !errors.As(err, &e) {
		return wait, true
	}
	return max(wait, min(e.retryAfter, maxRetry)), e.StatusCode >= 500 || e.StatusCode == http.StatusTooManyRequests
}
