package convert

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"strings"
)

// Call is a signed request to an endpoint for which [Client] has no method, such as a
// conversion to png (public reference 1.3).
type Call struct {
	_          [0]func()
	Op         string     // Its name in errors and logs, such as "convert to png". If empty, its method and path.
	Method     string     // If empty, POST with a Body and GET without.
	Path       string     // Required. Below BaseURL, starting with "/", escaped as it is sent.
	Query      url.Values // Added to Path; a call without a body signs it too.
	Body       any        // Sent as JSON, which is encoded once; a json.RawMessage is sent unchanged. If nil, there is no body.
	Repeatable bool       // The call may be carried out twice, as a query may: it is repeated after any temporary failure.
}

// Do sends call and decodes the data of the answer into out, which is a pointer, or nil
// to ignore the data. The error is a [*FieldError] if call cannot be sent, and an
// [*APIError] if the answer is not a success, or has no data for out; out is then
// unchanged. For repeats see Call.Repeatable.
func (c *Client) Do(ctx context.Context, call Call, out any) error {
	e, err := c.prepare(call, out)
	if err != nil {
		return err
	}
	return c.exchange(ctx, e, func(a *answer) error {
		if out == nil {
			return a.decode(new(ignored))
		}
		var data json.RawMessage
		if err := a.decode(&data); err != nil {
			return err
		}
		if len(data) == 0 {
			return a.fail(errNoData)
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
	method := call.Method
	switch {
	case method != "":
	case call.Body != nil:
		method = http.MethodPost
	default:
		method = http.MethodGet
	}
	e := &exchange{op: call.Op, name: "convert.call", method: method, repeatable: call.Repeatable}
	if e.op == "" {
		e.op = method + " " + hideQueries(call.Path)
	}
	var found problems
	found.checkPath(call.Path)
	if !validMethod(method) {
		found.add("Method", "must be a word in capital letters, such as POST")
	}
	e.body = found.encodeBody(method, call.Body)
	if v := reflect.ValueOf(out); out != nil && (v.Kind() != reflect.Pointer || v.IsNil()) {
		found.add("out", "must be a pointer that is not nil, or nil")
	}
	if err := found.join(e.op); err != nil {
		return nil, err
	}
	e.url = c.base + call.Path
	if len(call.Query) > 0 {
		e.url += "?" + call.Query.Encode()
	}
	return e, nil
}

// checkPath makes sure that path is sent as it is: what is signed must be what arrives.
func (p *problems) checkPath(path string) {
	u, err := url.Parse("http://host" + path)
	switch {
	case !strings.HasPrefix(path, "/"):
		p.add("Path", `must start with "/"`)
	case err != nil || u.EscapedPath() != path:
		p.add("Path", "must be escaped, and without query and fragment")
	case dotSegments(u):
		p.add("Path", "must not have the segments . and ..")
	}
}

func (p *problems) encodeBody(method string, body any) []byte {
	if body == nil {
		return nil
	}
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		p.add("Body", "must be nil: "+method+" has no body, and signs its target (protocol 5.1)")
		return nil
	}
	encoded, isRaw := body.(json.RawMessage)
	if !isRaw {
		var err error
		if encoded, err = json.Marshal(body); err != nil {
			p.add("Body", "cannot be encoded as JSON") // the error may show a secret
		}
		return encoded
	}
	if !json.Valid(encoded) {
		p.add("Body", "is a json.RawMessage that is not JSON")
	}
	return encoded
}

func validMethod(method string) bool {
	return !strings.ContainsFunc(method, func(r rune) bool { return r < 'A' || r > 'Z' })
}

var errNoData = errors.New("no data")

// ignored reads any JSON.
type ignored struct{}

// UnmarshalJSON keeps nothing.
func (*ignored) UnmarshalJSON([]byte) error { return nil }
