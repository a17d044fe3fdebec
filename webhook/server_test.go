package webhook_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/weboffice-go/weboffice/webhook"
)

// A server of net/http takes chunked bodies too, cuts off what is too large, and
// keeps nothing of it.
func TestReceiverOnAServer(t *testing.T) { //nolint:paralleltest // It measures memory.
	var in inbox
	server := httptest.NewServer(in.receiver(t, nil))
	defer server.Close()
	client := server.Client()
	post := func(body io.Reader) (status int) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, body)
		if err != nil {
			t.Error(err)
			return 0
		}
		resp, err := client.Do(req)
		if err != nil {
			return 0 // the server hung up while the body was on its way
		}
		defer func() { _ = resp.Body.Close() }()
		return resp.StatusCode
	}
	if got := post(struct{ io.Reader }{strings.NewReader(sample)}); got != http.StatusOK || len(in.events) != 1 {
		t.Errorf("chunked: status %d, %d events", got, len(in.events))
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			var body endless
			if got := post(io.LimitReader(&body, 100<<20)); got != http.StatusRequestEntityTooLarge && got != 0 {
				t.Errorf("100 MB: status %d", got)
			}
			if n := body.read.Load(); n > 20*webhook.DefaultMaxBody {
				t.Errorf("%d bytes were taken", n)
			}
		})
	}
	wg.Wait()
	client.CloseIdleConnections()
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 4<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
	if len(in.events) != 1 {
		t.Errorf("%d events", len(in.events))
	}
}
