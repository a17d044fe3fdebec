package httpx_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/weboffice-go/weboffice/internal/httpx"
)

// loopback is a server on a socket, and the number of connections that it took.
func loopback(t *testing.T) (address string, opened *atomic.Int64) {
	t.Helper()
	opened = &atomic.Int64{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `{"code":0,"data":{"task_id":"open:abc"}}`)
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	return server.URL, opened
}

// ownClient is a client with connections of its own, which end with the test.
func ownClient(t *testing.T) *httpx.Client {
	t.Helper()
	hc := httpx.Copy(nil)
	t.Cleanup(hc.CloseIdleConnections)
	return httpx.New(httpx.Config{HTTPClient: hc, MaxBody: 1 << 20})
}

func post(t *testing.T, client *httpx.Client, address string) {
	t.Helper()
	answer, err := client.Do(t.Context(), httpx.Request{Method: "POST", URL: address, Body: []byte(`{"url":"https://a/b.docx"}`)})
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Errorf("Do = %v, %v", answer, err)
	}
}

// Performance goal G7: 64 goroutines need 64 connections, and not one for each of
// their calls, as with the two idle ones that net/http keeps.
func TestConnectionsAreReused(t *testing.T) {
	t.Parallel()
	const goroutines, calls = 64, 3000
	address, opened := loopback(t)
	client := ownClient(t)
	run := func() {
		var group sync.WaitGroup
		for range goroutines {
			group.Go(func() {
				for range calls / goroutines {
					post(t, client, address)
				}
			})
		}
		group.Wait()
	}
	run() // warms up: nobody waits for a connection while another one is dialled
	warm := opened.Load()
	if run(); opened.Load() > warm+goroutines/10 || warm > 2*goroutines {
		t.Errorf("%d goroutines opened %d connections, and %d more in %d calls", goroutines, warm, opened.Load()-warm, calls)
	}
}

// Performance goal G8. It counts what the process has open, so it is not parallel.
func TestManyCallsLeaveNothingOpen(t *testing.T) { //nolint:paralleltest // See above.
	address, opened := loopback(t)
	client := ownClient(t)
	files, goroutines := openFiles(t), runtime.NumGoroutine()
	for range 300 {
		post(t, client, address)
	}
	if n := opened.Load(); n != 1 {
		t.Errorf("300 calls opened %d connections, want 1", n)
	}
	if n := openFiles(t) - files; n > 4 {
		t.Errorf("300 calls left %d files open, want at most 4", n)
	}
	for i := 0; i < 100_000 && runtime.NumGoroutine()-goroutines > 4; i++ {
		runtime.Gosched() // lets those end that are ending
	}
	if n := runtime.NumGoroutine() - goroutines; n > 4 {
		t.Errorf("300 calls left %d goroutines, want at most 4", n)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0 // not on Linux: what counts goroutines finds the same leaks
	}
	return len(entries)
}
