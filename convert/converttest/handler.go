package converttest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/signing"
)

// call is a request that found its endpoint.
type call struct {
	on      On
	methods []string
	serve   func(http.ResponseWriter, *http.Request, call)
	target  *target // of a submit
	id      string  // of a query: the task; of a download: task and file
	app     string  // who signed; empty for a download
}

// ServeHTTP answers the calls of protocol 4.1, and requests for results, below
// [PathPrefix].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Request-Id", fmt.Sprintf("converttest-%d", s.requests.Add(1)))
	c, ok := s.route(r)
	switch {
	case !ok:
		refuse(w, http.StatusNotFound, convert.CodeNoImpl, "there is no such endpoint")
		return
	case !slices.Contains(c.methods, r.Method):
		w.Header().Set("Allow", strings.Join(c.methods, ", "))
		refuse(w, http.StatusMethodNotAllowed, convert.CodeNoImpl, "the method must be "+c.methods[0])
		return
	}
	if c.on != Downloads && !s.authorize(w, r, &c) {
		return
	}
	next := http.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.limited(w, r, c) }))
	if f := s.nextFault(c.on); f != nil {
		next = f(next)
	}
	next.ServeHTTP(w, r)
}

// route finds the endpoint of r. Paths are compared escaped: a task id may contain a
// slash (protocol 2.2).
func (s *Server) route(r *http.Request) (call, bool) {
	_, rest, ok := strings.Cut(r.URL.EscapedPath(), PathPrefix)
	if !ok {
		return call{}, false
	}
	for i := range targets {
		if rest == targets[i].path {
			return call{on: Submits, methods: []string{http.MethodPost}, serve: s.submit, target: &targets[i]}, true
		}
	}
	kind, escaped, _ := strings.Cut(rest, "/")
	c, ok := map[string]call{
		"tasks":   {on: Queries, methods: []string{http.MethodGet}, serve: s.query}, // public reference 1.1
		"results": {on: Downloads, methods: []string{http.MethodGet, http.MethodHead}, serve: s.download},
	}[kind]
	id, err := url.PathUnescape(escaped)
	c.id = id
	return c, ok && err == nil && id != ""
}

// authorize verifies the signature (protocol 5.1), and answers if it fails.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request, c *call) bool {
	if s.broken != nil {
		refuse(w, http.StatusInternalServerError, convert.CodeInternalError, "Options.Credentials: "+s.broken.Error())
		return false
	}
	caller, err := s.verifier.VerifyRequest(r)
	if err != nil {
		why := err.Error()
		if errors.Is(err, signing.ErrTimestamp) {
			why = "not a valid datetime or too skewed: " + why // public reference 1.2
		}
		s.log(r, why)
		refuse(w, http.StatusUnauthorized, convert.CodeInvalidSignature, why)
		return false
	}
	c.app = caller.AppID
	return true
}

// limited serves a call within the limit of its app.
func (s *Server) limited(w http.ResponseWriter, r *http.Request, c call) {
	if c.on != Downloads && !s.take(c.app) {
		s.log(r, "over CallsPerSecond")
		s.opts.RateLimit(w)
		return
	}
	c.serve(w, r, c)
}

// take counts a call of app, unless there were CallsPerSecond within the last
// second: any second, not that of the clock. A refused call does not count.
func (s *Server) take(app string) bool {
	if s.opts.CallsPerSecond <= 0 {
		return true
	}
	now := s.opts.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	recent := s.calls[app]
	for len(recent) > 0 && now.Sub(recent[0]) >= time.Second {
		recent = recent[1:]
	}
	if len(recent) >= s.opts.CallsPerSecond {
		s.calls[app] = recent
		return false
	}
	s.calls[app] = append(recent, now)
	return true
}

// log says why a request was refused. It shows the path, which has no secrets, and not
// the query.
func (s *Server) log(r *http.Request, why string) {
	s.opts.Logger.InfoContext(r.Context(), "converttest: refused", "method", r.Method, "path", r.URL.Path, "why", why)
}

// names are the words that the service has for codes (public reference 2).
var names = map[int]string{
	convert.CodeInvalidArgument:  "InvalidArgument",
	convert.CodeRateLimiter:      "RateLimiter",
	convert.CodeInvalidSignature: "InvalidSignature",
	convert.CodeInternalError:    "InternalError",
	convert.CodeNoImpl:           "NoImpl",
	convert.CodeDownloadFail:     "DownloadFail",
	convert.CodeTooManyTask:      "TooManyTask",
	convert.CodeFileNotExists:    "FileNotExists",
}

func nameOf(code int) string { return cmp.Or(names[code], "code "+strconv.Itoa(code)) }

// envelope is the form of every answer (protocol 7).
type envelope struct {
	Code    int    `json:"code"`
	Message string `json:"message,omitempty"`
	Data    any    `json:"data,omitempty"`
	Result  string `json:"result,omitempty"`
}

// queryData is protocol 2.3.
type queryData struct {
	Status   string  `json:"status"`
	Progress float64 `json:"progress"`
	Message  string  `json:"message,omitempty"`
	Result   *result `json:"result,omitempty"`
}

type result struct {
	Task struct {
		Elapsed      int64 `json:"elapsed"`
		ResourceSize int64 `json:"resource_size"`
	} `json:"task"`
	Texts []resultFile `json:"txts,omitempty"`
	PDFs  []resultFile `json:"pdfs,omitempty"`
}

type resultFile struct {
	URL  string `json:"url"`
	Size int64  `json:"size"`
}

// answer writes v as JSON; no type of this package fails.
func answer(w http.ResponseWriter, status int, v any) {
	var body bytes.Buffer
	e := json.NewEncoder(&body)
	e.SetEscapeHTML(false) // URLs are sent as they are
	_ = e.Encode(v)
	write(w, status, "application/json", bytes.TrimSuffix(body.Bytes(), []byte("\n")))
}

func write(w http.ResponseWriter, status int, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	send(w, status, len(body), body)
}

func send(w http.ResponseWriter, status, length int, body []byte) {
	w.Header().Set("Content-Length", strconv.Itoa(length))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// refuse writes an error, with why after its name where there is more to say.
func refuse(w http.ResponseWriter, status, code int, why string) {
	message := nameOf(code)
	if why != "" {
		message += ": " + why
	}
	answer(w, status, envelope{Code: code, Message: message})
}

// refuseStart writes the error of a Converter.
func refuseStart(w http.ResponseWriter, err error) {
	var e *convert.APIError
	if !errors.As(err, &e) {
		refuse(w, http.StatusInternalServerError, convert.CodeInternalError, err.Error())
		return
	}
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", seconds(e.RetryAfter))
	}
	status := cmp.Or(e.StatusCode, http.StatusOK)
	switch {
	case e.Body != nil:
		write(w, status, "application/json", e.Body)
	case e.Code == 0:
		refuse(w, status, convert.CodeInternalError, e.Message)
	default:
		answer(w, status, envelope{Code: e.Code, Message: cmp.Or(e.Message, nameOf(e.Code))})
	}
}

// seconds is d for Retry-After, which knows no fractions.
func seconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }

// finite is f as JSON can have it.
func finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}
