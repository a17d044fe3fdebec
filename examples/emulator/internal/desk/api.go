package desk

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Prefix is the path below which the emulator's own API is.
const Prefix = "/_emulator"

// description is the OpenAPI description of the routes.
//
//go:embed openapi.yaml
var description []byte

// problem is an error that the caller made: the field that is wrong, and a sentence.
type problem struct{ field, text string }

func (p problem) Error() string { return p.text }

// refusal is an error with its HTTP status.
type refusal struct {
	status int
	text   string
}

func (r refusal) Error() string { return r.text }

func notFound(what string) error {
	return refusal{http.StatusNotFound, "there is no such " + what + "; it may have been forgotten"}
}

// route is a row of the table of the API. handle gives what is answered in JSON; nil is
// no content. A raw one writes its answer itself.
type route struct {
	method, path string
	handle       func(r *http.Request) (any, error)
	raw          func(w http.ResponseWriter, r *http.Request) error
	status       int // If not 200.
}

// routes is the API: the rows of all areas.
func (d *Desk) routes() []route {
	return slices.Concat(
		[]route{
			{method: "GET", path: "/openapi.yaml", raw: d.serveDescription},
			{method: "GET", path: "/overview", handle: d.overview},
			{method: "GET", path: "/env", raw: d.environment},
			{method: "POST", path: "/reset", handle: d.handleReset},
			{method: "POST", path: "/seed", handle: d.handleSeed},
			{method: "GET", path: "/time", handle: func(*http.Request) (any, error) { return d.clock.show(), nil }},
			{method: "POST", path: "/time/advance", handle: d.advance},
			{method: "GET", path: "/faults", handle: d.listFaults},
			{method: "DELETE", path: "/faults", handle: d.healAll},
			{method: "PUT", path: "/faults/{area}", handle: d.setFault},
			{method: "DELETE", path: "/faults/{area}", handle: d.heal},
			{method: "GET", path: "/wait", handle: d.wait},
			{method: "GET", path: "/search", handle: d.search},
			{method: "POST", path: "/assert", raw: d.assert},
			{method: "GET", path: "/events", raw: d.events},
		},
		d.exchangeRoutes(), d.conversions.routes(), d.chat.routes(), d.viewer.routes(), d.plugin.routes(),
	)
}

// api serves the routes.
func (d *Desk) api() http.Handler {
	mux := http.NewServeMux()
	paths := map[string][]string{}
	for _, route := range d.routes() {
		mux.Handle(route.method+" "+Prefix+route.path, route)
		paths[route.path] = append(paths[route.path], route.method)
	}
	for path, methods := range paths {
		allow := strings.Join(methods, ", ")
		mux.HandleFunc(Prefix+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Allow", allow)
			writeError(w, refusal{http.StatusMethodNotAllowed, "the method must be " + allow})
		})
	}
	mux.HandleFunc(Prefix+"/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, refusal{http.StatusNotFound, fmt.Sprintf("the API has no %.200q; see %s/openapi.yaml", r.URL.Path, Prefix)})
	})
	return mux
}

// ServeHTTP answers one call.
func (rt route) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if rt.raw != nil {
		if err := rt.raw(w, r); err != nil {
			writeError(w, err)
		}
		return
	}
	answer, err := rt.handle(r)
	switch {
	case err != nil:
		writeError(w, err)
	case answer == nil:
		w.WriteHeader(http.StatusNoContent)
	default:
		status := rt.status
		if status == 0 {
			status = http.StatusOK
		}
		writeJSON(w, status, answer)
	}
}

func writeJSON(w http.ResponseWriter, status int, answer any) {
	body, err := json.Marshal(answer)
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"error":"the answer cannot be written as JSON"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n'))
}

func writeError(w http.ResponseWriter, err error) {
	answer := struct {
		Error string `json:"error"`
		Field string `json:"field,omitempty"`
	}{Error: err.Error()}
	status := http.StatusInternalServerError
	var p problem
	var r refusal
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		status, answer.Error = http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is larger than %d bytes", large.Limit)
	case errors.As(err, &p):
		status, answer.Field = http.StatusBadRequest, p.field
	case errors.As(err, &r):
		status = r.status
	}
	writeJSON(w, status, answer)
}

// readJSON reads a body into v, in which every member must be known.
func readJSON(r *http.Request, v any) error {
	body, err := readBody(r, "application/json")
	if err != nil {
		return err
	}
	return decode(body, v)
}

// readBody reads a body of one of the types.
func readBody(r *http.Request, types ...string) ([]byte, error) {
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); !slices.Contains(types, media) {
		return nil, refusal{http.StatusUnsupportedMediaType, "Content-Type must be " + strings.Join(types, " or ")}
	}
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxAPIBody))
	var large *http.MaxBytesError
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, refusal{http.StatusRequestTimeout, "the body did not arrive in time"}
	case err != nil && !errors.As(err, &large):
		return nil, refusal{http.StatusBadRequest, "the body cannot be read: " + err.Error()}
	}
	return body, err
}

func decode(body []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) {
			return problem{kind.Field, fmt.Sprintf("%s has the wrong type: %s", cmp.Or(kind.Field, "the body"), kind.Value)}
		}
		if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
			name = strings.Trim(name, `"`)
			return problem{name, "there is no field " + name}
		}
		return problem{"", "the body is not JSON: " + err.Error()}
	}
	if dec.More() {
		return problem{"", "the body is more than one JSON value"}
	}
	return nil
}

// parameters reads a query, in which every parameter must be known.
type parameters struct {
	values url.Values
	err    error
}

func queryOf(r *http.Request, known ...string) *parameters {
	p := &parameters{values: r.URL.Query()}
	for name, values := range p.values {
		if !slices.Contains(known, name) {
			p.fail(name, "there is no parameter "+cut(name, 100))
		} else if len(values) > 1 {
			p.fail(name, name+" is given more than once")
		}
	}
	return p
}

func (p *parameters) fail(name, text string) {
	if p.err == nil {
		p.err = problem{name, text}
	}
}

func (p *parameters) text(name string) string { return p.values.Get(name) }

// number is from least to most, or the default.
func (p *parameters) number(name string, least, most, byDefault int) int {
	if !p.values.Has(name) {
		return byDefault
	}
	n, err := strconv.Atoi(p.text(name))
	if err != nil || n < least || n > most {
		p.fail(name, fmt.Sprintf("%s must be a number from %d to %d", name, least, most))
	}
	return n
}

// boolean is nil if it is not given.
func (p *parameters) boolean(name string) *bool {
	switch p.text(name) {
	case "":
		return nil
	case "true", "false":
		is := p.text(name) == "true"
		return &is
	}
	p.fail(name, name+" must be true or false")
	return nil
}

// oneOf is one of the words, or empty.
func (p *parameters) oneOf(name string, words ...string) string {
	if err := oneOf(name, p.text(name), words...); p.err == nil {
		p.err = err
	}
	return p.text(name)
}

// oneOf refuses what is not one of the words, or empty.
func oneOf(field, word string, words ...string) error {
	if word != "" && !slices.Contains(words, word) {
		return problem{field, fmt.Sprintf("%s must be one of %s", field, strings.Join(words, ", "))}
	}
	return nil
}

// page is what ring.page takes, of the ring with that prefix.
func (p *parameters) page(prefix string) (before, limit int) {
	if next := p.text("before"); next != "" {
		digits, ok := strings.CutPrefix(next, prefix)
		n, err := strconv.Atoi(digits)
		if before = n; !ok || err != nil || n < 1 {
			p.fail("before", "before must be the next of the page before")
		}
	}
	return before, p.number("limit", 1, 500, 50)
}

// duration reads a field that is one, up to most. Empty is zero.
func duration(field, text string, most time.Duration) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > most {
		return 0, problem{field, fmt.Sprintf("%s must be a duration such as 30s, at most %v", field, most)}
	}
	return d, nil
}

func (d *Desk) serveDescription(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/yaml")
	_, err := w.Write(description)
	return err
}

// list is how lists are answered.
type list[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty"`
}
