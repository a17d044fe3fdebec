package callback_test

import (
	"bufio"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/internal/callback"
)

// TestSlowBodyIsAnswered sends a fifth of a body of known length over a real
// connection, and then nothing more. net/http reads the rest of a body before it
// sends an answer, so that an answer needs a deadline or the end of the connection.
func TestSlowBodyIsAnswered(t *testing.T) {
	t.Parallel()
	read := func(r *http.Request) int {
		if _, err := callback.ReadBody(r); !errors.Is(err, callback.ErrTooSlow) {
			t.Errorf("ReadBody = %v, want ErrTooSlow", err)
		}
		return http.StatusRequestTimeout
	}
	refuse := func(*http.Request) int { return http.StatusUnauthorized }
	for _, c := range []struct {
		name        string
		readTimeout time.Duration // of the server
		deadline    time.Duration
		handle      func(*http.Request) int
		status      int
	}{
		{"read until the deadline", 0, 50 * time.Millisecond, read, 408},
		{"not read", 0, time.Hour, refuse, 401},
		{"not read, and the server has a ReadTimeout", time.Second, time.Hour, refuse, 401},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				release := callback.Bound(w, r, 1000, time.Now().Add(c.deadline))
				status := c.handle(r)
				release()
				callback.Write(w, status, []byte("{}"))
			}))
			server.Config.ReadTimeout = c.readTimeout
			server.Start()
			t.Cleanup(server.Close)
			conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = conn.Close() }) // before the server, which waits for it
			if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
				t.Fatal(err)
			}
			if _, err := conn.Write([]byte("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n{")); err != nil {
				t.Fatal(err)
			}
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatalf("no answer: %v", err)
			}
			_ = resp.Body.Close()
			if resp.StatusCode != c.status || !resp.Close {
				t.Errorf("answer = %d, the connection ends: %v; want %d and the end", resp.StatusCode, resp.Close, c.status)
			}
		})
	}
}

// controlled is a ResponseWriter that keeps the read deadline.
type controlled struct {
	*httptest.ResponseRecorder
	deadline time.Time
}

// SetReadDeadline is what http.ResponseController calls.
func (c *controlled) SetReadDeadline(at time.Time) error {
	c.deadline = at
	return nil
}

// TestBoundReleases takes the deadline back only where a body has been read, and
// ends no connection that is not the request's alone.
func TestBoundReleases(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		major int
		read  bool
		kept  bool // the deadline
		close string
	}{
		{"HTTP/1, read", 1, true, false, ""},
		{"HTTP/1, not read", 1, false, true, "close"},
		{"HTTP/2, read", 2, true, false, ""},
		{"HTTP/2, not read", 2, false, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := &controlled{ResponseRecorder: httptest.NewRecorder()}
			r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("12345"))
			r.ProtoMajor = c.major
			release := callback.Bound(w, r, 5, time.Now().Add(time.Hour))
			if w.deadline.IsZero() {
				t.Error("no deadline while the body is read")
			}
			if c.read {
				if _, err := callback.ReadBody(r); err != nil {
					t.Fatal(err)
				}
			}
			release()
			if kept, end := !w.deadline.IsZero(), w.Header().Get("Connection"); kept != c.kept || end != c.close {
				t.Errorf("the deadline stays: %v, Connection: %q; want %v, %q", kept, end, c.kept, c.close)
			}
		})
	}
}
