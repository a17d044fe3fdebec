package token_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
)

// TestSlowBodyOverTheNetwork answers although the rest of a body of known length
// never comes: net/http reads it before it sends an answer.
func TestSlowBodyOverTheNetwork(t *testing.T) {
	t.Parallel()
	refuse := func(*http.Request) (signing.Caller, error) { return signing.Caller{}, signing.ErrSignature }
	for _, c := range []struct {
		name    string
		method  string
		timeout time.Duration
		auth    func(*http.Request) (signing.Caller, error)
		status  int
	}{
		{"too slow", http.MethodPost, 50 * time.Millisecond, signing.Unsigned, 408},
		{"refused by Auth", http.MethodPost, 0, refuse, 401},
		{"another method", http.MethodPut, 0, signing.Unsigned, 405},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(newHandler(t, func(cfg *token.Config) {
				cfg.Auth, cfg.Timeout = c.auth, c.timeout
			}))
			t.Cleanup(server.Close)
			conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = conn.Close() }) // before the server, which waits for it
			if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
				t.Fatal(err)
			}
			request := c.method + " " + token.Path + " HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"
			if _, err := io.WriteString(conn, request); err != nil {
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
