package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

func TestDemo(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-demo", "-mention", "critical"}, func(string) string { return "" }, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"200 OK", "FIRING 1", "DiskFull", "97% full", "instance=web-1", "Resolved", "web-2", `<at user_id="-1"></at>`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("output %q, want %q in it", out.String(), want)
		}
	}
	if strings.Count(out.String(), "<at ") != 1 {
		t.Errorf("output %q, want the mention of -mention and none of the annotation", out.String())
	}
}

func TestRunNeedsARobot(t *testing.T) {
	t.Parallel()
	if err := run(t.Context(), nil, func(string) string { return "" }, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "WEBOFFICE_ROBOT_URL") {
		t.Errorf("run = %v, want an error that names the variable", err)
	}
}

// notify gives a notification to h and returns the status.
func notify(h http.Handler, body string) (int, string) {
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, "/alerts", strings.NewReader(body)))
	return rec.Code, rec.Body.String()
}

func newTestHandler(t *testing.T, cfg webhook.Config, f format) http.Handler {
	t.Helper()
	robot, err := webhook.NewRobot(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return newHandler(robot, f, 20*time.Second, slog.New(slog.DiscardHandler))
}

func TestHandlerRefusesWhatIsNoNotification(t *testing.T) {
	t.Parallel()
	chat := webhooktest.NewServer(nil)
	h := newTestHandler(t, chat.Config(webhooktest.TestKey()), format{})
	for _, body := range []string{"{", "{}", `{"status":"firing","alerts":[]}`} {
		if status, _ := notify(h, body); status != http.StatusBadRequest || len(chat.Sent()) != 0 {
			t.Errorf("%s is answered %d, and %d messages were posted, want 400 and none", body, status, len(chat.Sent()))
		}
	}
	for target, want := range map[string]int{"/healthz": http.StatusOK, "/alerts": http.StatusMethodNotAllowed, "/x": http.StatusNotFound} {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, target, nil))
		if rec.Code != want {
			t.Errorf("GET %s is answered %d, want %d", target, rec.Code, want)
		}
	}
}

// An alert that cannot be posted now is Alertmanager's to repeat.
func TestHandlerLosesNoAlert(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		chat := webhooktest.NewServer(nil)
		h := newTestHandler(t, chat.Config(webhooktest.TestKey()), format{})
		for range webhook.MessagesPerMinute {
			if status, body := notify(h, example); status != http.StatusOK {
				t.Fatalf("answered %d %s", status, body)
			}
		}
		if status, _ := notify(h, example); status != http.StatusServiceUnavailable {
			t.Errorf("the 21st within a minute is answered %d, want 503", status)
		}
		time.Sleep(time.Minute)
		if status, _ := notify(h, example); status != http.StatusOK {
			t.Errorf("a minute later it is answered %d, want 200", status)
		}
		if got := len(chat.Sent()); got != webhook.MessagesPerMinute+1 {
			t.Errorf("%d messages arrived, want 21", got)
		}
	})
}

func TestHandlerSplitsManyAlerts(t *testing.T) {
	t.Parallel()
	chat := webhooktest.NewServer(nil)
	if err := chat.Add(webhooktest.Robot{Key: webhooktest.TestKey(), Keywords: []string{"[ops]"}}); err != nil {
		t.Fatal(err)
	}
	n := notification{Status: "firing", Receiver: "chat", Truncated: 3}
	for i := range 200 {
		n.Alerts = append(n.Alerts, alert{Status: "firing", Labels: map[string]string{"instance": fmt.Sprintf("web-%03d", i)}, Annotations: map[string]string{"description": "something is wrong"}})
	}
	body, err := json.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	h := newTestHandler(t, chat.Config(webhooktest.TestKey()), format{keyword: "[ops]"})
	if status, answer := notify(h, string(body)); status != http.StatusOK {
		t.Fatalf("answered %d %s", status, answer)
	}
	var all strings.Builder
	for _, sent := range chat.Sent() {
		if sent.Refused != "" {
			t.Errorf("a piece was refused: %s", sent.Refused)
		}
		all.Write(sent.Body)
	}
	for i := range 200 {
		if want := fmt.Sprintf("web-%03d", i); !strings.Contains(all.String(), want) {
			t.Errorf("%s is in no message", want)
		}
	}
	if len(chat.Sent()) < 2 || !strings.Contains(all.String(), "3 more alerts") {
		t.Errorf("%d messages, want several, and the count of what was left out", len(chat.Sent()))
	}
}

// An unknown robot may be a mistake that is repaired while Alertmanager repeats.
func TestHandlerOfAnUnknownRobot(t *testing.T) {
	t.Parallel()
	chat := webhooktest.NewServer(nil)
	h := newTestHandler(t, chat.Config(signing.NewSecret("nobody")), format{})
	if status, _ := notify(h, example); status != http.StatusServiceUnavailable {
		t.Errorf("answered %d, want 503", status)
	}
}
