package convert

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/internal/httpx"
	"github.com/weboffice-go/weboffice/internal/redact"
	"github.com/weboffice-go/weboffice/signing"
)

// How much of an answer an APIError keeps, in bytes.
const (
	maxErrorBody    = 1 << 10
	maxErrorMessage = 300
)

// envelope is the form of every answer (protocol 2.2, 2.3, 7).
type envelope struct {
	Code    word `json:"code"`
	Message word `json:"message"`
	Msg     word `json:"msg"`
	Result  word `json:"result"` // "ok" in samples; it decides nothing (protocol 2.2)
	Data    any  `json:"data"`   // a pointer into which the data goes
}

// code returns the code, an integer, also in quotes. Anything else is as if it were not
// there, which is not a success.
func (e *envelope) code() (n int, ok bool) {
	n, err := strconv.Atoi(string(e.Code))
	if err != nil {
		return 0, false
	}
	return n, true
}

var errNotJSON = errors.New("not the JSON of an answer")

// decode checks that the answer is a success, and decodes its data into data, a pointer.
// Its error is an *APIError.
func (a *attempt) decode(data any) error {
	env := envelope{Data: data}
	err := json.Unmarshal(a.response.Body, &env)
	code, hasCode := env.code()
	switch {
	case code != 0 || a.response.StatusCode/100 != 2:
		return a.refuse(&env, a.explain(code))
	case len(bytes.TrimSpace(a.response.Body)) == 0:
		return a.refuse(&env, errors.New("the answer is empty"))
	case err != nil:
		return a.refuse(&env, shapeError(err))
	case !hasCode:
		return a.refuse(&env, errors.New("no code (protocol 7)"))
	default:
		return nil
	}
}

// fail reports an answer that claims success but lacks required data.
func (a *attempt) fail(why error) error { return a.refuse(&envelope{}, why) }

// explain names the usual reasons of an answer that is not a success. It may return nil.
func (a *attempt) explain(code int) error {
	switch r := a.response; {
	case r.StatusCode/100 == 3 && r.Redirect != "":
		return fmt.Errorf("it redirects to %s, which a signed call does not follow: is BaseURL right?", redact.Text(r.Redirect, a.secrets()...))
	case r.StatusCode == http.StatusBadRequest && bytes.Contains(r.Body, []byte("HTTP request")) && bytes.Contains(r.Body, []byte("HTTPS")):
		return errors.New("the server expects https: does BaseURL begin with http?") // as net/http and nginx say it
	case code == CodeInvalidSignature:
		date, err := signing.ParseDate(r.Header.Get("Date"))
		if skew := date.Sub(a.c.cfg.Now()).Round(time.Second); err == nil && skew.Abs() > time.Minute {
			return fmt.Errorf("the clock of the service is %v ahead of the one here (negative: behind)", skew)
		}
	}
	return nil
}

func (a *attempt) secrets() []string {
	if a.e.secrets == nil {
		return nil
	}
	return a.e.secrets()
}

// requestID returns X-Request-Id, for which a server might put anything.
func requestID(h http.Header, secrets []string) string {
	return redact.Cut(redact.Text(h.Get("X-Request-Id"), secrets...), maxErrorMessage)
}

// refuse returns the error of an answer.
func (a *attempt) refuse(env *envelope, why error) error {
	secrets := a.secrets()
	code, _ := env.code()
	message := cmp.Or(env.Message, env.Msg, env.Result)
	refused := &APIError{
		Op:         a.e.op,
		StatusCode: a.response.StatusCode,
		Code:       code,
		Message:    redact.Cut(clean(string(message), secrets), maxErrorMessage),
		RequestID:  requestID(a.response.Header, secrets),
		RetryAfter: httpx.RetryAfter(a.response.Header, a.c.cfg.Now()),
		Body:       []byte(redact.Cut(clean(string(a.response.Body), secrets), maxErrorBody)),
		Err:        why,
	}
	refused.limited = a.c.cfg.RateLimited(refused)
	return refused
}

// shapeError says what is wrong with JSON without repeating any of it.
func shapeError(err error) error {
	var typeError *json.UnmarshalTypeError
	if errors.As(err, &typeError) && typeError.Field != "" {
		return fmt.Errorf("%w: field %q has another type", errNotJSON, typeError.Field)
	}
	return errNotJSON
}

// word is a text that may have another type: a state is an integer in a second family of
// tasks, and a message may be null (public reference 1.1).
type word string

// UnmarshalJSON reads a string; null is empty, and anything else is kept as written.
func (w *word) UnmarshalJSON(b []byte) error {
	switch {
	case b[0] == '"' && (bytes.IndexByte(b, '\\') >= 0 || !utf8.Valid(b)):
		return json.Unmarshal(b, (*string)(w))
	case b[0] == '"': // there is nothing to decode
		b = b[1 : len(b)-1]
	case string(b) == "null":
		b = nil
	}
	*w = word(b)
	return nil
}

// number is a number, also in quotes, and whether there is one. A json.Number would be
// one allocation more for each.
type number struct {
	value   float64
	present bool
}

// UnmarshalJSON ignores null.
func (n *number) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	digits := bytes.Trim(b, `"`)
	value, err := strconv.ParseFloat(string(digits), 64)
	if err != nil || len(digits) < len(b) && !json.Valid(digits) { // such as "NaN"
		return errNotJSON
	}
	*n = number{value: value, present: true}
	return nil
}

// clean hides secrets in what the service wrote, and in every URL what gives access: the
// service may repeat the URL of a document or of a result.
func clean(text string, secrets []string) string {
	text = redact.Text(text, secrets...)
	if !strings.ContainsAny(text, "?#@") {
		return text
	}
	return hideQueries(userInfo.ReplaceAllString(text, "${1}"+redact.Hidden+"@"))
}

// outsideURL are characters that end a URL in a text.
const outsideURL = " \t\r\n\"'`<>,;)"

var (
	userInfo = regexp.MustCompile(`(:\\?/[:\\/]*)[^/?#\\` + outsideURL + `]*@`) // JSON may escape slashes
	query    = regexp.MustCompile(`[?#][^` + outsideURL + `]*`)
)

// hideQueries hides what follows a "?", and what follows a "#" if it could be a query.
func hideQueries(s string) string {
	return query.ReplaceAllStringFunc(s, func(q string) string {
		if strings.Contains(q, "=") || q[0] == '?' && len(q) > redact.MinPart {
			return q[:1] + redact.Hidden
		}
		return q
	})
}
