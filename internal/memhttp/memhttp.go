// Package memhttp connects an http.Client to an http.Handler in the same process.
// Both sides are net/http; a pipe takes the place of the socket. So it behaves as a
// real connection does, and works in a testing/synctest bubble.
package memhttp

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
)

// RemoteAddr is the address that requests come from.
const RemoteAddr = "127.0.0.1:49152"

// Client returns a client whose every request is served by h, whatever its host.
func Client(h http.Handler) *http.Client { return &http.Client{Transport: Transport(h)} }

// Transport returns the RoundTripper of [Client]. It opens a connection for each
// request, so that no goroutine outlives the answer.
func Transport(h http.Handler) http.RoundTripper {
	server := &http.Server{ //nolint:gosec // No stranger connects.
		Handler: served(h),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(c.(*conn).ctx, http.ServerContextKey, ctx.Value(http.ServerContextKey)) //nolint:errcheck // The listener has no other.
		},
		ErrorLog: log.New(io.Discard, "", 0),
	}
	dial := func(context.Context, string, string) (net.Conn, error) { //nolint:contextcheck // The server's end knows nothing of the client's context.
		near, far := net.Pipe()
		ctx, cancel := context.WithCancel(context.Background())
		go func() { _ = server.Serve(&listener{conn: &conn{Conn: far, ctx: ctx}}) }()
		return &conn{Conn: near, closed: cancel}, nil
	}
	return &http.Transport{DialContext: dial, DialTLSContext: dial, DisableKeepAlives: true}
}

// served hides from h what a connection of its own brings with it.
func served(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.RemoteAddr = RemoteAddr
		r.Header.Del("Connection") // set by DisableKeepAlives
		body := r.Body
		h.ServeHTTP(response{w}, r)
		_, _ = io.Copy(io.Discard, body)
	})
}

// response hides from http.MaxBytesReader that the server can be told of a body that
// is too large: the server would linger, and a synctest bubble would not end.
type response struct{ http.ResponseWriter }

func (w response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w response) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

// conn is one end of the pipe. A server notices only while it reads that its client
// has gone, so the client's end cancels the context of the request.
type conn struct {
	net.Conn
	ctx    context.Context    //nolint:containedctx // Handed to ConnContext.
	closed context.CancelFunc // nil at the server's end
}

func (c *conn) Close() error {
	if c.closed != nil {
		c.closed()
	}
	return c.Conn.Close()
}

// listener accepts one connection.
type listener struct{ conn net.Conn }

func (l *listener) Accept() (net.Conn, error) {
	c := l.conn
	if c == nil {
		return nil, net.ErrClosed
	}
	l.conn = nil
	return c, nil
}

func (*listener) Close() error { return nil }

func (*listener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }
