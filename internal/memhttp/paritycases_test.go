package memhttp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

// requestCases are about what the handler gets.
var requestCases = []struct {
	name   string
	handle func(s *scene, w http.ResponseWriter, r *http.Request)
	client func(s *scene)
}{
	{"GET", showRequest, func(s *scene) {
		req := s.request(http.MethodGet, "/a%2Fb/%E6%96%87?x=1&y=%20#part", nil)
		req.Host = "office.test"
		req.Header.Add("X-Two", "1")
		req.Header.Add("X-Two", "2")
		req.Header["x-raw"] = []string{"kept"}
		s.show(req)
	}},
	{"user in the address", showRequest, func(s *scene) {
		s.base = strings.Replace(s.base, "//", "//user:pass@", 1)
		s.show(s.request(http.MethodGet, "", nil))
	}},
	{"POST", showRequest, func(s *scene) { s.show(s.request(http.MethodPost, "/", strings.NewReader("hello"))) }},
	{"POST of nothing", showRequest, func(s *scene) { s.show(s.request(http.MethodPost, "/", nil)) }},
	{"POST of NoBody", showRequest, func(s *scene) { s.show(s.request(http.MethodPost, "/", http.NoBody)) }},
	{"POST in chunks", showRequest, func(s *scene) {
		s.show(s.request(http.MethodPost, "/", unknownLength(strings.NewReader(long))))
	}},
	{"POST of much", showRequest, func(s *scene) { s.show(s.request(http.MethodPost, "/", strings.NewReader(long))) }},
	{"method", showRequest, func(s *scene) { s.show(s.request("BREW", "/", strings.NewReader("tea"))) }},
	{"body is not read", func(_ *scene, w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "no, thanks")
	}, func(s *scene) { s.show(s.request(http.MethodPost, "/", strings.NewReader("hello"))) }},
	{"body is read after its end", func(s *scene, _ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		n, err := r.Body.Read(make([]byte, 1))
		s.served("%d %s", n, kind(err))
		_ = r.Body.Close()
		n, err = r.Body.Read(make([]byte, 1))
		s.served("%d %s", n, kind(err))
	}, func(s *scene) { s.show(s.request(http.MethodPost, "/", strings.NewReader("hello"))) }},
	{"body is bounded", func(s *scene, w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 3))
		s.served("%q %s", body, kind(err))
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	}, func(s *scene) {
		resp, err := s.client.Do(s.request(http.MethodPost, "/", strings.NewReader("hello")))
		if err != nil {
			s.t.Fatal(err)
		}
		_ = resp.Body.Close()
		s.note("%s", resp.Status)
	}},
	{"sender is closed", func(_ *scene, _ http.ResponseWriter, r *http.Request) { _, _ = io.ReadAll(r.Body) }, func(s *scene) {
		body := &closing{Reader: strings.NewReader("hello"), closed: make(chan struct{})}
		s.show(s.request(http.MethodPost, "/", body))
		<-body.closed
		s.note("closed")
	}},
}

type closing struct {
	io.Reader
	closed chan struct{}
}

func (c *closing) Close() error { close(c.closed); return nil }

func showRequest(s *scene, w http.ResponseWriter, r *http.Request) {
	s.served("%s %s %s %s", r.Method, r.RequestURI, r.URL, r.Proto)
	s.served("host ok %t, length %d, coding %v", r.Host == "office.test" || r.Host == strings.TrimPrefix(s.base[strings.LastIndexAny(s.base, "/@")+1:], "/"), r.ContentLength, r.TransferEncoding)
	s.served("%s", headers(r.Header))
	s.served("%t %t", r.RemoteAddr != "", r.Body != nil)
	body, err := io.ReadAll(r.Body)
	s.served("%d bytes %s", len(body), kind(err))
	_, _ = io.WriteString(w, "thanks")
}

// endCases are about one side that goes away, and about deadlines.
var endCases = []struct {
	name   string
	handle func(s *scene, w http.ResponseWriter, r *http.Request)
	client func(s *scene)
}{
	{"client leaves before the answer", waitForEnd, func(s *scene) {
		req, cancel := cancelable(s)
		go func() {
			<-s.signal
			cancel()
		}()
		s.show(req)
	}},
	{"client leaves with a cause", waitForEnd, func(s *scene) {
		ctx, cancel := context.WithCancelCause(s.t.Context())
		go func() {
			<-s.signal
			cancel(errSender)
		}()
		s.show(s.request(http.MethodGet, "/", nil).WithContext(ctx))
	}},
	{"client has left already", func(s *scene, _ http.ResponseWriter, _ *http.Request) { s.served("called") }, func(s *scene) {
		req, cancel := cancelable(s)
		cancel()
		s.show(req)
	}},
	{"client has left already with a cause", func(s *scene, _ http.ResponseWriter, _ *http.Request) { s.served("called") }, func(s *scene) {
		ctx, cancel := context.WithCancelCause(s.t.Context())
		cancel(errSender)
		s.show(s.request(http.MethodGet, "/", nil).WithContext(ctx))
	}},
	{"client leaves within the answer", flushAndWait, func(s *scene) {
		req, cancel := cancelable(s)
		resp, err := s.client.Do(req)
		if err != nil {
			s.t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		<-s.signal
		cancel()
		_, err = io.ReadAll(resp.Body)
		s.note("%s", kind(err))
	}},
	{"client closes the answer", flushAndWait, func(s *scene) {
		resp, err := s.client.Do(s.request(http.MethodGet, "/", nil))
		if err != nil {
			s.t.Fatal(err)
		}
		<-s.signal
		_ = resp.Body.Close()
		_, err = resp.Body.Read(make([]byte, 1))
		s.note("%s, again %v", kind(err), resp.Body.Close())
	}},
	{"answer is read after its end", func(_ *scene, w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "hello")
	}, func(s *scene) {
		resp, err := s.client.Do(s.request(http.MethodGet, "/", nil))
		if err != nil {
			s.t.Fatal(err)
		}
		_, _ = io.ReadAll(resp.Body)
		_, err = resp.Body.Read(make([]byte, 1))
		_ = resp.Body.Close()
		_, closed := resp.Body.Read(make([]byte, 1))
		s.note("%s, %s", kind(err), kind(closed))
	}},
	{"handler writes to nobody", func(s *scene, w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		var err error
		for err == nil { // the first may still find room
			_, err = io.WriteString(w, long)
		}
		<-r.Context().Done()
		s.served("write: %s", kind(err))
	}, func(s *scene) {
		resp, err := s.client.Do(s.request(http.MethodGet, "/", nil))
		if err != nil {
			s.t.Fatal(err)
		}
		_ = resp.Body.Close()
		s.note("closed")
	}},
	{"client has no patience", waitForEnd, func(s *scene) {
		s.client.Timeout = patience
		go func() { <-s.signal }()
		s.show(s.request(http.MethodGet, "/", nil))
	}},
	{"client has no patience with the body", flushAndWait, func(s *scene) {
		s.client.Timeout = patience
		go func() { <-s.signal }()
		resp, err := s.client.Do(s.request(http.MethodGet, "/", nil))
		if err != nil {
			s.t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		_, err = io.ReadAll(resp.Body)
		s.note("%s", kind(err))
	}},
	{"context ends with the handler", func(s *scene, _ http.ResponseWriter, r *http.Request) {
		context.AfterFunc(r.Context(), func() { close(s.signal) })
	}, func(s *scene) {
		get(s)
		<-s.signal
	}},
	{"read deadline", func(s *scene, w http.ResponseWriter, r *http.Request) {
		begun := make([]byte, len("hel"))
		_, _ = io.ReadFull(r.Body, begun) // it has arrived, however slow the machine is
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		rest, err := io.ReadAll(r.Body)
		s.served("%q, then %q %s", begun, rest, kind(err))
		w.WriteHeader(http.StatusRequestTimeout)
	}, func(s *scene) {
		out, in := io.Pipe()
		defer func() { _ = in.Close() }()
		go func() { _, _ = io.WriteString(in, "hel") }()
		s.show(s.request(http.MethodPost, "/", out))
	}},
	{"read deadline that has passed", func(s *scene, w http.ResponseWriter, r *http.Request) {
		<-s.signal
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(-time.Second))
		_, err := io.ReadAll(r.Body)
		s.served("%s", kind(err))
	}, func(s *scene) {
		out, in := io.Pipe()
		defer func() { _ = in.Close() }()
		go func() { s.signal <- struct{}{} }()
		s.show(s.request(http.MethodPost, "/", out))
	}},
	{"read deadline that is taken back", func(s *scene, w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		_ = control.SetReadDeadline(time.Now().Add(time.Hour))
		_ = control.SetReadDeadline(time.Time{})
		_, err := io.ReadAll(r.Body)
		s.served("%s", kind(errors.Join(err, control.SetReadDeadline(time.Now().Add(time.Hour)))))
	}, func(s *scene) { s.show(s.request(http.MethodPost, "/", strings.NewReader("hello"))) }},
}

// patience ends within the handler, and not before it is reached: net/http takes real
// time, on a machine that may be busy.
const patience = 3 * time.Second

func cancelable(s *scene) (*http.Request, context.CancelFunc) {
	ctx, cancel := context.WithCancel(s.t.Context())
	return s.request(http.MethodGet, "/", nil).WithContext(ctx), cancel
}

func waitForEnd(s *scene, _ http.ResponseWriter, r *http.Request) {
	s.signal <- struct{}{}
	<-r.Context().Done()
	s.served("context: %s", kind(r.Context().Err()))
}

func flushAndWait(s *scene, w http.ResponseWriter, r *http.Request) {
	_, _ = io.WriteString(w, "hello")
	_ = http.NewResponseController(w).Flush()
	waitForEnd(s, w, r)
}
