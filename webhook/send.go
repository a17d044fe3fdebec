package webhook

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/weboffice-go/weboffice"
	"github.com/weboffice-go/weboffice/internal/callback"
	"github.com/weboffice-go/weboffice/internal/httpx"
	"github.com/weboffice-go/weboffice/internal/observe"
)

// Send checks m, waits for the Limiter, and posts m. It returns nil only if the service
// said that it took the message. Only a message that was rate-limited is sent again.
//
// The error is a [*FieldError] if m breaks a rule, a [*LimitError] if its slot comes
// too late for ctx, and an [*APIError] if the service did not accept it.
func (r *Robot) Send(ctx context.Context, m Message) error {
	if err := r.Check(m); err != nil {
		return err
	}
	return r.deliver(ctx, m.encode())
}

// SendAll checks all of ms, then sends one after the other as [Robot.Send] does, up to
// the first error. If any breaks a rule, none is sent, and every problem is reported.
// Of ms[sent:] none was accepted, but the error may leave open whether ms[sent] arrived.
func (r *Robot) SendAll(ctx context.Context, ms ...Message) (sent int, err error) {
	bodies := make([][]byte, len(ms))
	var c checker
	for i, m := range ms {
		c.prefix = fmt.Sprintf("ms[%d].", i)
		if c.message(m, r.cfg.MaxLength, r.cfg.Keywords); c.problems == nil {
			bodies[i] = m.encode()
		}
	}
	if err := c.err(); err != nil {
		return 0, err
	}
	for i, body := range bodies {
		if err := r.deliver(ctx, body); err != nil {
			return i, err
		}
	}
	return len(ms), nil
}

// SendLong sends the pieces into which [Robot.Split] cuts m, as [Robot.SendAll] does.
func (r *Robot) SendLong(ctx context.Context, m Message, opts *SplitOptions) (sent int, err error) {
	pieces, err := r.Split(m, opts)
	if err != nil {
		return 0, err
	}
	return r.SendAll(ctx, pieces...)
}

// Split is [Split] for this robot: a Limit of zero is Config.MaxLength, and pieces
// without a Label are numbered, after a keyword if Title has none.
func (r *Robot) Split(m Message, opts *SplitOptions) ([]Message, error) {
	o := *cmp.Or(opts, &SplitOptions{})
	o.Limit = cmp.Or(o.Limit, r.cfg.MaxLength)
	if words := r.cfg.Keywords; len(words) > 0 && !contains([]string{o.Title}, words) {
		o.Title = words[0] + " " + o.Title
	}
	if o.Label == nil {
		o.Label = numbered(o.Title)
	}
	return Split(m, &o)
}

// Check returns the [*FieldError]s with which [Robot.Send] would refuse m.
func (r *Robot) Check(m Message) error {
	var c checker
	c.message(m, r.cfg.MaxLength, r.cfg.Keywords)
	return c.err()
}

// deliver posts body, again while the service rate-limits it, and only then
// (protocol 8).
func (r *Robot) deliver(ctx context.Context, body []byte) error {
	if ctx.Err() != nil {
		return fmt.Errorf("webhook: send: %w", notSent{r.safe(httpx.Ended(ctx))})
	}
	again := func(err error) (time.Duration, bool) {
		var refused *APIError
		if !errors.As(err, &refused) || !refused.rateLimited {
			return 0, false
		}
		r.cfg.Logger.WarnContext(ctx, "webhook: rate-limited", slog.Duration("retry_after", refused.RetryAfter))
		return refused.RetryAfter, true
	}
	return httpx.Repeat(ctx, r.cfg.Attempts, pace, again, func(n int) error { return r.attempt(ctx, n, body) })
}

// attempt waits for a slot and posts body, and tells the Observer.
func (r *Robot) attempt(ctx context.Context, n int, body []byte) error {
	ctx, end := observe.Start(ctx, r.cfg.Observe, weboffice.Operation{Name: "webhook.send", Attempt: n})
	outcome := weboffice.Outcome{App: r.cfg.Name, Error: "failed"} // stays if the Limiter panics
	defer func() { end(outcome) }()
	start := now()
	err := r.cfg.Limiter.Wait(ctx)
	outcome.Waited = now().Sub(start)
	if err == nil {
		err = r.post(ctx, body, &outcome)
	} else if !errors.Is(err, ErrNotSent) { // what a Window says is
		err = fmt.Errorf("webhook: send: limiter: %w", notSent{r.safe(err)})
		if ctx.Err() == nil {
			return err
		}
	}
	outcome.Error = errorKind(err)
	return err
}

// errorKind is what an Outcome says of err.
func errorKind(err error) string {
	var answered *APIError
	switch {
	case err == nil:
		return ""
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, ErrRateLimited):
		return "rate_limited"
	case errors.As(err, &answered) && answered.StatusCode/100 == 2 && answered.Result == "" && answered.Code == 0:
		return "invalid"
	case answered != nil:
		return "refused"
	default:
		return observe.Kind(err)
	}
}

// post posts body once.
func (r *Robot) post(ctx context.Context, body []byte, outcome *weboffice.Outcome) error {
	resp, err := r.do(ctx, httpx.Request{Method: http.MethodPost, URL: r.url.Reveal(), Body: body})
	if resp == nil {
		if errors.Is(err, httpx.ErrNotSent) {
			err = notSent{err}
		}
		return fmt.Errorf("webhook: send: %w", err)
	}
	if r.cfg.Observe != nil { // hiding costs more than all else here
		outcome.Status, outcome.RequestID = resp.StatusCode, r.hide(callback.RequestID(resp.Header))
	}
	if refused := r.refusal(resp, err == nil); refused != nil {
		outcome.Code = refused.Code
		return refused
	}
	r.cfg.Logger.DebugContext(ctx, "webhook: message accepted", slog.Int("bytes", len(body)))
	return nil
}

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
	case resp.Redirect != "":
		e.Message = "the answer is a redirect to " + resp.Redirect + ", and redirects are not followed"
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
