package main

import (
	"bytes"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"time"
)

// wire stands between the client and the service, and spoils one call in every.
type wire struct {
	every int
	seed  uint64

	calls, spoiled atomic.Int64

	mu      sync.Mutex
	random  *rand.Rand
	doubled map[string]int // bodies that the wire itself sent twice
}

// call is one request on its way.
type call struct {
	w       http.ResponseWriter
	r       *http.Request
	body    []byte
	service http.Handler
}

// faults are the ways in which a call is spoiled.
var faults = []func(*wire, *call){
	func(_ *wire, c *call) { c.cut(nil, true) },  // reset before the service has it
	func(_ *wire, c *call) { c.cut(nil, false) }, // closed before the service has it
	func(_ *wire, c *call) { c.forward(); c.cut(nil, true) },
	func(_ *wire, c *call) { c.forward(); c.cut(nil, false) },
	func(_ *wire, c *call) { c.badGateway() },
	func(_ *wire, c *call) { c.forward(); c.badGateway() },
	func(_ *wire, c *call) { c.half(); c.cut(nil, false) },
	func(_ *wire, c *call) { c.forward(); c.cut([]byte("HTTP/1.1 200 OK\r\nContent-Ty"), false) },
	func(_ *wire, c *call) { c.cutAnswer(c.forward(), false) },
	func(_ *wire, c *call) { c.cutAnswer(c.forward(), true) },
	func(_ *wire, c *call) { time.Sleep(timeout / 8); c.answer(c.forward()) },
	func(_ *wire, c *call) { got := c.forward(); time.Sleep(late); c.answer(got) },
	func(w *wire, c *call) { w.double(c); c.forward(); c.answer(c.forward()) },
}

// over returns a server on loopback in front of service.
func (w *wire) over(service http.Handler) *httptest.Server {
	w.random = rand.New(rand.NewPCG(w.seed, 0))
	w.doubled = map[string]int{}
	return httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		c := &call{w: rw, r: r, body: body, service: service}
		w.calls.Add(1)
		if fault := w.next(); fault != nil {
			w.spoiled.Add(1)
			fault(w, c)
			return
		}
		c.answer(c.forward()) //nolint:contextcheck // That of the request.
	}))
}

// next chooses a fault, or none.
func (w *wire) next() func(*wire, *call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.every == 0 || w.random.IntN(w.every) != 0 {
		return nil
	}
	return faults[w.random.IntN(len(faults))]
}

func (w *wire) double(c *call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.doubled[string(c.body)]++
}

// twice says how often the wire itself sent a body a second time.
func (w *wire) twice(body []byte) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.doubled[string(body)]
}

// forward lets the service answer.
func (c *call) forward() *httptest.ResponseRecorder {
	r := c.r.Clone(c.r.Context())
	r.Body = io.NopCloser(bytes.NewReader(c.body))
	got := httptest.NewRecorder()
	c.service.ServeHTTP(got, r)
	return got
}

// half gives the service a body that breaks off.
func (c *call) half() {
	r := c.r.Clone(c.r.Context())
	r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(c.body[:len(c.body)/2]), broken{}))
	c.service.ServeHTTP(httptest.NewRecorder(), r)
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func (c *call) answer(got *httptest.ResponseRecorder) {
	maps.Copy(c.w.Header(), got.Header())
	c.w.WriteHeader(got.Code)
	_, _ = c.w.Write(got.Body.Bytes())
}

func (c *call) badGateway() {
	c.w.Header().Set("Content-Type", "text/html")
	c.w.WriteHeader(http.StatusBadGateway)
	_, _ = io.WriteString(c.w, "<html>bad gateway</html>")
}

// cutAnswer promises the whole answer and sends half of it.
func (c *call) cutAnswer(got *httptest.ResponseRecorder, reset bool) {
	var raw bytes.Buffer
	response := got.Result()
	response.ContentLength = int64(got.Body.Len())
	_ = response.Write(&raw)
	c.cut(raw.Bytes()[:raw.Len()-got.Body.Len()/2-1], reset)
}

// cut sends some bytes and ends the connection, by a reset if asked.
func (c *call) cut(sent []byte, reset bool) {
	conn, buffered, err := http.NewResponseController(c.w).Hijack()
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	_, _ = buffered.Write(sent)
	_ = buffered.Flush()
	if tcp, ok := conn.(*net.TCPConn); ok && reset {
		_ = tcp.SetLinger(0)
	}
}
