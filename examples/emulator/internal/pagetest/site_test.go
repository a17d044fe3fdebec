package pagetest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/weboffice-go/weboffice/examples/emulator/internal/desk"
	"github.com/weboffice-go/weboffice/examples/emulator/internal/page"
	"github.com/weboffice-go/weboffice/examples/emulator/internal/pagetest"
	"github.com/weboffice-go/weboffice/examples/internal/office"
	"github.com/weboffice-go/weboffice/examples/internal/office/officetest"
)

// started is the browser of all tests, which opens tabs that share nothing.
var started struct {
	once    sync.Once
	browser context.Context
	stop    func()
	err     error
}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "pagetest-")
	if err != nil {
		panic(err)
	}
	profile = dir
	code := m.Run()
	if started.stop != nil {
		started.stop()
	}
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

var profile string

// browser starts the browser. Without Chromium the test is skipped, or fails if
// WEBOFFICE_REQUIRE names chromium.
func browser(t *testing.T) context.Context {
	t.Helper()
	started.once.Do(func() {
		started.browser, started.stop, started.err = pagetest.Browser(context.Background(), profile)
	})
	if errors.Is(started.err, pagetest.ErrNoChromium) {
		need(t, started.err)
	}
	if started.err != nil {
		t.Fatal(started.err)
	}
	return started.browser
}

// need skips the test for a reason, or fails it if WEBOFFICE_REQUIRE names chromium.
func need(t *testing.T, reason error) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv(officetest.Require), ","), "chromium") {
		t.Fatalf("%s has chromium, and %v", officetest.Require, reason)
	}
	t.Skip(reason)
}

// site is a running emulator with its page.
type site struct {
	t        *testing.T
	url      string
	listener net.Listener
	server   *http.Server
	desk     *desk.Desk
}

// newSite starts an emulator on a free port of this machine.
func newSite(t *testing.T, cfg office.Config) *site {
	t.Helper()
	browser(t) // Skips before anything is started.
	engine, err := office.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	s := &site{t: t}
	s.start("127.0.0.1:0", engine)
	t.Cleanup(func() { s.stop() })
	return s
}

// start serves a new desk at addr.
func (s *site) start(addr string, engine *office.Engine) {
	s.t.Helper()
	listener, err := new(net.ListenConfig).Listen(s.t.Context(), "tcp", addr)
	if err != nil {
		s.t.Fatal(err)
	}
	shell, err := page.Handler()
	if err != nil {
		s.t.Fatal(err)
	}
	s.url = "http://" + listener.Addr().String()
	if s.desk, err = desk.New(desk.Config{URL: s.url, Engine: engine, Page: shell}); err != nil {
		s.t.Fatal(err)
	}
	s.server = &http.Server{Handler: s.desk.Handler()} //nolint:gosec // Only the browser of the test connects.
	s.listener = listener
	go func() { _ = s.server.Serve(listener) }() // Ends with Close.
}

// stop ends the program at once, as a crash would.
func (s *site) stop() {
	_ = s.server.Close()
	if err := s.desk.Close(); err != nil {
		s.t.Error(err)
	}
}

// call sends a request to the machine API, and reads the answer into a T.
func call[T any](s *site, method, path string, body any) T {
	s.t.Helper()
	var payload io.Reader = http.NoBody
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			s.t.Fatal(err)
		}
		payload = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+"/_emulator"+path, payload)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if resp.StatusCode >= http.StatusBadRequest {
		s.t.Fatalf("%s %s: %s %s", method, path, resp.Status, text)
	}
	var v T
	if resp.StatusCode == http.StatusNoContent {
		return v
	}
	if err := json.Unmarshal(text, &v); err != nil {
		s.t.Fatalf("%s %s: %v in %s", method, path, err, text)
	}
	return v
}

// robot is what the tests need of a robot.
type robot struct {
	ID, Name, Key, URL string
}

// robots are those of the group.
func (s *site) robots() []robot {
	s.t.Helper()
	return call[struct{ Items []robot }](s, http.MethodGet, "/chat/robots", nil).Items
}

// send sends a message as a program would, and returns the status of the answer.
func (s *site) send(r robot, message any) int {
	s.t.Helper()
	b, err := json.Marshal(message)
	if err != nil {
		s.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, r.URL, bytes.NewReader(b))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

// text is the body of a text message, and markdown that of a markdown message.
func text(content string) any {
	return map[string]any{"msgtype": "text", "text": map[string]any{"content": content}}
}

func markdown(source string) any {
	return map[string]any{"msgtype": "markdown", "markdown": map[string]any{"text": source}}
}
