package preview_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/internal/memhttp"
	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/signing"
)

// TestSlowBody is given up when time is up.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg, _ := all(&backend{})
		client := memhttp.Client(newHandler(t, cfg))
		reader, writer := io.Pipe()
		defer func() { _ = writer.Close() }()
		go func() { _, _ = io.WriteString(writer, `{"name":`) }()
		start := time.Now()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, "http://example.com/v3/3rd/files/f1/name", reader)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		checkEnvelope(t, resp.StatusCode, resp.Header, body)
		if took := time.Since(start); resp.StatusCode != 408 || string(body) != `{"code":40005,"message":"request body too slow"}` || took != preview.DefaultTimeout {
			t.Errorf("answer after %v = %d %s, want 408 after %v", took, resp.StatusCode, body, preview.DefaultTimeout)
		}
	})
}

// TestSlowBodyOverTheNetwork answers although the rest of a body of known length
// never comes: net/http reads it before it sends an answer.
func TestSlowBodyOverTheNetwork(t *testing.T) {
	t.Parallel()
	verify := newVerifier(t, signing.VerifierConfig{}).VerifyRequest
	for _, c := range []struct {
		name        string
		readTimeout time.Duration // of the server
		timeout     time.Duration // of the handler
		maxBody     int64
		auth        func(*http.Request) (signing.Caller, error)
		path        string
		status      int
	}{
		{"too slow", 0, 50 * time.Millisecond, 0, signing.Unsigned, "files/f1/name", 408},
		{"refused by Auth", 0, 0, 0, verify, "files/f1/name", 401},
		{"refused by Auth, with a ReadTimeout", time.Second, 0, 0, verify, "files/f1/name", 401},
		{"no such callback", 0, 0, 0, signing.Unsigned, "files/f1/nothing", 404},
		{"another method", 0, 0, 0, signing.Unsigned, "files/f1", 405},
		{"announced too large", 0, 0, 100, signing.Unsigned, "files/f1/name", 413},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cfg, _ := all(&backend{})
			cfg.Auth, cfg.Timeout, cfg.MaxBody = c.auth, c.timeout, c.maxBody
			server := httptest.NewUnstartedServer(newHandler(t, cfg))
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
			if _, err := io.WriteString(conn, "PUT "+preview.PathPrefix+c.path+" HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n{"); err != nil {
				t.Fatal(err)
			}
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatalf("no answer: %v", err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			checkEnvelope(t, resp.StatusCode, resp.Header, body)
			if resp.StatusCode != c.status || !resp.Close {
				t.Errorf("answer = %d %s, the connection ends: %v; want %d and the end", resp.StatusCode, body, resp.Close, c.status)
			}
		})
	}
}

// deadlined keeps the read deadline of its connection.
type deadlined struct {
	*httptest.ResponseRecorder
	at time.Time
}

func (d *deadlined) SetReadDeadline(at time.Time) error {
	d.at = at
	return nil
}

// TestDeadlineOfBody is there while the body is read, and gone when the store is
// asked: a server would take it for the caller going away. A body that nobody
// reads keeps it, since a server reads that before it answers.
func TestDeadlineOfBody(t *testing.T) {
	t.Parallel()
	w := &deadlined{ResponseRecorder: httptest.NewRecorder()}
	var unread bool
	cfg, _ := all(&backend{})
	cfg.Auth = func(*http.Request) (signing.Caller, error) {
		if until := time.Until(w.at); until <= 0 || until > preview.DefaultTimeout {
			t.Errorf("Auth has the deadline %v", w.at)
		}
		return signing.Caller{}, nil
	}
	cfg.Identify = func(context.Context, preview.Request) (string, error) {
		if kept := !w.at.IsZero(); kept != unread {
			t.Errorf("Identify has a deadline: %v, want %v", kept, unread)
		}
		return "", nil
	}
	h := newHandler(t, cfg)
	for path, method := range map[string]string{"files/f1/name": "PUT", "files/f1/upload/complete": "POST", "files/f1": "GET"} {
		unread = method == "GET"
		h.ServeHTTP(w, httptest.NewRequest(method, preview.PathPrefix+path, strings.NewReader("{}")))
	}
}

// TestBrokenBody is one that ends too soon.
func TestBrokenBody(t *testing.T) {
	t.Parallel()
	b := &backend{}
	cfg, _ := all(b)
	r := httptest.NewRequest(http.MethodPut, "/v3/3rd/files/f1/name", io.MultiReader(strings.NewReader(`{"name":`), iotest.ErrReader(io.ErrUnexpectedEOF)))
	if w := serve(t, newHandler(t, cfg), r); w.Code != 400 || b.calls() > 0 {
		t.Errorf("answer = %d %s, want 400", w.Code, w.Body)
	}
}

// TestSlowBodyWithoutDeadlines comes to no store when it took longer than Timeout,
// although nothing broke it off.
func TestSlowBodyWithoutDeadlines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &backend{}
		cfg, _ := all(b)
		h := newHandler(t, cfg)
		for took, status := range map[time.Duration]int{preview.DefaultTimeout - 1: 200, preview.DefaultTimeout: 408} {
			before := b.calls()
			body := io.MultiReader(strings.NewReader(`{"name":`), sleepy{took}, strings.NewReader(`"a"}`))
			r := httptest.NewRequest(http.MethodPut, "/v3/3rd/files/f1/name", body)
			if w := serve(t, h, r); w.Code != status || b.calls()-before != 200/status {
				t.Errorf("after %v: %d %s, %d calls of the store, want %d", took, w.Code, w.Body, b.calls()-before, status)
			}
		}
	})
}

// sleepy is a reader that has nothing, and takes its time.
type sleepy struct{ d time.Duration }

func (s sleepy) Read([]byte) (int, error) {
	time.Sleep(s.d)
	return 0, io.EOF
}

// TestBuiltByHand is a request from another kind of server: what is read of it is
// the method, the RequestURI, the header and the body.
func TestBuiltByHand(t *testing.T) {
	t.Parallel()
	cfg, log := all(&backend{})
	h := newHandler(t, cfg)
	for _, c := range []struct {
		method, uri string
		body        io.ReadCloser
		status      int
	}{
		{"GET", "/v3/3rd/files/f1", nil, 200},
		{"GET", "/v3/3rd/users?user_ids=1", nil, 200},
		{"PUT", "/v3/3rd/files/f1/name", io.NopCloser(strings.NewReader(`{"name":"a"}`)), 200},
		{"PUT", "/v3/3rd/files/f1/name", nil, 400},
		{"POST", "/v3/3rd/files/f1/upload/complete", nil, 400},
		{"GET", "", nil, 404},
		{"GET", "%zz", nil, 404},
	} {
		if w := serve(t, h, &http.Request{Method: c.method, RequestURI: c.uri, Body: c.body}); w.Code != c.status {
			t.Errorf("%s %s = %d %s, want %d\n%s", c.method, c.uri, w.Code, w.Body, c.status, log)
		}
	}
}
