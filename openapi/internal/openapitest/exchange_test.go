package openapitest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/getkin/kin-openapi/openapi3filter"
)

// exchange is a request with its answer.
type exchange struct {
	request *http.Request
	body    []byte // of the request
	status  int
	header  http.Header
	answer  []byte
}

// verdict is what an answer says of the request, in any of its forms.
type verdict struct {
	Code   int    `json:"code"`
	Result string `json:"result"`
}

// accepted reports whether x is a success, and returns its code. The result of a robot
// is a word; that of a conversion decides nothing (protocol 2.2).
func (x *exchange) accepted() (ok bool, number int) {
	var v verdict
	if err := json.Unmarshal(x.answer, &v); err != nil {
		return x.status < http.StatusBadRequest, 0 // also HEAD
	}
	return x.status < http.StatusBadRequest && v.Code == 0, v.Code
}

// check returns what d says against x: a request that is accepted must be valid, an
// answer always, and what is not in d must be refused.
func (d *document) check(ctx context.Context, x *exchange) error {
	ok, number := x.accepted()
	r := x.request.Clone(ctx)
	r.Body = io.NopCloser(bytes.NewReader(x.body))
	head := r.Method == http.MethodHead
	if head {
		r.Method = http.MethodGet
	}
	route, params, err := d.router.FindRoute(r)
	if err != nil {
		if ok {
			return fmt.Errorf("%s %s is accepted: %w", r.Method, r.URL.Path, err)
		}
		return nil
	}
	in := &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route, Options: options()}
	if err := openapi3filter.ValidateRequest(ctx, in); err != nil && ok {
		return fmt.Errorf("a request of %s that is accepted: %w", route.Operation.OperationID, err)
	}
	if head {
		return nil
	}
	if !json.Valid(x.answer) { // the validator reads as far as the first value
		return fmt.Errorf("an answer of %s is not JSON", route.Operation.OperationID)
	}
	out := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: x.status, Header: x.header, Options: in.Options}
	if err := openapi3filter.ValidateResponse(ctx, out.SetBodyBytes(x.answer)); err != nil {
		return fmt.Errorf("an answer of %s, status %d: %w", route.Operation.OperationID, x.status, err)
	}
	d.see(route.Operation, x.status, number)
	return nil
}

// watch checks each exchange of h.
func (d *document) watch(t *testing.T, h http.Handler) http.Handler {
	t.Helper()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failing{err}))
		asked := r.Clone(r.Context())
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		x := &exchange{asked, body, rec.Code, rec.Header(), rec.Body.Bytes()}
		if err := d.check(r.Context(), x); err != nil {
			t.Errorf("%v\n%s %s\n%s\nis answered %d %s", err, r.Method, r.URL, body, x.status, x.answer)
		}
		maps.Copy(w.Header(), rec.Header())
		w.WriteHeader(rec.Code)
		_, _ = w.Write(rec.Body.Bytes())
	})
}

// failing is the end of a body that broke, or of one that did not.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err == nil || errors.Is(f.err, io.EOF) {
		return 0, io.EOF
	}
	return 0, f.err
}

// TestExchanges holds the goldens and the exchanges of the fakes to the documents, and
// then every part of the documents to them.
func TestExchanges(t *testing.T) {
	t.Parallel()
	service, callbacks := load(t, "service.yaml"), load(t, "callbacks.yaml")
	t.Run("all", func(t *testing.T) {
		for name, run := range map[string]func(*testing.T, *document){
			"golden conversions": goldenConversions,
			"golden messages":    goldenMessages,
			"conversion":         conversion,
			"robot":              robot,
			"token endpoint":     tokenEndpoint,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				run(t, service)
			})
		}
		for name, run := range map[string]func(*testing.T, *document){
			"golden callbacks": goldenCallbacks,
			"viewer":           viewer,
			"plugin":           plugin,
			"mention":          mention,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				run(t, callbacks)
			})
		}
	})
	if left := append(service.missing(t), callbacks.missing(t)...); len(left) > 0 {
		t.Errorf("no exchange shows %q", left)
	}
}
