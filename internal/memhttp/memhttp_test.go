package memhttp_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/internal/memhttp"
)

func do(t *testing.T, h http.HandlerFunc, body io.Reader) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://server.test/", body)
	if err != nil {
		t.Fatal(err)
	}
	return memhttp.Client(h).Do(req)
}

func TestPanicIsNamed(t *testing.T) {
	t.Parallel()
	_, err := do(t, func(http.ResponseWriter, *http.Request) { panic("hidden") }, nil) //nolint:bodyclose // There is no answer.
	if !errors.Is(err, io.EOF) || !strings.Contains(err.Error(), "panic: a value of type string") || strings.Contains(err.Error(), "hidden") {
		t.Errorf("Do = %v, want EOF, and a panic without its value", err)
	}
}

// TestBodyLongerThanItsLength: what a real server does with the first bytes is a
// race; that the client hears of it is not, as long as the server takes its time.
func TestBodyLongerThanItsLength(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://server.test/", io.NopCloser(strings.NewReader("hello")))
		if err != nil {
			t.Fatal(err)
		}
		req.ContentLength = 3
		client := memhttp.Client(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if string(body) != "hel" && err == nil {
				t.Errorf("the handler read %q", body)
			}
			<-r.Context().Done()
		}))
		_, err = client.Do(req) //nolint:bodyclose // There is no answer.
		if err == nil || !strings.Contains(err.Error(), "ContentLength=3 with Body length 4") {
			t.Errorf("Do = %v, want a wrong length", err)
		}
	})
}

// TestBodyThatIsCutOff: with a real server it is a race who hears of it, and how.
func TestBodyThatIsCutOff(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		body   io.Reader
		length int64
		want   string
	}{
		"shorter than its length": {strings.NewReader("hello"), 9, "ContentLength=9 with Body length 5"},
		"failing":                 {io.MultiReader(strings.NewReader("hello"), failingReader{}), -1, errSender.Error()},
		"failing within a length": {io.MultiReader(strings.NewReader("hello"), failingReader{}), 9, errSender.Error()},
	} {
		synctest.Test(t, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://server.test/", unknownLength(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			req.ContentLength = tt.length
			client := memhttp.Client(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				if _, err := io.ReadAll(r.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("%s: the handler sees %v, want an unexpected EOF", name, err)
				}
				<-r.Context().Done()
			}))
			_, err = client.Do(req) //nolint:bodyclose // There is no answer.
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: Do = %v, want %q", name, err, tt.want)
			}
		})
	}
}

// TestSenderThatBlocks: the handler returns, and its sender is let go.
func TestSenderThatBlocks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out, in := io.Pipe()
		resp, err := do(t, func(_ http.ResponseWriter, r *http.Request) {
			_, _ = r.Body.Read(make([]byte, 1))
		}, readers{strings.NewReader("x"), out})
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		synctest.Wait()
		if _, err := in.Write([]byte("y")); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("Write to a body that nobody reads = %v", err)
		}
	})
}

// readers is a body of two, whose second one can be closed.
type readers struct {
	first  *strings.Reader
	second *io.PipeReader
}

func (r readers) Read(p []byte) (int, error) {
	if r.first.Len() > 0 {
		return r.first.Read(p)
	}
	return r.second.Read(p)
}

func (r readers) Close() error { return r.second.Close() }

func TestWriteDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		resp, err := do(t, func(w http.ResponseWriter, r *http.Request) {
			start := time.Now()
			_ = http.NewResponseController(w).SetWriteDeadline(start.Add(time.Minute))
			_, err := io.Copy(w, zeros{}) // more than a client that does not read has room for
			if !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(start) != time.Minute {
				t.Errorf("Write = %v after %v, want a deadline after 1m", err, time.Since(start))
			}
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		time.Sleep(time.Hour)
		if _, err := io.ReadAll(resp.Body); err == nil {
			t.Error("an answer that was broken off has an end")
		}
	})
}

func TestReadDeadlineIsTakenBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out, in := io.Pipe()
		time.AfterFunc(time.Minute, func() { _ = in.Close() })
		resp, err := do(t, func(w http.ResponseWriter, r *http.Request) {
			control := http.NewResponseController(w)
			_ = control.SetReadDeadline(time.Now().Add(time.Second))
			_ = control.SetReadDeadline(time.Time{})
			if _, err := io.ReadAll(r.Body); err != nil {
				t.Errorf("Read = %v, want the end of the body", err)
			}
		}, out)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	})
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// TestMuchInBothDirections sends an echo of a size that no buffer holds, many
// times at once.
func TestMuchInBothDirections(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sent := bytes.Repeat([]byte("0123456789"), 100_000)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				resp, err := do(t, func(w http.ResponseWriter, r *http.Request) {
					if _, err := io.Copy(w, r.Body); err != nil {
						t.Error(err)
					}
				}, bytes.NewReader(sent))
				if err != nil {
					t.Error(err)
					return
				}
				defer func() { _ = resp.Body.Close() }()
				if got, err := io.ReadAll(resp.Body); err != nil || !bytes.Equal(got, sent) {
					t.Errorf("read %d bytes, %v, want %d", len(got), err, len(sent))
				}
			})
		}
		wg.Wait()
	})
}

func TestServerKnowsNothingOfTheClientsValues(t *testing.T) {
	t.Parallel()
	type key struct{}
	req, err := http.NewRequestWithContext(context.WithValue(t.Context(), key{}, "x"), http.MethodGet, "http://server.test/", nil)
	if err != nil {
		t.Fatal(err)
	}
	client := memhttp.Client(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if got := r.Context().Value(key{}); got != nil {
			t.Errorf("the handler finds the client's value %v", got)
		}
	}))
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
}
