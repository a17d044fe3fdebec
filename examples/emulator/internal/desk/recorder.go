package desk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

// byHeader marks requests of the emulator to itself, by a word that only it knows.
const byHeader = "X-Emulator-Request"

// pending is an exchange in progress, for those who take part in it.
type pending struct {
	ref     string                       // Id of what it made.
	fault   string                       // That spoilt it.
	arrived func(exchange string) string // Called with the id of the exchange; gives a ref.
	secrets []string                     // That only this exchange has.
}

type pendingKey struct{}

func pendingOf(ctx context.Context) *pending {
	p, _ := ctx.Value(pendingKey{}).(*pending)
	return p
}

// record keeps each exchange with the service.
func (d *Desk) record(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := &pending{}
		x := Exchange{Direction: "in", Method: r.Method, By: "other"}
		x.Area, x.Operation = incoming(r)
		own, tell := d.own(r)
		if own {
			x.By = "emulator"
		}
		head, whole := peek(r)
		raw := &rawRequest{r.Method, r.RequestURI, r.Header.Clone(), head}
		started := d.cfg.Now()
		x.At = d.clock.now().UTC()
		explanation := d.explainIncoming(x, raw)
		answer := &recorded{ResponseWriter: w}
		finish := func(broken string) {
			x.Took = milliseconds(d.cfg.Now().Sub(started))
			x.Fault = p.fault
			h := d.hider(p.secrets...)
			x.Detail = &Detail{
				Request: HTTPMessage{
					Line:   r.Method + " " + h.url(r.RequestURI) + " " + r.Proto,
					Header: h.header(raw.header), Body: h.body(head, bodySize(r, head, whole), raw.header.Get("Content-Type")),
				},
				Response: answer.message(h, broken), Explanation: explanation, Broken: []BrokenRule{},
			}
			x.URL = h.url(r.RequestURI)
			x.Status = answer.status
			x.judge(answer.head.Bytes(), h)
			if whole && len(head) <= maxKeptBody {
				x.raw, x.Resendable = raw, true
			}
			tell(d.keep(x, p))
		}
		defer func() {
			if cause := recover(); cause != nil {
				finish("the connection was cut")
				panic(cause) // It goes on, as it would without us.
			}
		}()
		next.ServeHTTP(answer, r.WithContext(context.WithValue(r.Context(), pendingKey{}, p)))
		if answer.status == 0 && answer.hijacked {
			finish("the connection was reset")
			return
		}
		if answer.status == 0 {
			answer.status = http.StatusOK
		}
		finish("")
	})
}

// keep gives the exchange its number and tells of it.
func (d *Desk) keep(x Exchange, p *pending) Exchange {
	x = d.exchanges.add(func(id string) Exchange {
		x.ID, x.Ref = id, p.ref
		return x
	})
	if p.arrived != nil {
		if ref := p.arrived(x.ID); ref != "" {
			x, _ = d.exchanges.change(x.ID, func(x *Exchange) { x.Ref = ref })
		}
	}
	d.journal.add(Event{Kind: kindExchange, Area: x.Area, State: x.state(), Ref: x.ID, Text: x.Method + " " + x.URL + " " + x.Reason},
		cut(x.Detail.Request.Body.Text, 2000))
	return x
}

// peek reads the beginning of a body to look at it, and puts it back.
func peek(r *http.Request) (head []byte, whole bool) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, true
	}
	body := r.Body
	head, err := io.ReadAll(io.LimitReader(body, maxServiceBody+1))
	rest := io.Reader(body)
	if err != nil {
		rest = failing{err}
	}
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(head), rest), body}
	return head, err == nil && len(head) <= maxServiceBody
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// bodySize is that of the body of r, as far as it is known.
func bodySize(r *http.Request, head []byte, whole bool) int {
	if whole {
		return len(head)
	}
	return max(int(r.ContentLength), len(head))
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// recorded notes the beginning of an answer.
type recorded struct {
	http.ResponseWriter
	status   int
	size     int
	head     bytes.Buffer
	hijacked bool
}

// WriteHeader notes the status.
func (w *recorded) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write notes the beginning of the body.
func (w *recorded) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	w.head.Write(p[:min(len(p), max(0, maxShownBody-w.head.Len()))])
	w.size += len(p)
	return w.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController. It is also the way to Hijack, after which there
// is no answer.
func (w *recorded) Unwrap() http.ResponseWriter {
	w.hijacked = true
	return w.ResponseWriter
}

func (w *recorded) message(h hider, broken string) HTTPMessage {
	if broken != "" && w.status == 0 {
		return HTTPMessage{Header: []HeaderField{}, Body: Body{Kind: "none"}, Error: broken}
	}
	header := w.Header()
	return HTTPMessage{
		Line: statusLine(w.status), Header: h.header(header),
		Body: h.body(w.head.Bytes(), w.size, header.Get("Content-Type")), Error: broken,
	}
}

// envelope has what the answers of all areas say of themselves.
type envelope struct {
	Code    *int   `json:"code"`
	Message string `json:"message"`
	Msg     string `json:"msg"`
	Result  string `json:"result"`
}

// judge reads from the answer whether the request was refused, and why.
func (x *Exchange) judge(body []byte, h hider) {
	var e envelope
	_ = json.Unmarshal(body, &e) // What is not JSON says nothing.
	x.Code = e.Code
	failed := e.Code != nil && *e.Code != 0 || x.Area == areaChat && e.Result != "ok" && json.Valid(body)
	switch reason := strings.TrimSpace(e.Message + e.Msg); {
	case x.Status == 0:
		x.Refused, x.Reason = true, "no answer"
		if x.Detail.Response.Error != "" {
			x.Reason = x.Detail.Response.Error
		}
	case x.Status >= http.StatusMultipleChoices || failed:
		x.Refused, x.Reason = true, cut(h.text(reason), maxEventText)
		if x.Reason == "" {
			x.Reason = statusLine(x.Status)
		}
	}
	if x.Refused && x.verdict() == verdictRefused && x.Detail.Explanation.CauseText != "" {
		x.Reason += "; " + x.Detail.Explanation.CauseText
	}
}

// verdict is that about the signature, or empty.
func (x *Exchange) verdict() string {
	if x.Detail == nil || x.Detail.Explanation == nil {
		return ""
	}
	return x.Detail.Explanation.Verdict
}

// errStopped is the end of a request that a fault cuts.
var errStopped = errors.New("the connection was cut")
