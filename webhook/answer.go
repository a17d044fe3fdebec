package webhook

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/weboffice-go/weboffice/internal/callback"
	"github.com/weboffice-go/weboffice/internal/httpx"
)

// maxKept is how much of an answer's body an APIError keeps.
const maxKept = 4 << 10

// answer is what a send is answered with. The protocol does not show it; recorded
// answers have result and msg, and others of the same family errno, code and reason
// (public reference 6.1).
type answer struct {
	Result  *text `json:"result"`
	Code    *text `json:"code"`
	Errno   *text `json:"errno"`
	Msg     text  `json:"msg"`
	Message text  `json:"message"`
	Reason  text  `json:"reason"`
}

// text is a JSON value that should be a string or a number, as text.
type text string

// UnmarshalJSON never fails: an odd field must not hide the others.
func (t *text) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) != nil {
		s = string(b)
	}
	*t = text(s)
	return nil
}

// refusal returns nil if resp says that the message was accepted: a status of 2xx, and
// result "ok", or code 0 if there is no result. An answer that is not whole says nothing.
func (r *Robot) refusal(resp *httpx.Response, whole bool) *APIError {
	e := &APIError{StatusCode: resp.StatusCode}
	var a *answer
	switch {
	case !whole:
		e.Message = fmt.Sprintf("the answer has more than %d bytes", maxAnswer)
	case json.Unmarshal(resp.Body, &a) == nil && a != nil:
		if a.explain(e) && resp.StatusCode/100 == 2 {
			return nil
		}
	case resp.StatusCode/100 == 3:
		e.Message = "the answer is a redirect, and redirects are not followed"
	default:
		e.Message = "the answer is not a JSON object"
	}
	e.Result, e.Message = r.hide(e.Result), r.hide(e.Message)
	e.RequestID = r.hide(callback.RequestID(resp.Header))
	e.RetryAfter = httpx.RetryAfter(resp.Header, r.cfg.Now())
	body := r.hide(string(resp.Body))
	e.Body = []byte(body[:min(len(body), maxKept)])
	e.rateLimited = r.cfg.RateLimited(e)
	return e
}

// explain puts what the answer says into e, and reports whether it says that the message
// was accepted.
func (a *answer) explain(e *APIError) (accepted bool) {
	accepted = a.Code != nil || a.Errno != nil
	if a.Result != nil {
		e.Result = string(*a.Result)
		accepted = e.Result == "ok"
	}
	for _, code := range []*text{a.Code, a.Errno} {
		if code != nil && *code != "0" {
			e.Code, _ = strconv.Atoi(string(*code)) // what is not a number is in Body alone
			accepted = false
		}
	}
	e.Message = string(cmp.Or(a.Msg, a.Message, a.Reason))
	if e.Result == "" && e.Message == "" && e.Code == 0 {
		e.Message = `the answer has no result "ok"`
	}
	return accepted
}
