package memhttp_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/internal/memhttp"
)

// post sends a body to h in a bubble, which ends only when no goroutine is left.
func post(t *testing.T, ctx context.Context, h http.HandlerFunc, body io.Reader) (*http.Response, error) { //nolint:revive // The test comes first here too.
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://server.test/", body)
	if err != nil {
		t.Fatal(err)
	}
	return memhttp.Client(h).Do(req)
}

func TestMuchInBothDirections(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sent := bytes.Repeat([]byte("0123456789"), 100_000)
		echo := func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.Copy(w, r.Body); err != nil {
				t.Error(err)
			}
		}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				resp, err := post(t, t.Context(), echo, bytes.NewReader(sent))
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

func TestHandlerSeesTheClientGo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), key{}, "x"), time.Minute)
		defer cancel()
		_, err := post(t, ctx, func(_ http.ResponseWriter, r *http.Request) { //nolint:bodyclose // There is no answer.
			if r.Context().Value(key{}) != nil || r.RemoteAddr != memhttp.RemoteAddr || r.Header.Get("Connection") != "" {
				t.Errorf("the handler sees the client's values, %q, %q", r.RemoteAddr, r.Header)
			}
			<-r.Context().Done()
		}, strings.NewReader("x"))
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Do = %v, want its deadline", err)
		}
	})
}

func TestPanicBreaksTheConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, err := post(t, t.Context(), func(http.ResponseWriter, *http.Request) { panic("hidden") }, nil) //nolint:bodyclose // There is no answer.
		if !errors.Is(err, io.EOF) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("Do = %v, want EOF alone", err)
		}
	})
}

func TestBodyOverALimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		resp, err := post(t, t.Context(), func(w http.ResponseWriter, r *http.Request) {
			_, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 10))
			if large := (*http.MaxBytesError)(nil); !errors.As(err, &large) {
				t.Errorf("the handler read %v", err)
			}
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
		}, strings.NewReader(strings.Repeat("x", 1<<20)))
		if err != nil || resp.StatusCode != http.StatusRequestEntityTooLarge {
			t.Fatalf("Do = %v, %v", resp, err)
		}
		_ = resp.Body.Close()
	})
}
