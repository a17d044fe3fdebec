// Package memhttp is an http.Client whose requests are answered by an
// http.Handler in the same process, without a socket: for fakes, and for tests in
// a testing/synctest bubble, where real connections never come to rest.
//
// It keeps what net/http promises on the wire: request bodies arrive as a stream,
// of exactly the length that the sender gave, or none; answers stream from the
// first flush on, and neither side waits for the other while little is under way;
// a handler that panics or writes less than its Content-Length breaks the answer
// off; the request's context ends when the client goes away; deadlines work. Its
// tests compare it with a real server.
//
// It does not know what takes a connection: Hijack, informational answers,
// trailers, compression, and the headers Date and User-Agent that net/http adds.
package memhttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/weboffice-go/weboffice/internal/callback"
)

// RemoteAddr is where requests seem to come from.
const RemoteAddr = "127.0.0.1:49152"

// Client returns a client whose every request goes to h, whatever its host.
func Client(h http.Handler) *http.Client { return &http.Client{Transport: Transport(h)} }

// Transport returns the RoundTripper of [Client].
func Transport(h http.Handler) http.RoundTripper {
	t := &transport{h: h}
	t.now = time.Now
	return t
}

type transport struct {
	h   http.Handler
	now func() time.Time
}

// RoundTrip runs the handler in a goroutine of its own, which ends with the
// handler.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Context().Err() != nil {
		closeBody(req.Body)
		return nil, context.Cause(req.Context())
	}
	// The server's side of a connection knows nothing of the values in the
	// client's context.
	ctx, cancel := context.WithCancel(context.Background())
	body := newRequestBody(req)
	w := newResponseWriter(req, body, t.now, cancel)
	if body != nil {
		body.failed = func(err error) {
			w.fail(err)
			w.abandon(err)
		}
	}
	go w.serve(t.h, serverRequest(ctx, req, body)) //nolint:contextcheck // See above.
	select {
	case <-w.started:
		if w.broken != nil {
			return nil, w.broken
		}
		stop := context.AfterFunc(req.Context(), func() { w.abandon(context.Cause(req.Context())) }) //nolint:contextcheck // It is the one.
		w.response.Body = &responseBody{w: w, stop: stop}
		return w.response, nil
	case <-req.Context().Done():
		w.abandon(context.Cause(req.Context()))
		return nil, context.Cause(req.Context())
	}
}

// serve is what a server does around a handler.
func (w *responseWriter) serve(h http.Handler, in *http.Request) {
	defer w.cancel()
	defer func() {
		if w.body != nil {
			_ = w.body.Close()
		}
		w.out.deadline(time.Time{}, time.Time{})
	}()
	defer func() {
		if v := recover(); v != nil { // the connection breaks
			w.fail(fmt.Errorf("%w: memhttp: the handler ended in a %w", io.EOF, callback.Recovered(v)))
			w.out.breakOff(io.ErrUnexpectedEOF, io.ErrClosedPipe)
		}
	}()
	h.ServeHTTP(w, in)
	w.finish()
}

// finish sends what the handler has left to send.
func (w *responseWriter) finish() {
	w.done = true
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	_ = w.buffer.Flush()
	w.start(nil)
	if w.length > w.written && bodyAllowed(w.status) && w.request.Method != http.MethodHead {
		w.out.end(io.ErrUnexpectedEOF)
		return
	}
	w.out.end(io.EOF)
}

// abandon is the client going away for a reason.
func (w *responseWriter) abandon(reason error) {
	w.cancel()
	w.out.breakOff(reason, errClientGone)
	if w.body != nil {
		w.body.breakOff(io.ErrUnexpectedEOF, errHandlerDone)
	}
}

var (
	errClientGone = errors.New("memhttp: the client has gone")
	errBodyClosed = errors.New("memhttp: read on a closed response body")
)

// responseBody is what the client reads.
type responseBody struct {
	w     *responseWriter
	stop  func() bool
	close sync.Once

	mu  sync.Mutex
	eof bool
}

// Read gives io.EOF once everything has arrived.
func (b *responseBody) Read(p []byte) (int, error) {
	n, err := b.w.out.Read(p)
	if errors.Is(err, io.EOF) {
		b.mu.Lock()
		b.eof = true
		b.mu.Unlock()
	}
	return n, err
}

// Close tells the handler that nobody reads on. After the end of the answer it
// may go on: the connection would serve the next request.
func (b *responseBody) Close() error {
	b.close.Do(func() {
		b.stop()
		b.mu.Lock()
		defer b.mu.Unlock()
		if !b.eof {
			b.w.abandon(errBodyClosed)
		}
		b.w.out.breakOff(errBodyClosed, errClientGone)
	})
	return nil
}
