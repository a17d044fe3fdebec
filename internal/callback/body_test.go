package callback_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/internal/callback"
	"github.com/weboffice-go/weboffice/internal/memhttp"
)

func TestReadBody(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body string
		want error
	}{{"", nil}, {"12345", nil}, {"123456", callback.ErrTooLarge}} {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(c.body))
		release := callback.Bound(httptest.NewRecorder(), r, 5, time.Now().Add(time.Hour))
		got, err := callback.ReadBody(r)
		release()
		if !errors.Is(err, c.want) || err == nil && string(got) != c.body {
			t.Errorf("ReadBody of %q = %q, %v, want %v", c.body, got, err, c.want)
		}
	}
}

// TestReadBodyThatIsEaten recognizes a middleware that has read the body.
func TestReadBodyThatIsEaten(t *testing.T) {
	t.Parallel()
	for name, eat := range map[string]func(*http.Request){
		"read":     func(r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) },
		"replaced": func(r *http.Request) { r.Body = http.NoBody },
		"removed":  func(r *http.Request) { r.Body = nil },
	} {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("12345"))
		eat(r)
		defer callback.Bound(httptest.NewRecorder(), r, 5, time.Now().Add(time.Hour))()
		if got, err := callback.ReadBody(r); !errors.Is(err, callback.ErrEaten) {
			t.Errorf("%s: ReadBody = %q, %v, want ErrEaten", name, got, err)
		}
	}
}

func TestReadBodyThatIsNone(t *testing.T) {
	t.Parallel()
	for _, body := range []io.ReadCloser{nil, http.NoBody} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Body = body
		callback.Bound(httptest.NewRecorder(), r, 5, time.Now())()
		if r.Body != body {
			t.Errorf("Bound changed the body %v to %v", body, r.Body)
		}
	}
}

// TestReadBodySlow gives up at the deadline, and takes the deadline back.
func TestReadBodySlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := memhttp.Client(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			start := time.Now()
			release := callback.Bound(w, r, 5, start.Add(time.Minute))
			defer release()
			_, err := callback.ReadBody(r)
			if took := time.Since(start); !errors.Is(err, callback.ErrTooSlow) || took != time.Minute {
				t.Errorf("ReadBody = %v after %v, want ErrTooSlow after a minute", err, took)
			}
		}))
		reader, writer := io.Pipe()
		defer func() { _ = writer.Close() }()
		resp, err := client.Post("http://example.com/", "text/plain", reader) //nolint:noctx // In memory.
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	})
}

func TestBodyError(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ err, want error }{
		{nil, nil},
		{io.ErrUnexpectedEOF, io.ErrUnexpectedEOF},
		{fmt.Errorf("verify: %w", &http.MaxBytesError{Limit: 1}), callback.ErrTooLarge},
		{fmt.Errorf("verify: %w", os.ErrDeadlineExceeded), callback.ErrTooSlow},
	} {
		if got := callback.BodyError(c.err); got != c.want { //nolint:errorlint // Exactly that one.
			t.Errorf("BodyError(%v) = %v, want %v", c.err, got, c.want)
		}
	}
}
