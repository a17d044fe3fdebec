package httpx_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"

	"github.com/weboffice-go/weboffice/internal/httpx"
	"github.com/weboffice-go/weboffice/internal/memhttp"
)

// echo is a client of a handler, whose calls are signed as "X-Signed: <payload>".
func echo(h http.Handler, change func(*httpx.Config)) *httpx.Client {
	cfg := httpx.Config{
		HTTPClient: memhttp.Client(h), MaxBody: 100, UserAgent: "test",
		Sign: func(h http.Header, payload []byte) { h.Set("X-Signed", url.QueryEscape(string(payload))) },
	}
	if change != nil {
		change(&cfg)
	}
	return httpx.New(cfg)
}

func TestWhatIsSignedIsSent(t *testing.T) {
	t.Parallel()
	tests := []struct {
		method, url, body string
		target            string // as it arrives
	}{
		{"POST", "https://a.example/x", `{"a":"<&> 文 "}` + "\n", "/x"},
		{"POST", "https://a.example/x?key=k%20k+k", "{}", "/x?key=k%20k+k"},
		{"PUT", "https://a.example/p/open:1", "{}", "/p/open:1"},
		{"DELETE", "https://a.example/p", "{}", "/p"},
		{"POST", "https://a.example/one", "1", "/one"},
		{"PATCH", "https://a.example/p", "{}", "/p"},
		{"GET", "https://a.example/a%2Fb/open:1", "", "/a%2Fb/open:1"},
		{"GET", "https://a.example", "", "/"},
		{"GET", "https://a.example/{id}/x?a={b}&c=%7Bd%7D", "", "/%7Bid%7D/x?a={b}&c=%7Bd%7D"},
		{"POST", "https://a.example/x", "", "/x"},
		{"HEAD", "https://a.example/x", "", "/x"},
	}
	for _, test := range tests {
		t.Run(test.method+" "+test.url, func(t *testing.T) {
			t.Parallel()
			var got *http.Request
			var body []byte
			client := echo(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				got = r
				body, _ = io.ReadAll(r.Body)
			}), nil)
			if _, err := client.Do(t.Context(), httpx.Request{Method: test.method, URL: test.url, Body: []byte(test.body)}); err != nil {
				t.Fatal(err)
			}
			if got.Method != test.method || got.RequestURI != test.target || string(body) != test.body {
				t.Errorf("received %s %s %q, want %s %s %q", got.Method, got.RequestURI, body, test.method, test.target, test.body)
			}
			signed := test.body
			if signed == "" {
				signed = test.target
			}
			if want := url.QueryEscape(signed); got.Header.Get("X-Signed") != want {
				t.Errorf("signed %s, want %s", got.Header.Get("X-Signed"), want)
			}
			if types := got.Header["Content-Type"]; len(types) != 1 || types[0] != "application/json" {
				t.Errorf("Content-Type = %q", types)
			}
			if got.Header.Get("User-Agent") != "test" {
				t.Errorf("User-Agent = %q", got.Header.Get("User-Agent"))
			}
		})
	}
}

func TestABodyIsNeverSignedAndLeftOut(t *testing.T) {
	t.Parallel()
	calls := 0
	client := echo(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls++ }), nil)
	for _, method := range []string{"GET", "HEAD", "OPTIONS"} {
		if _, err := client.Do(t.Context(), httpx.Request{Method: method, URL: "https://a.example/", Body: []byte("{}")}); err == nil || calls != 0 {
			t.Errorf("Do of %s with a body = %v after %d calls, want an error after none", method, err, calls)
		}
	}
}

func TestUnsignedCalls(t *testing.T) {
	t.Parallel()
	client := echo(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Header.Get("X-Signed")) }),
		func(cfg *httpx.Config) { cfg.Sign = nil })
	answer, err := client.Do(t.Context(), httpx.Request{Method: "GET", URL: "https://a.example/"})
	if err != nil || len(answer.Body) != 0 {
		t.Errorf("Do = %v, %v", answer, err)
	}
}

func TestAnswersAreReadUpToALimit(t *testing.T) {
	t.Parallel()
	for _, chunked := range []bool{false, true} {
		for size, large := range map[int]bool{0: false, 1: false, 99: false, 100: false, 101: true, 100_000: true} {
			client := echo(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("X-Here", "yes")
				w.WriteHeader(http.StatusTeapot)
				if chunked {
					_ = http.NewResponseController(w).Flush()
				}
				_, _ = w.Write(bytes.Repeat([]byte("x"), size))
			}), nil)
			answer, err := client.Do(t.Context(), httpx.Request{Method: "GET", URL: "https://a.example/"})
			if errors.Is(err, httpx.ErrTooLarge) != large || err != nil && !large {
				t.Errorf("%d bytes: %v, want ErrTooLarge: %v", size, err, large)
				continue
			}
			if answer.StatusCode != http.StatusTeapot || answer.Header.Get("X-Here") != "yes" || len(answer.Body) != min(size, 100) {
				t.Errorf("%d bytes: got %d, %v, %d bytes", size, answer.StatusCode, answer.Header, len(answer.Body))
			}
		}
	}
}

// A limit may be any number, and a server may declare any length.
func TestLimitsAndLengthsOfAnySize(t *testing.T) {
	t.Parallel()
	for _, limit := range []int64{100, 1 << 40, math.MaxInt64} {
		for _, length := range []int64{-1, 4, 1 << 62, math.MaxInt64} {
			client := echo(nil, func(cfg *httpx.Config) {
				cfg.MaxBody = limit
				cfg.HTTPClient = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
					return &http.Response{StatusCode: 200, Header: http.Header{}, ContentLength: length, Body: io.NopCloser(strings.NewReader("body")), Request: r}, nil
				})}
			})
			answer, err := client.Do(t.Context(), httpx.Request{Method: "GET", URL: "https://a.example/"})
			if err != nil || string(answer.Body) != "body" {
				t.Errorf("MaxBody %d, length %d: Do = %v, %v", limit, length, answer, err)
			}
		}
	}
}

func TestACutAnswerIsAnError(t *testing.T) {
	t.Parallel()
	client := echo(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "50")
		_, _ = io.WriteString(w, "short")
	}), nil)
	answer, err := client.Do(t.Context(), httpx.Request{Method: "GET", URL: "https://a.example/"})
	if answer != nil || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("Do = %v, %v, want ErrUnexpectedEOF", answer, err)
	}
}

func TestNoRedirect(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		calls := 0
		client := echo(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			calls++
			http.Redirect(w, r, "https://b.example/?key=SECRET", status)
		}), nil)
		answer, err := client.Do(t.Context(), httpx.Request{Method: "POST", URL: "https://a.example/", Body: []byte("{}")})
		if err != nil || answer.StatusCode != status || answer.Header.Get("Location") != "" || calls != 1 {
			t.Errorf("Do with %d = %v, %v after %d calls", status, answer, err, calls)
		}
	}
	for location, want := range map[string]string{
		"https://b.example/?key=SECRET":    "https://b.example",
		"https://u:SECRET@b.example:8443/": "https://b.example:8443",
		"//b.example/SECRET":               "https://b.example",
		"/SECRET":                          "https://a.example",
		"https://%zz/SECRET":               "",
		"":                                 "",
	} {
		client := echo(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if location != "" {
				w.Header().Set("Location", location)
			}
			w.WriteHeader(http.StatusFound)
		}), nil)
		answer, err := client.Do(t.Context(), httpx.Request{Method: "GET", URL: "https://a.example/x"})
		if err != nil || answer.Redirect != want {
			t.Errorf("Do with Location %q = %+v, %v, want Redirect %q", location, answer, err, want)
		}
	}
}

// ErrNotSent is for what is certain: a request that was written may have arrived.
func TestNotSent(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(nil)
	closed.Close()
	hangsUp := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	t.Cleanup(hangsUp.Close)
	for _, test := range []struct {
		name, url string
		ended     bool // the context
		transport http.RoundTripper
		want      bool
	}{
		{"refused", closed.URL, false, nil, true},
		{"not a server for TLS", strings.Replace(hangsUp.URL, "http:", "https:", 1), false, nil, true},
		{"no connection in time", "http://a.example", false, &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}, true},
		{"the context had ended", hangsUp.URL, true, nil, true},
		{"hung up", hangsUp.URL, false, nil, false},
		{"a transport that does not say", "http://a.example", false, roundTrip(func(*http.Request) (*http.Response, error) { return nil, io.EOF }), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			hc := httpx.Copy(nil)
			hc.Timeout = time.Minute
			if test.name == "no connection in time" {
				hc.Timeout = 50 * time.Millisecond
			}
			if test.transport != nil {
				hc.Transport = test.transport
			}
			t.Cleanup(hc.CloseIdleConnections)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if test.ended {
				cancel()
			}
			_, err := httpx.New(httpx.Config{HTTPClient: hc, MaxBody: 100}).Do(ctx, httpx.Request{Method: "POST", URL: test.url, Body: []byte("{}")})
			if err == nil || errors.Is(err, httpx.ErrNotSent) != test.want {
				t.Errorf("Do = %v, want one that is ErrNotSent: %v", err, test.want)
			}
		})
	}
}

// roundTrip is a transport.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestATransportWithoutAnswerIsAnError(t *testing.T) {
	t.Parallel()
	client := echo(nil, func(cfg *httpx.Config) {
		cfg.HTTPClient = &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) { return nil, nil })}
	})
	answer, err := client.Do(t.Context(), httpx.Request{Method: "GET", URL: "https://a.example/x"})
	if answer != nil || err == nil || strings.Contains(err.Error(), "%!") {
		t.Errorf("Do = %v, %v, want an error", answer, err)
	}
}

func TestErrorsHaveNoSecrets(t *testing.T) {
	t.Parallel()
	transport := httpmock.NewMockTransport()
	transport.RegisterNoResponder(func(r *http.Request) (*http.Response, error) {
		return nil, fmt.Errorf("dial %s: refused for SECRETKEY", r.URL)
	})
	client := httpx.New(httpx.Config{HTTPClient: &http.Client{Transport: transport}, Secrets: []string{"SECRETKEY"}})
	_, err := client.Do(t.Context(), httpx.Request{Method: "POST", URL: "https://a.example/send?key=SECRETKEY", Body: []byte("{}")})
	var failed *url.Error
	if !errors.As(err, &failed) || strings.Contains(fmt.Sprintf("%+v %#v", err, failed), "SECRETKEY") {
		t.Errorf("Do = %v, want a redacted *url.Error", err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		if got := fmt.Sprintf(verb, client); strings.Contains(got, "SECRETKEY") || strings.Contains(got, fmt.Sprintf("%x", "SECRETKEY")) {
			t.Errorf("the client prints by %s as %s", verb, got)
		}
	}
	if !strings.Contains(err.Error(), "https://a.example/send") {
		t.Errorf("Do = %v: where it went is lost", err)
	}
}

func TestTheCallersClientStaysAsItIs(t *testing.T) {
	t.Parallel()
	transport := memhttp.Transport(http.NotFoundHandler())
	mine := &http.Client{Transport: transport, Timeout: time.Minute}
	client := httpx.New(httpx.Config{HTTPClient: mine, MaxBody: 100})
	if _, err := client.Do(t.Context(), httpx.Request{Method: "GET", URL: "https://a.example/"}); err != nil {
		t.Fatal(err)
	}
	if mine.Transport != transport || mine.CheckRedirect != nil || mine.Jar != nil || mine.Timeout != time.Minute {
		t.Errorf("the caller's client became %+v", mine)
	}
	empty := &http.Client{}
	if copied := httpx.Copy(empty); copied == empty || empty.Transport != nil || copied.Transport == nil || copied.Transport == http.DefaultTransport {
		t.Errorf("Copy of %+v = %+v", empty, copied)
	}
	if httpx.Copy(nil).Timeout != httpx.DefaultTimeout || httpx.Copy(&http.Client{}).Timeout != 0 {
		t.Error("DefaultTimeout is for those who bring no client, and for them alone")
	}
}

func TestEndOfTheContext(t *testing.T) {
	t.Parallel()
	errCause := errors.New("the user left")
	client := echo(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }), nil)
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(time.Millisecond, func() { cancel(errCause) })
	_, err := client.Do(ctx, httpx.Request{Method: "GET", URL: "https://a.example/"})
	if !errors.Is(err, context.Canceled) || !errors.Is(err, errCause) || strings.Count(err.Error(), errCause.Error()) != 1 {
		t.Errorf("Do = %v, want Canceled and its cause", err)
	}
}

func TestTimeoutOfTheHTTPClient(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]http.HandlerFunc{
		"before an answer": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"within an answer": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "…")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client := httpx.New(httpx.Config{HTTPClient: &http.Client{Transport: memhttp.Transport(handler), Timeout: time.Second}, MaxBody: 100})
				start := time.Now()
				_, err := client.Do(t.Context(), httpx.Request{Method: "GET", URL: "https://a.example/"})
				var timeout interface{ Timeout() bool }
				if !errors.As(err, &timeout) || !timeout.Timeout() || !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
					t.Errorf("Do = %v after %v, want a time-out after 1s", err, time.Since(start))
				}
			})
		})
	}
}
