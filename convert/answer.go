package convert

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/internal/httpx"
)

// How much of an answer an APIError keeps, in bytes.
const (
	maxErrorBody    = 1 << 10
	maxErrorMessage = 300
)

// answer is what came back, before anybody knows whether it is a success.
type answer struct {
	e        *exchange
	c        *Client
	response *httpx.Response
}

// envelope is what every answer has around its data (protocol 2.2, 2.3, 7).
type envelope struct {
	Code    code `json:"code"`
	Message word `json:"message"`
	Msg     word `json:"msg"`
	Result  word `json:"result"` // "ok" in samples; it decides nothing (protocol 2.2)
	Data    any  `json:"data"`   // a pointer into which the data goes
}

var (
	errNotJSON = errors.New("not the JSON of an answer")
	errNoCode  = errors.New("no code (protocol 7)")
	errEmpty   = errors.New("the answer is empty")
)

// decode proves that the answer is a success, and puts its data into data, a
// pointer. Its error is an *APIError.
func (a *answer) decode(data any) error {
	env := envelope{Data: data}
	err := json.Unmarshal(a.response.Body, &env)
	status := a.response.StatusCode
	switch {
	case env.Code.value != 0 || status/100 != 2:
		return a.refuse(&env, nil)
	case len(bytes.TrimSpace(a.response.Body)) == 0:
		return a.refuse(&env, errEmpty)
	case err != nil:
		return a.refuse(&env, shapeError(err))
	case !env.Code.present:
		return a.refuse(&env, errNoCode)
	default:
		return nil
	}
}

// fail is for an answer whose envelope is a success, but which is none.
func (a *answer) fail(why error) error { return a.refuse(&envelope{}, why) }

// refuse makes the error of an answer, and asks whether it is a refusal for rate.
func (a *answer) refuse(env *envelope, why error) error {
	var secrets []string
	if a.e.secrets != nil {
		secrets = a.e.secrets()
	}
	message := env.Message
	for _, other := range []word{env.Msg, env.Result} {
		if message == "" {
			message = other
		}
	}
	h := a.response.Header
	refused := &APIError{
		Op:         a.e.op,
		StatusCode: a.response.StatusCode,
		Code:       env.Code.value,
		Message:    cut(clean(string(message), secrets), maxErrorMessage),
		RequestID:  cut(h.Get("X-Request-Id"), maxErrorMessage),
		RetryAfter: httpx.RetryAfter(h, a.c.cfg.Now()),
		Body:       []byte(cut(clean(string(a.response.Body), secrets), maxErrorBody)),
		Err:        why,
	}
	refused.limited = a.c.cfg.RateLimited(refused)
	return refused
}

// shapeError says what was wrong with JSON without repeating any of it.
func shapeError(err error) error {
	var typeError *json.UnmarshalTypeError
	if errors.As(err, &typeError) && typeError.Field != "" {
		return fmt.Errorf("%w: field %q has another type", errNotJSON, typeError.Field)
	}
	return errNotJSON
}

func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for range utf8.UTFMax - 1 { // not within a character
		if !utf8.RuneStart(s[most]) {
			most--
		}
	}
	return s[:most] + "…"
}
