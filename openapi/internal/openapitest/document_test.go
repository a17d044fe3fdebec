package openapitest_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// document is one of the two, and what has been seen of it.
type document struct {
	*openapi3.T

	router routers.Router

	mu   sync.Mutex
	seen map[string]bool // "getFile 4XX", and "40003 at 403" of x-codes
}

// load reads a document, which must be valid OpenAPI 3.1.
func load(t *testing.T, name string) *document {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromFile("../../" + name)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.1.") {
		t.Errorf("%s is OpenAPI %s, want 3.1", name, doc.OpenAPI)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	doc.Servers = nil // any host
	for _, item := range doc.Paths.Map() {
		item.Servers = nil
	}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	return &document{T: doc, router: router, seen: map[string]bool{}}
}

// operations are those of the document, by id.
func (d *document) operations() map[string]*openapi3.Operation {
	all := map[string]*openapi3.Operation{}
	for _, item := range d.Paths.Map() {
		for _, op := range item.Operations() {
			all[op.OperationID] = op
		}
	}
	return all
}

// code is an entry of x-codes. Status is 0 where it is not known.
type code struct{ code, status int }

func (d *document) codes(t *testing.T) []code {
	t.Helper()
	list, _ := d.Extensions["x-codes"].([]any)
	var all []code
	for _, entry := range list {
		fields, _ := entry.(map[string]any)
		number, ok := fields["code"].(float64)
		status, _ := fields["status"].(float64)
		if name, _ := fields["name"].(string); !ok || name == "" {
			t.Errorf("x-codes has %v, want a code and its name", entry)
		}
		all = append(all, code{int(number), int(status)})
	}
	if len(all) == 0 {
		t.Error("x-codes is empty")
	}
	return all
}

func (c code) key() string {
	if c.status == 0 {
		return fmt.Sprint(c.code)
	}
	return fmt.Sprintf("%d at %d", c.code, c.status)
}

// see notes an answer to an operation.
func (d *document) see(op *openapi3.Operation, status, number int) {
	key := fmt.Sprint(status)
	if op.Responses.Value(key) == nil {
		key = key[:1] + "XX"
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seen[op.OperationID+" "+key] = true
	d.seen[code{number, status}.key()] = true
	d.seen[code{number, 0}.key()] = true
}

// missing lists what no exchange has shown.
func (d *document) missing(t *testing.T) []string {
	t.Helper()
	want := map[string]bool{}
	for id, op := range d.operations() {
		for status := range op.Responses.Map() {
			want[id+" "+status] = true
		}
	}
	for _, c := range d.codes(t) {
		want[c.key()] = true
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(want, func(key string, _ bool) bool { return d.seen[key] })
	return slices.Sorted(maps.Keys(want))
}

// options make the validator strict.
func options() *openapi3filter.Options {
	return &openapi3filter.Options{
		IncludeResponseStatus:             true,
		RejectWhenRequestBodyNotSpecified: true,
		SkipSettingDefaults:               true,
		AuthenticationFunc:                authenticate,
	}
}

// authenticate looks at the form of what proves who calls.
func authenticate(_ context.Context, in *openapi3filter.AuthenticationInput) error {
	scheme, r := in.SecurityScheme, in.RequestValidationInput.Request
	value := r.Header.Get(scheme.Name)
	if scheme.In == "query" {
		value = r.URL.Query().Get(scheme.Name)
	}
	pattern, _ := scheme.Extensions["x-pattern"].(string)
	if ok, err := regexp.MatchString(pattern, value); err != nil || !ok || pattern == "" {
		return in.NewError(errors.Join(err, fmt.Errorf("%s does not match %q", scheme.Name, pattern)))
	}
	return nil
}
