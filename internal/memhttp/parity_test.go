package memhttp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/internal/memhttp"
)

// scene is one exchange, and what both of its sides note about it.
type scene struct {
	t      *testing.T
	client *http.Client
	base   string
	signal chan struct{} // from one side to the other

	mu     sync.Mutex
	atHome []string // noted by the client
	away   []string // noted by the handler
}

func (s *scene) note(format string, args ...any) {
	s.atHome = append(s.atHome, fmt.Sprintf(format, args...))
}

func (s *scene) served(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = append(s.away, fmt.Sprintf(format, args...))
}

// kind names an error by what callers can ask it.
func kind(err error) string {
	var large *http.MaxBytesError
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &large):
		return "too large"
	case errors.Is(err, errSender):
		return "the sender's error"
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return "deadline"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "unexpected EOF"
	case errors.Is(err, io.EOF):
		return "EOF"
	case errors.Is(err, http.ErrContentLength):
		return "more than Content-Length"
	case errors.Is(err, http.ErrBodyNotAllowed):
		return "no body allowed"
	case errors.Is(err, http.ErrBodyReadAfterClose):
		return "read after close"
	default:
		return "error"
	}
}

var errSender = errors.New("the sender failed")

// request makes one; a body without a length is hidden from NewRequest.
func (s *scene) request(method, target string, body io.Reader) *http.Request {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.base+target, body)
	if err != nil {
		s.t.Fatal(err)
	}
	return req
}

// show does a request and notes all of the answer.
func (s *scene) show(req *http.Request) {
	resp, err := s.client.Do(req)
	if err != nil {
		s.note("no answer: %s", kind(err))
		return
	}
	defer func() { _ = resp.Body.Close() }()
	s.note("%s %s, length %d, coding %v, close %t", resp.Proto, resp.Status, resp.ContentLength, resp.TransferEncoding, resp.Close)
	s.note("%s", headers(resp.Header))
	body, err := io.ReadAll(resp.Body)
	s.note("%d bytes, %s: %.60q", len(body), kind(err), body)
}

// headers leaves out what memhttp does not add.
func headers(h http.Header) string {
	var lines []string
	for name, values := range h {
		if !slices.Contains([]string{"Date", "User-Agent", "Accept-Encoding"}, name) {
			lines = append(lines, fmt.Sprintf("%s: %q", name, values))
		}
	}
	sort.Strings(lines)
	return strings.Join(lines, "; ")
}

func get(s *scene)  { s.show(s.request(http.MethodGet, "/", nil)) }
func head(s *scene) { s.show(s.request(http.MethodHead, "/", nil)) }

func unknownLength(r io.Reader) io.Reader { return struct{ io.Reader }{r} }

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errSender }

var long = strings.Repeat("0123456789abcdef", 8<<10) // 128 KiB

// cases are played against a real server and in memory.
var cases = []struct {
	name   string
	handle func(s *scene, w http.ResponseWriter, r *http.Request)
	client func(s *scene) // nil: get
}{
	{"nothing", func(*scene, http.ResponseWriter, *http.Request) {}, nil},
	{"a text", func(_ *scene, w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }, nil},
	{"two writes", func(_ *scene, w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "<ht")
		_, _ = io.WriteString(w, "ml><p>")
	}, nil},
	{"a long text", func(_ *scene, w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, long) }, nil},
	{"as much as is held back", func(_ *scene, w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, long[:2048]) }, nil},
	{"one more", func(_ *scene, w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, long[:2048])
		_, _ = io.WriteString(w, "x")
	}, nil},
	{"own header", func(_ *scene, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Add("X-Two", "1")
		w.Header().Add("X-Two", "2")
		w.WriteHeader(http.StatusTeapot)
		w.Header().Set("X-Late", "1")
		w.WriteHeader(http.StatusOK)
		_, _ = io.WriteString(w, "{}")
	}, nil},
	{"unheard-of status", func(_ *scene, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(499) }, nil},
	{"invalid status", func(_ *scene, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(0) }, nil},
	{"informational", func(_ *scene, w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusProcessing)
		w.WriteHeader(http.StatusCreated)
	}, nil},
	{"no sniffing", func(_ *scene, w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil
		_, _ = io.WriteString(w, "<html>")
	}, nil},
	{"no sniffing of what is encoded", func(_ *scene, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "br")
		_, _ = io.WriteString(w, "<html>")
	}, nil},
	{"no content", func(s *scene, w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
		_, err := io.WriteString(w, "x")
		s.served("write: %s", kind(err))
	}, nil},
	{"not modified", func(_ *scene, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) }, nil},
	{"closes the connection", func(_ *scene, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		_, _ = io.WriteString(w, "bye")
	}, nil},
	{"redirect", func(s *scene, w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/there?x=1", http.StatusFound)
			return
		}
		s.served("%s %t", r.RequestURI, r.Referer() == s.base+"/")
	}, nil},

	{"HEAD of nothing", func(*scene, http.ResponseWriter, *http.Request) {}, head},
	{"HEAD of a text", func(_ *scene, w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }, head},
	{"HEAD of a long text", func(_ *scene, w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, long) }, head},
	{"HEAD with a length", func(_ *scene, w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "7") }, head},

	{"length", func(_ *scene, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "5")
		_, _ = io.WriteString(w, "hello")
	}, nil},
	{"less than its length", func(_ *scene, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "9")
		_, _ = io.WriteString(w, "hello")
	}, nil},
	{"more than its length", func(s *scene, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "5")
		_, _ = io.WriteString(w, "hello")
		_, err := io.WriteString(w, "!")
		s.served("write: %s", kind(err))
	}, nil},
	{"a length of 0", func(_ *scene, w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "0") }, nil},
	{"done before it returns", func(s *scene, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "5")
		_, _ = io.WriteString(w, "hello")
		_ = http.NewResponseController(w).Flush()
		<-s.signal
		s.served("context: %s", kind(r.Context().Err()))
	}, func(s *scene) { get(s); close(s.signal) }},

	{"streams", func(s *scene, w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "one ")
		_ = http.NewResponseController(w).Flush()
		<-s.signal // the client has the header, and has read nothing
		_, _ = io.WriteString(w, "two")
	}, func(s *scene) {
		resp, err := s.client.Do(s.request(http.MethodGet, "/", nil))
		if err != nil {
			s.t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		s.signal <- struct{}{}
		body, err := io.ReadAll(resp.Body)
		s.note("%v %q %s", resp.TransferEncoding, body, kind(err))
	}},
	{"flushes the header alone", func(s *scene, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-A", "1")
		if flusher, ok := w.(http.Flusher); ok {
			flusher.Flush()
		}
		w.Header().Set("X-B", "1")
		_, _ = io.WriteString(w, "late")
	}, nil},
	{"talks while it listens", func(s *scene, w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex()
		_ = http.NewResponseController(w).Flush()
		for range 3 {
			var b [1]byte
			_, _ = io.ReadFull(r.Body, b[:])
			_, _ = w.Write(b[:])
			_ = http.NewResponseController(w).Flush()
		}
	}, func(s *scene) {
		out, in := io.Pipe()
		resp, err := s.client.Do(s.request(http.MethodPost, "/", out))
		if err != nil {
			s.t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		for _, letter := range []string{"a", "b", "c"} {
			_, _ = io.WriteString(in, letter)
			var b [1]byte
			_, err := io.ReadFull(resp.Body, b[:])
			s.note("%s %s", b, kind(err))
		}
		_ = in.Close()
	}},

	{"panics", func(*scene, http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, nil},
	{"panics with a text held back", func(_ *scene, w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "hello")
		panic(http.ErrAbortHandler)
	}, nil},
	{"panics within a stream", func(_ *scene, w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "hello")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}, func(s *scene) {
		resp, err := s.client.Do(s.request(http.MethodGet, "/", nil))
		if err != nil {
			s.t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		_, err = io.ReadAll(resp.Body)
		s.note("%s", kind(err)) // what arrives before the break is a race
	}},
}

func TestParity(t *testing.T) {
	t.Parallel()
	for _, tt := range slices.Concat(cases, requestCases, endCases) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			play := func(t *testing.T, connect func(h http.Handler) (client *http.Client, base string, shut func())) *scene {
				t.Helper()
				s := &scene{t: t, signal: make(chan struct{})}
				client, base, shut := connect(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { tt.handle(s, w, r) }))
				s.client, s.base = client, base
				if tt.client == nil {
					get(s)
				} else {
					tt.client(s)
				}
				shut()
				return s
			}
			real := play(t, func(h http.Handler) (*http.Client, string, func()) {
				server := httptest.NewUnstartedServer(h)
				server.Config.ErrorLog = log.New(io.Discard, "", 0)
				server.Start()
				return server.Client(), server.URL, server.Close // which waits for the handler
			})
			var ours *scene
			synctest.Test(t, func(t *testing.T) { // which waits for every goroutine
				ours = play(t, func(h http.Handler) (*http.Client, string, func()) {
					return memhttp.Client(h), "http://server.test", synctest.Wait
				})
			})
			if diff := cmp.Diff(real.atHome, ours.atHome); diff != "" {
				t.Errorf("the client sees (-net/http +memhttp):\n%s", diff)
			}
			if diff := cmp.Diff(real.away, ours.away); diff != "" {
				t.Errorf("the handler sees (-net/http +memhttp):\n%s", diff)
			}
			if len(real.atHome)+len(real.away) == 0 {
				t.Error("nobody noted anything")
			}
		})
	}
}
