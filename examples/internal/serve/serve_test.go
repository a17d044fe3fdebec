package serve_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/weboffice-go/weboffice/examples/internal/serve"
)

// A request that was under way when the program was told to end gets its answer.
func TestUntilLetsRequestsEnd(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- serve.Until(ctx, listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			end()
			_, _ = io.WriteString(w, "answered")
		}))
	}()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+listener.Addr().String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); string(body) != "answered" {
		t.Errorf("the answer is %q, %v", body, err)
	}
	if err := <-done; err != nil {
		t.Errorf("Until = %v", err)
	}
}

func TestUntilReportsABrokenListener(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	if err := serve.Until(t.Context(), listener, http.NotFoundHandler()); err == nil {
		t.Error("Until with a closed listener: no error")
	}
}

func TestStart(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	url, stop, err := serve.Start(t.Context(), serve.Local, mux)
	if err != nil {
		t.Fatal(err)
	}
	mux.HandleFunc("/where", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, url) })
	resp, err := http.Get(url + "/where") //nolint:noctx // Answered in this process.
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(resp.Body); string(body) != url {
		t.Errorf("the answer is %q, %v, want %s", body, err, url)
	}
	_ = resp.Body.Close()
	if _, _, err := serve.Start(t.Context(), url[len("http://"):], mux); err == nil {
		t.Error("Start on a port that is taken: no error")
	}
	for range 2 { // stop may be called again
		if err := stop(); err != nil {
			t.Errorf("stop = %v", err)
		}
	}
	if resp, err := http.Get(url); err == nil { //nolint:noctx // As above.
		_ = resp.Body.Close()
		t.Error("the server still answers after stop")
	}
}
