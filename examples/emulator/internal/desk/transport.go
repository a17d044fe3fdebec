package desk

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"sync"
)

// trace gathers the exchanges of one step of a session.
type trace struct {
	session string
	secrets []string // That only these exchanges have.

	mu        sync.Mutex
	exchanges []string
	bodies    map[string][]byte // The last answer of each operation.
}

type traceKey struct{}

func withTrace(ctx context.Context, t *trace) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

func (t *trace) note(x Exchange, body []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.exchanges = append(t.exchanges, x.ID)
	if t.bodies == nil {
		t.bodies = map[string][]byte{}
	}
	t.bodies[x.Operation] = body
}

// ids are those of the exchanges so far.
func (t *trace) ids() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string{}, t.exchanges...)
}

// caller is the transport of what the service calls in an area. It keeps each exchange.
type caller struct {
	desk *Desk
	area string
}

// RoundTrip implements [http.RoundTripper].
func (c caller) RoundTrip(r *http.Request) (*http.Response, error) {
	d := c.desk
	x := Exchange{Direction: "out", Area: c.area, Operation: outgoing(c.area, r), Method: r.Method, By: ""}
	head, whole, err := peekOutgoing(r)
	if err != nil {
		return nil, err
	}
	raw := &rawRequest{r.Method, r.URL.String(), r.Header.Clone(), head}
	x.At = d.clock.now().UTC()
	started := d.cfg.Now()
	t, _ := r.Context().Value(traceKey{}).(*trace)
	p := &pending{}
	if t != nil {
		x.Session, p.secrets = t.session, t.secrets
	}
	resp, failed := d.faults.spoil(c.area, x.Operation, p, d.transport, r)
	finish := func(body []byte, size int, err error) {
		h := d.hider(p.secrets...)
		x.Took, x.Fault = milliseconds(d.cfg.Now().Sub(started)), p.fault
		x.URL = h.url(raw.url)
		x.Detail = &Detail{
			Request: HTTPMessage{
				Line: r.Method + " " + h.url(r.URL.RequestURI()) + " HTTP/1.1", Header: h.header(raw.header),
				Body: h.body(head, max(len(head), int(r.ContentLength)), raw.header.Get("Content-Type")),
			},
			Response: HTTPMessage{Header: []HeaderField{}, Body: Body{Kind: "none"}}, Broken: []BrokenRule{},
			Explanation: d.explainOutgoing(x, raw),
		}
		if resp != nil {
			x.Status = resp.StatusCode
			x.Detail.Response = HTTPMessage{Line: statusLine(resp.StatusCode), Header: h.header(resp.Header), Body: h.body(body, size, resp.Header.Get("Content-Type"))}
		}
		if err != nil {
			x.Detail.Response.Error = h.text(plainError(err))
		}
		x.judge(body, h)
		if whole && len(head) <= maxKeptBody {
			x.raw, x.Resendable = raw, true
		}
		kept := d.keep(x, p)
		if t != nil {
			t.note(kept, body)
		}
	}
	if failed != nil {
		finish(nil, 0, failed)
		return nil, failed
	}
	resp.Body = &reading{body: resp.Body, finish: finish}
	return resp, nil
}

// peekOutgoing reads the body of a request, if it is not large, and puts it back. A body
// of unknown length stays one.
func peekOutgoing(r *http.Request) (head []byte, whole bool, err error) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, true, nil
	}
	if head, err = io.ReadAll(io.LimitReader(r.Body, maxServiceBody+1)); err != nil {
		return nil, false, err
	}
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(head), r.Body), r.Body}
	r.GetBody = nil
	return head, len(head) <= maxServiceBody, nil
}

// reading is the body of an answer. The exchange is finished when it was read or closed.
type reading struct {
	body   io.ReadCloser
	finish func(head []byte, size int, err error)

	head bytes.Buffer
	size int
	once sync.Once
}

// Read notes the beginning of the body.
func (b *reading) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	b.head.Write(p[:min(n, max(0, maxShownBody-b.head.Len()))])
	b.size += n
	if err != nil {
		b.end(err)
	}
	return n, err
}

// Close finishes the exchange.
func (b *reading) Close() error {
	b.end(nil)
	return b.body.Close()
}

func (b *reading) end(err error) {
	b.once.Do(func() {
		if err == io.EOF { //nolint:errorlint // As io.Reader says it.
			err = nil
		}
		b.finish(bytes.Clone(b.head.Bytes()), b.size, err)
	})
}

// client calls in an area.
func (d *Desk) client(area string) *http.Client {
	return &http.Client{Transport: caller{d, area}, Timeout: callTimeout}
}

func statusLine(status int) string {
	return strconv.Itoa(status) + " " + http.StatusText(status)
}

// body is the last answer of an operation.
func (t *trace) body(operation string) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bodies[operation]
}
