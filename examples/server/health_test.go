package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

// Without Redis documents open, jobs are accepted and wait, and mentions are not taken.
func TestRedisIsAway(t *testing.T) {
	t.Parallel()
	v := newService(t, nil)
	env := v.settings(t.TempDir())
	env["WEBOFFICE_REDIS_URL"] = "redis://127.0.0.1:1"
	s := start(t, env)
	if status, text := s.call(http.MethodGet, "/readyz", ""); status != http.StatusOK || !strings.Contains(string(text), `"redis":"unavailable"`) {
		t.Errorf("/readyz: HTTP %d, %s, want 200 that names redis", status, text)
	}
	path := s.post("/api/v1/messages", `{"text":"hello"}`)
	if err := v.chat.Register(t.Context(), webhooktest.TestKey(), "http://"+s.addr+s.settings.robotPath.Reveal()); err != nil {
		t.Fatal(err)
	}
	if err := v.chat.Mention(t.Context(), webhook.Event{Content: "@robot hi"}); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("Mention = %v, want 503", err)
	}
	for range 3000 { // until a worker has tried
		if strings.Contains(s.log.String(), "not posted yet") {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if got := s.await(path, stateQueued); got.Repeated != 0 || len(v.chat.Sent()) != 0 {
		t.Errorf("the message is %+v, and the chat has %d: want that it waits", got, len(v.chat.Sent()))
	}
}

func TestNotReady(t *testing.T) {
	t.Parallel()
	v := newService(t, nil)
	folder := t.TempDir()
	s := start(t, v.settings(folder))
	if err := os.Rename(filepath.Join(folder, documentsFolder), filepath.Join(folder, "gone")); err != nil {
		t.Fatal(err)
	}
	if status, text := s.call(http.MethodGet, "/readyz", ""); status != http.StatusServiceUnavailable || !strings.Contains(string(text), `"storage":"unavailable"`) {
		t.Errorf("/readyz without storage: HTTP %d, %s", status, text)
	}
	if err := os.Rename(filepath.Join(folder, "gone"), filepath.Join(folder, documentsFolder)); err != nil {
		t.Fatal(err)
	}
	s.leaving.Store(true)
	if status, text := s.call(http.MethodGet, "/readyz", ""); status != http.StatusServiceUnavailable || !strings.Contains(string(text), "ending") {
		t.Errorf("/readyz at the end: HTTP %d, %s", status, text)
	}
	if status, _ := s.call(http.MethodGet, "/healthz", ""); status != http.StatusOK {
		t.Errorf("/healthz: HTTP %d", status)
	}
}
