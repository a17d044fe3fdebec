package httpx_test

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/internal/httpx"
	"github.com/weboffice-go/weboffice/internal/memhttp"
)

// What a test needs of HTTP/2 (RFC 9113).
const (
	http2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

	frameData     = 0x0
	frameHeaders  = 0x1
	frameReset    = 0x3
	frameSettings = 0x4
	flagEnd       = 0x1 // END_STREAM; ACK of SETTINGS

	codeProtocol = 0x1
	codeInternal = 0x2
	codeRefused  = 0x7
	codeCancel   = 0x8
)

// resetter serves HTTP/2: it reads each request to its end, counts it, and resets
// its stream with code.
func resetter(t *testing.T, code uint32) (address string, hc *http.Client, requests *atomic.Int64) {
	t.Helper()
	donor := httptest.NewTLSServer(nil) // has a certificate
	donor.Close()
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: donor.TLS.Certificates, NextProtos: []string{"h2"}, MinVersion: tls.VersionTLS12,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	requests = &atomic.Int64{}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go resetStreams(conn, code, requests)
		}
	}()
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:errcheck // It is one.
	transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
	transport.ForceAttemptHTTP2 = true
	t.Cleanup(transport.CloseIdleConnections)
	return "https://" + listener.Addr().String(), &http.Client{Transport: transport, Timeout: 10 * time.Second}, requests
}

func resetStreams(conn net.Conn, code uint32, requests *atomic.Int64) {
	defer func() { _ = conn.Close() }()
	if _, err := io.CopyN(io.Discard, conn, int64(len(http2Preface))); err != nil {
		return
	}
	_, _ = conn.Write(frame(frameSettings, 0, 0, nil))
	for {
		var head [9]byte
		if _, err := io.ReadFull(conn, head[:]); err != nil {
			return
		}
		length := int64(head[0])<<16 | int64(head[1])<<8 | int64(head[2])
		if _, err := io.CopyN(io.Discard, conn, length); err != nil {
			return
		}
		kind, flags, stream := head[3], head[4], binary.BigEndian.Uint32(head[5:])
		switch {
		case kind == frameSettings && flags&flagEnd == 0:
			_, _ = conn.Write(frame(frameSettings, flagEnd, 0, nil))
		case (kind == frameHeaders || kind == frameData) && flags&flagEnd != 0:
			requests.Add(1)
			_, _ = conn.Write(frame(frameReset, 0, stream, binary.BigEndian.AppendUint32(nil, code)))
		}
	}
}

func frame(kind, flags byte, stream uint32, payload []byte) []byte {
	b := []byte{0, 0, byte(len(payload)), kind, flags}
	return append(binary.BigEndian.AppendUint32(b, stream), payload...)
}

// net/http repeats a request of HTTP/2 on its own, some of them without a pause.
// Here one call is one attempt: a repeat would be a second message or task, with an
// old Date, past the limiter.
func TestHTTP2IsNotRepeated(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]uint32{"protocol error": codeProtocol, "internal error": codeInternal, "refused stream": codeRefused, "cancel": codeCancel} {
		for _, request := range []httpx.Request{{Method: "POST", Body: []byte("{}")}, {Method: "POST"}, {Method: "GET"}} {
			t.Run(name+" "+request.Method, func(t *testing.T) {
				t.Parallel()
				address, hc, requests := resetter(t, code)
				request.URL = address
				answer, err := httpx.New(httpx.Config{HTTPClient: hc, MaxBody: 100}).Do(t.Context(), request)
				most := int64(1)
				if request.Method == http.MethodGet {
					most = 2 // see gotConn
				}
				if err == nil || errors.Is(err, context.Canceled) || requests.Load() > most {
					t.Errorf("Do = %v, %v after %d requests, want an error other than context.Canceled after at most %d", answer, err, requests.Load(), most)
				}
			})
		}
	}
}

// Over HTTP/2, net/http takes the error of a context for that of its request, and not
// the cause.
func TestTimeoutOverHTTP2(t *testing.T) {
	t.Parallel()
	for _, begun := range []bool{false, true} {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if begun {
				_, _ = io.WriteString(w, "{")
				_ = http.NewResponseController(w).Flush()
			}
			<-r.Context().Done()
		}))
		server.EnableHTTP2 = true
		server.StartTLS()
		t.Cleanup(server.Close)
		hc := server.Client()
		hc.Timeout = 50 * time.Millisecond
		_, err := httpx.New(httpx.Config{HTTPClient: hc, MaxBody: 100}).Do(t.Context(), httpx.Request{Method: "POST", URL: server.URL, Body: []byte("{}")})
		if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "the Timeout of the http.Client") {
			t.Errorf("the answer has begun: %t: Do = %v, want that the Timeout has passed", begun, err)
		}
	}
}

// A download has no Client of this package, and follows redirects.
func TestOnce(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]uint32{"protocol error": codeProtocol, "refused stream": codeRefused} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, hc, requests := resetter(t, code)
			hc.Transport = httpx.Once(hc.Transport)
			redirects := &http.Client{Transport: httpx.Once(memhttp.Transport(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if len(r.URL.Path) < 8 {
					http.Redirect(w, r, r.URL.Path+"x", http.StatusFound)
				}
			})))}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			if answer, err := hc.Do(req); err == nil || errors.Is(err, context.Canceled) || requests.Load() != 2 { //nolint:bodyclose // There is none.
				t.Errorf("Do = %v, %v after %d requests, want an error after 2", answer, err, requests.Load())
			}
			req.URL.Path = "/"
			answer, err := redirects.Do(req)
			if err != nil || answer.StatusCode != http.StatusOK {
				t.Fatalf("Do = %v, %v, want the answer after many redirects", answer, err)
			}
			_ = answer.Body.Close()
			idle := &idle{}
			(&http.Client{Transport: httpx.Once(idle)}).CloseIdleConnections()
			if !idle.closed {
				t.Error("CloseIdleConnections does not reach the transport")
			}
		})
	}
}

type idle struct {
	http.RoundTripper
	closed bool
}

func (i *idle) CloseIdleConnections() { i.closed = true }
