package convert_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/internal/memhttp"
)

const fileURL = "https://files.example/result.txt?Expires=1&Signature=abcdefgh"

// hello is a file of five bytes.
func hello() convert.File {
	return convert.File{URL: fileURL, Size: 5}
}

func TestDownload(t *testing.T) {
	t.Parallel()
	errWrite := errors.New("disk full")
	type writer = io.Writer
	tests := []struct {
		name    string
		handler http.HandlerFunc
		size    int64
		expires time.Duration // from now; 0: not known
		into    writer        // nil: a buffer
		want    error         // nil: success, or wantAPI
		wantAPI int           // status of an *APIError
		wrote   string
	}{
		{name: "the file", handler: say(200, "hello"), size: 5, wrote: "hello"},
		{name: "still valid", handler: say(200, "hello"), size: 5, expires: time.Second, wrote: "hello"},
		{name: "an empty file", handler: say(200, ""), size: 0},
		{name: "a size that is not known", handler: say(200, "hello"), size: -1, wrote: "hello"},
		{name: "in pieces", handler: chunks("he", "llo"), size: 5, wrote: "hello"},
		{name: "expired", handler: say(200, "hello"), size: 5, expires: -1, want: convert.ErrExpired},
		{name: "expires now", handler: say(200, "hello"), size: 5, expires: -2, want: convert.ErrExpired},
		{name: "refused before its time", handler: say(403, "<Error>Signature</Error>"), size: 5, expires: time.Hour, wantAPI: 403},
		{name: "refused, without a time", handler: say(404, "gone"), size: 5, wantAPI: 404},
		{name: "a failure", handler: say(500, "hello"), size: 5, wantAPI: 500},
		{name: "another success", handler: say(206, "hello"), size: 5, wantAPI: 206},
		{name: "nothing new", handler: say(304, ""), size: 5, wantAPI: 304},
		{name: "announced shorter", handler: say(200, "hell"), size: 5, want: convert.ErrSize},
		{name: "announced longer", handler: say(200, "hello!"), size: 5, want: convert.ErrSize},
		{name: "ends early", handler: chunks("he", "l"), size: 5, want: convert.ErrSize, wrote: "hel"},
		{name: "goes on", handler: chunks("he", "llo", "!"), size: 5, want: convert.ErrSize, wrote: "…"},
		{name: "not empty", handler: chunks("!"), size: 0, want: convert.ErrSize},
		{name: "cut", handler: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "5")
			_, _ = io.WriteString(w, "he")
		}, size: 5, want: io.ErrUnexpectedEOF, wrote: "he"},
		{name: "a broken connection", handler: hangUp, size: 5, want: io.EOF},
		{name: "encoded", handler: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = io.WriteString(w, "hello")
		}, size: 5, wantAPI: 200},
		{name: "a writer that fails", handler: say(200, "hello"), size: 5, into: failingWriter{errWrite}, want: errWrite},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			clock := now
			var asked *http.Request
			client := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked = r
				test.handler(w, r)
			}), func(cfg *convert.Config) { cfg.Now = func() time.Time { return clock } })
			file := convert.File{URL: fileURL, Size: test.size}
			switch {
			case test.expires > 0:
				file.ExpiresAt = clock.Add(test.expires)
			case test.expires == -1:
				file.ExpiresAt = clock.Add(-time.Nanosecond)
			case test.expires == -2:
				file.ExpiresAt = clock
			}
			var got bytes.Buffer
			var into io.Writer = &got
			if test.into != nil {
				into = test.into
			}
			err := client.Download(t.Context(), file, into)
			switch {
			case test.wantAPI != 0:
				if refused := apiError(t, err); refused.StatusCode != test.wantAPI || refused.Op != "download" || refused.Body != nil {
					t.Errorf("Download = %+v, want status %d", refused, test.wantAPI)
				}
			case !errors.Is(err, test.want):
				t.Errorf("Download = %v, want %v", err, test.want)
			}
			if wrote := got.String(); wrote != test.wrote && (test.wrote != "…" || wrote != "hello"[:len(wrote)]) {
				t.Errorf("Download wrote %q, want %q", got.String(), test.wrote)
			}
			if err != nil && (strings.Contains(err.Error(), "abcdefgh") || !strings.HasPrefix(err.Error(), "convert: ")) {
				t.Errorf("the error reads %q", err)
			}
			if expired := errors.Is(test.want, convert.ErrExpired); expired != (asked == nil) {
				t.Errorf("the host was asked: %v", asked != nil)
			}
			if asked != nil && (asked.Header.Get("Authorization") != "" || asked.Header.Get("Content-Md5") != "" || asked.Header.Get("Accept-Encoding") != "identity" || asked.Header.Get("User-Agent") != "weboffice-go") {
				t.Errorf("the host received the headers %v", asked.Header)
			}
		})
	}
}

// chunks answers without a length.
func chunks(parts ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, part := range parts {
			_ = http.NewResponseController(w).Flush()
			_, _ = io.WriteString(w, part)
		}
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestDownloadRefusesAddressesWithoutHost(t *testing.T) {
	t.Parallel()
	client := newClient(t, http.NotFoundHandler(), nil)
	for _, url := range []string{"", "result.txt", "/result.txt", "file:///etc/passwd", "https://", "https://files.example/%zz", "https://files.example/\n"} {
		err := client.Download(t.Context(), convert.File{URL: url}, io.Discard)
		if got := fields(err); len(got) != 1 || got[0] != "URL" {
			t.Errorf("Download of %q = %v, want a FieldError of URL", url, err)
		}
	}
}

func TestDownloadThatRunsOutOnItsWay(t *testing.T) {
	t.Parallel()
	clock := now
	client := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		clock = now.Add(time.Minute)
		say(403, "")(w, r)
	}), func(cfg *convert.Config) { cfg.Now = func() time.Time { return clock } })
	file := hello()
	file.ExpiresAt = now.Add(time.Second)
	if err := client.Download(t.Context(), file, io.Discard); !errors.Is(err, convert.ErrExpired) {
		t.Errorf("Download = %v, want ErrExpired", err)
	}
}

func TestDownloadFollowsRedirectsAndTellsNobody(t *testing.T) {
	t.Parallel()
	var last *http.Request
	mux := http.NewServeMux()
	mux.HandleFunc("files.example/", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://mirror.example/there?n=1", http.StatusFound)
	})
	mux.HandleFunc("mirror.example/", func(w http.ResponseWriter, r *http.Request) {
		last = r
		if r.URL.Query().Get("loop") != "" {
			http.Redirect(w, r, r.URL.String(), http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, "hello")
	})
	client := newClient(t, mux, nil)
	var got strings.Builder
	if err := client.Download(t.Context(), hello(), &got); err != nil || got.String() != "hello" {
		t.Fatalf("Download = %v, wrote %q", err, got.String())
	}
	for _, name := range []string{"Authorization", "Referer", "Date", "Content-Md5", "Cookie"} {
		if value := last.Header.Get(name); value != "" {
			t.Errorf("the other host received %s: %s", name, value)
		}
	}
	file := convert.File{URL: "https://mirror.example/?loop=abcdefgh", Size: 5}
	if err := client.Download(t.Context(), file, io.Discard); err == nil || !strings.Contains(err.Error(), "redirects") || strings.Contains(err.Error(), "abcdefgh") {
		t.Errorf("Download of a loop = %v", err)
	}
	errMine := errors.New("no redirects here")
	client = newClient(t, mux, func(cfg *convert.Config) {
		cfg.HTTPClient.CheckRedirect = func(*http.Request, []*http.Request) error { return errMine }
	})
	if err := client.Download(t.Context(), hello(), io.Discard); !errors.Is(err, errMine) {
		t.Errorf("Download = %v, want the error of the caller's CheckRedirect", err)
	}
}

func TestDownloadIsBoundByItsContextAndByStallsOnly(t *testing.T) {
	t.Parallel()
	errCause := errors.New("the user left")
	// slow sends a byte every half minute.
	slow := func(w http.ResponseWriter, r *http.Request) {
		for i := 0; i < 5 && r.Context().Err() == nil; i++ {
			time.Sleep(30 * time.Second)
			_, _ = w.Write([]byte("hello"[i : i+1]))
			_ = http.NewResponseController(w).Flush()
		}
	}
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	stall := func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("he"))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	tests := []struct {
		name    string
		handler http.HandlerFunc
		end     time.Duration
		want    []error
		took    time.Duration
	}{
		{"slow", slow, 0, nil, 150 * time.Second},
		{"no answer", hang, 0, []error{}, convert.StallTimeout},
		{"stalls", stall, 0, []error{}, convert.StallTimeout},
		{"cancelled before the answer", hang, time.Second, []error{context.Canceled, errCause}, time.Second},
		{"cancelled within", stall, time.Second, []error{context.Canceled, errCause}, time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client := newClient(t, nil, func(cfg *convert.Config) {
					cfg.HTTPClient = &http.Client{Transport: memhttp.Transport(test.handler), Timeout: 10 * time.Second}
				})
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				if test.end > 0 {
					time.AfterFunc(test.end, func() { cancel(errCause) })
				}
				start := time.Now()
				err := client.Download(ctx, hello(), io.Discard)
				if (err == nil) != (test.want == nil) || time.Since(start) != test.took {
					t.Errorf("Download = %v after %v, want %v after %v", err, time.Since(start), test.want, test.took)
				}
				for _, want := range test.want {
					if !errors.Is(err, want) {
						t.Errorf("Download = %v, want one that is %v", err, want)
					}
				}
				var timeout interface{ Timeout() bool }
				if err != nil && len(test.want) == 0 && (errors.Is(err, context.Canceled) || !errors.As(err, &timeout) || !timeout.Timeout()) {
					t.Errorf("Download = %v, want a time-out that is not of the context", err)
				}
			})
		})
	}
}

// slowWriter takes longer than a host may.
type slowWriter struct{ io.Writer }

func (w slowWriter) Write(p []byte) (int, error) {
	time.Sleep(2 * convert.StallTimeout)
	return w.Writer.Write(p)
}

func TestSlowWriterIsNoStall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := newClient(t, chunks("he", "llo"), nil)
		if err := client.Download(t.Context(), hello(), slowWriter{io.Discard}); err != nil {
			t.Errorf("Download = %v, although only the writer was slow", err)
		}
	})
}

// TestDownloadHoldsNoBody is not parallel: it measures the whole process.
func TestDownloadHoldsNoBody(t *testing.T) { //nolint:paralleltest // See above.
	const size = 64 << 20
	block := bytes.Repeat([]byte("0123456789abcdef"), 16<<10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(size))
		for range size / len(block) {
			_, _ = w.Write(block)
		}
	}))
	t.Cleanup(server.Close)
	client := newClient(t, nil, func(cfg *convert.Config) { cfg.HTTPClient = server.Client() })
	sum := sha256.New()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := client.Download(t.Context(), convert.File{URL: server.URL, Size: size}, sum); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 2<<20 {
		t.Errorf("a download of 64 MiB allocated %d KiB, want at most 2 MiB", got>>10)
	}
	want := sha256.New()
	for range size / len(block) {
		_, _ = want.Write(block)
	}
	if !bytes.Equal(sum.Sum(nil), want.Sum(nil)) {
		t.Error("the file changed on its way")
	}
}

// repeating is a transport that repeats a request by itself, as net/http does over HTTP/2.
type repeating struct{ requests int }

func (r *repeating) RoundTrip(req *http.Request) (*http.Response, error) {
	trace := httptrace.ContextClientTrace(req.Context())
	for r.requests < 100 {
		if trace.GotConn(httptrace.GotConnInfo{}); req.Context().Err() != nil {
			break
		}
		r.requests++
		trace.WroteRequest(httptrace.WroteRequestInfo{})
	}
	return nil, req.Context().Err()
}

func TestDownloadIsOneRequest(t *testing.T) {
	t.Parallel()
	transport := &repeating{}
	client := newClient(t, nil, func(cfg *convert.Config) { cfg.HTTPClient = &http.Client{Transport: transport} })
	err := client.Download(t.Context(), convert.File{URL: "https://files.example/1", Size: 5}, io.Discard)
	if err == nil || errors.Is(err, context.Canceled) || transport.requests > 2 {
		t.Errorf("Download = %v after %d requests, want an error after at most 2", err, transport.requests)
	}
}
