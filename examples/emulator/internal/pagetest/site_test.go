package pagetest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/weboffice-go/weboffice/examples/emulator/internal/pagetest"
	"github.com/weboffice-go/weboffice/examples/internal/office"
	"github.com/weboffice-go/weboffice/examples/internal/office/officetest"
)

// started is the browser of all tests, which opens tabs that share nothing.
var started struct {
	once    sync.Once
	browser context.Context //nolint:containedctx // It stands for the browser, as chromedp has it.
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
	*pagetest.Emulator
	t *testing.T
}

// newSite starts an emulator on a free port of this machine.
func newSite(t *testing.T, cfg office.Config) *site {
	t.Helper()
	browser(t) // Skips before anything is started.
	return startSite(t, "127.0.0.1:0", cfg)
}

func startSite(t *testing.T, addr string, cfg office.Config) *site {
	t.Helper()
	e, err := pagetest.Start(t.Context(), addr, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() }) // A test may have closed it.
	return &site{e, t}
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
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.URL+"/_emulator"+path, payload)
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
