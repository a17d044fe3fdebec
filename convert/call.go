package convert

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"strings"
)

// Call is a signed request to an endpoint for which [Client] has no method (public
// reference 1.3).
type Call struct {
	_          [0]func()
	Op         string     // Its name in errors and logs. If empty, its method and path.
	Method     string     // If empty, POST with a Body and GET without.
	Path       string     // Required. Below BaseURL, starting with "/", escaped as it is sent.
	Query      url.Values // Added to Path.
	Body       any        // Sent as JSON; a json.RawMessage is sent unchanged. nil: none.
	Repeatable bool       // Repeated after any temporary failure, as a query is.
}

// Do sends call and decodes the data of the answer into out, a pointer, or nil to
// ignore it. The error is a [*FieldError] if call cannot be sent, and an [*APIError] if
// the answer is not a success or does not fit; out is then unchanged.
func (c *Client) Do(ctx context.Context, call Call, out any) error {
	e, err := c.prepare(call, out)
	if err != nil {
		return err
	}
	return c.exchange(ctx, e, func(a *attempt) error {
		var data json.RawMessage
		if err := a.decode(&data); err != nil || out == nil {
			return err
		}
		if len(data) == 0 {
			return a.fail(errors.New("no data"))
		}
		// Into a copy first: the first error is found when a part is decoded.
		for _, into := range []any{reflect.New(reflect.TypeOf(out).Elem()).Interface(), out} {
			if err := json.Unmarshal(data, into); err != nil {
				return a.fail(shapeError(err))
			}
		}
		return nil
	})
}

// prepare checks and encodes call.
func (c *Client) prepare(call Call, out any) (*exchange, error) {
	method := cmp.Or(call.Method, http.MethodGet)
	if call.Method == "" && call.Body != nil {
		method = http.MethodPost
	}
	e := &exchange{op: call.Op, name: "convert.call", method: method, url: c.base + call.Path, repeatable: call.Repeatable}
	if e.op == "" {
		e.op = method + " " + hideQueries(call.Path)
	}
	if len(call.Query) > 0 {
		e.url += "?" + call.Query.Encode()
	}
	var found problems
	u, err := url.Parse("http://host" + call.Path)
	switch { // what is signed must be what arrives
	case !strings.HasPrefix(call.Path, "/"):
		found.add("Path", `must start with "/"`)
	case err != nil || u.EscapedPath() != call.Path:
		found.add("Path", "must be escaped, and without query and fragment")
	case dotSegments(u):
		found.add("Path", "must not have the segments . and ..")
	}
	found.when(strings.Trim(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "", "Method", "must be a word in capital letters, such as POST")
	if call.Body != nil {
		raw, isRaw := call.Body.(json.RawMessage)
		if !isRaw {
			raw, err = json.Marshal(call.Body)
		} else if !json.Valid(raw) {
			err = errNotJSON
		}
		e.body = raw
		e.secrets = func() []string {
			var b requestBody // other conversions have a url and a password, too (public reference 1.3)
			_ = json.Unmarshal(raw, &b)
			return b.secrets()
		}
		switch method {
		case http.MethodGet, http.MethodHead, http.MethodOptions:
			found.add("Body", "must be nil: "+method+" has no body, and signs its target (protocol 5.1)")
		default:
			found.when(err != nil, "Body", "cannot be encoded as JSON") // err may show a secret
		}
	}
	v := reflect.ValueOf(out)
	found.when(out != nil && (v.Kind() != reflect.Pointer || v.IsNil()), "out", "must be a pointer that is not nil, or nil")
	return e, found.join(e.op)
}
