package desk

import (
	"net/http"
	"time"
)

// Exchange is a request and its answer. Secrets are hidden in all of its exported
// fields.
type Exchange struct {
	ID         string    `json:"id"`
	At         time.Time `json:"at"`
	Direction  string    `json:"direction"` // in or out
	Area       string    `json:"area"`
	Operation  string    `json:"operation"`
	Method     string    `json:"method"`
	URL        string    `json:"url"`
	Status     int       `json:"status"`
	Code       *int      `json:"code,omitempty"`
	Took       float64   `json:"took"` // Milliseconds.
	Refused    bool      `json:"refused"`
	Reason     string    `json:"reason,omitempty"`
	By         string    `json:"by,omitempty"` // emulator or other
	Ref        string    `json:"ref,omitempty"`
	Session    string    `json:"session,omitempty"`
	Fault      string    `json:"fault,omitempty"`
	Resendable bool      `json:"resendable"`

	Detail *Detail `json:"-"`
	raw    *rawRequest
}

// Detail is what only one exchange by itself shows.
type Detail struct {
	Request     HTTPMessage  `json:"request"`
	Response    HTTPMessage  `json:"response"`
	Explanation *Explanation `json:"explanation,omitempty"`
	Broken      []BrokenRule `json:"broken"`
}

// HTTPMessage is a request or an answer.
type HTTPMessage struct {
	Line   string        `json:"line"`
	Header []HeaderField `json:"header"`
	Body   Body          `json:"body"`
	Error  string        `json:"error,omitempty"`
}

// HeaderField is a line of a header.
type HeaderField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Body is a body as it is shown.
type Body struct {
	Size int    `json:"size"`
	Kind string `json:"kind"` // none, json, text or binary
	Text string `json:"text,omitempty"`
	Cut  bool   `json:"cut,omitempty"`
}

// BrokenRule is a rule of the protocol that an answer breaks, or a refusal.
type BrokenRule struct {
	Call    string `json:"call,omitempty"`
	Rule    string `json:"rule"`
	Field   string `json:"field,omitempty"`
	Detail  string `json:"detail"`
	Status  int    `json:"status,omitempty"`
	Code    int    `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}

// ExchangeDetail is an exchange as a whole.
type ExchangeDetail struct {
	Exchange
	Detail
}

// rawRequest is what is sent again: with secrets, only in memory, and never shown.
type rawRequest struct {
	method, url string
	header      http.Header
	body        []byte
}

// size is about what an exchange takes of the memory.
func (x Exchange) size() int {
	n := 2000
	if x.Detail != nil {
		n += len(x.Detail.Request.Body.Text) + len(x.Detail.Response.Body.Text)
	}
	if x.raw != nil {
		n += len(x.raw.body)
	}
	return n
}

// state is that of the event.
func (x Exchange) state() string {
	if x.Refused {
		return stateRefused
	}
	return stateAccepted
}

// States of events.
const (
	stateAccepted = "accepted"
	stateRefused  = "refused"
	stateOK       = "ok"
	stateFailed   = "failed"
)

// whole is the exchange with its detail.
func (x Exchange) whole() ExchangeDetail {
	d := Detail{Broken: []BrokenRule{}}
	if x.Detail != nil {
		d = *x.Detail
	}
	return ExchangeDetail{x, d}
}
