package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	if err := run(t.Context(), []string{"-demo", "-mention", "critical"}, func(string) string { return "" }, &out, io.Discard); err != nil {
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
	if err := run(t.Context(), nil, func(string) string { return "" }, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "WEBOFFICE_ROBOT_URL") {
		t.Errorf("run = %v, want an error that names the variable", err)
	}
}

// notify gives a notification to h and returns the status.
func notify(h http.Handler, body string) (int, string) {
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, "/alerts", strings.NewReader(body)))
	return rec.Code, rec.Body.String()
}

func newTestHandler(t *testing.T, cfg webhook.Config, f format) *bridge {
	t.Helper()
	robot, err := webhook.NewRobot(cfg)
	if err != nil {
		t.Fatal(err)
	}
	b := newHandler(robot, f, 20*time.Second, slog.New(slog.DiscardHandler))
	t.Cleanup(b.shutdown)
	return b
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

// A request that outlives the server must not be told that its alerts are posted.
func TestHandlerAfterShutdown(t *testing.T) {
	t.Parallel()
	chat := webhooktest.NewServer(nil)
	h := newTestHandler(t, chat.Config(webhooktest.TestKey()), format{})
	h.shutdown()
	if status, body := notify(h, example); status != http.StatusServiceUnavailable || len(chat.Sent()) != 0 {
		t.Errorf("answered %d %s with %d messages posted, want 503 and none", status, body, len(chat.Sent()))
	}
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

// storm is a notification of a thousand alerts, more than fit into a minute.
func storm(t *testing.T) string {
	t.Helper()
	n := notification{Status: "firing", Receiver: "chat"}
	for i := range 1000 {
		n.Alerts = append(n.Alerts, alert{
			Status:      "firing",
			Labels:      map[string]string{"instance": fmt.Sprintf("web-%04d.example.com:9100", i), "job": "node"},
			Annotations: map[string]string{"summary": "Instance is down for more than five minutes, please have a look"},
		})
	}
	body, err := json.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// posts counts the messages with a text that the chat accepted.
func posts(chat *webhooktest.Server, text string) (n int) {
	for _, sent := range chat.Sent() {
		if sent.Refused == "" && strings.Contains(string(sent.Body), text) {
			n++
		}
	}
	return n
}

// However long it takes, each message is posted once, and other alerts do not wait.
func TestHandlerFinishesAStorm(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		chat := webhooktest.NewServer(nil)
		h := newTestHandler(t, chat.Config(webhooktest.TestKey()), format{})
		body, status := storm(t), 0
		for try := 0; status != http.StatusOK && try < 20; try++ {
			if status, _ = notify(h, body); try == 0 {
				if status != http.StatusServiceUnavailable {
					t.Errorf("the first delivery is answered %d, want 503", status)
				}
				go notify(h, example)
			}
			time.Sleep(time.Minute)
		}
		if status != http.StatusOK {
			t.Fatal("it never ends")
		}
		for i := range 1000 {
			if name := fmt.Sprintf("web-%04d", i); posts(chat, name) != 1 {
				t.Errorf("%s was posted %d times, want once", name, posts(chat, name))
			}
		}
		all := chat.Sent()
		for i, sent := range all {
			if strings.Contains(string(sent.Body), "DiskFull") && i > 2*webhook.MessagesPerMinute {
				t.Errorf("the other alert is message %d of %d, want it not to wait for the storm", i, len(all))
			}
		}
		if status, _ := notify(h, example); status != http.StatusOK || posts(chat, "DiskFull") != 1 {
			t.Errorf("a repeat of the other alert is answered %d, and it was posted %d times, want 200 and once", status, posts(chat, "DiskFull"))
		}
		if len(h.jobs) != 0 || h.kept != 0 {
			t.Errorf("%d notifications of %d bytes are kept, want none", len(h.jobs), h.kept)
		}
	})
}

// A repeat goes on with the message that failed.
func TestHandlerGoesOnAfterAFailure(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		fail  func(http.ResponseWriter)
		tries int // that are answered 503
		posts int // of the message that failed
	}{
		"refused":          {func(w http.ResponseWriter) { w.WriteHeader(http.StatusForbidden) }, 5, 1},
		"may have arrived": {func(w http.ResponseWriter) { w.WriteHeader(http.StatusGatewayTimeout) }, maxDoubts - 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				chat := webhooktest.NewServer(nil)
				cfg := chat.Config(webhooktest.TestKey())
				failures := 0
				cfg.HTTPClient = webhooktest.HTTPClient(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					if failures < 5 && strings.Contains(string(body), "Alerts 3/") {
						failures++
						tt.fail(w)
						return
					}
					r.Body = io.NopCloser(bytes.NewReader(body))
					chat.ServeHTTP(w, r)
				}))
				h := newTestHandler(t, cfg, format{})
				body, tries := storm(t), 0
				for range 20 {
					status, _ := notify(h, body)
					if status == http.StatusOK {
						break
					}
					if len(h.jobs) > 0 && posts(chat, "Alerts 4/") == 0 {
						tries++
					}
					time.Sleep(time.Minute)
				}
				if tries != tt.tries || posts(chat, "Alerts 1/") != 1 || posts(chat, "Alerts 3/") != tt.posts || posts(chat, "Alerts 4/") != 1 {
					t.Errorf("%d tries, messages 1, 3 and 4 were posted %d, %d and %d times, want %d tries and 1, %d, 1",
						tries, posts(chat, "Alerts 1/"), posts(chat, "Alerts 3/"), posts(chat, "Alerts 4/"), tt.tries, tt.posts)
				}
			})
		})
	}
}

// What Alertmanager does not repeat is forgotten, and a full memory takes no more.
func TestHandlerIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := webhooktest.NewServer(nil).Config(webhooktest.TestKey())
		cfg.Limiter = webhook.LimiterFunc(func(context.Context) error { return errors.New("down") })
		h := newTestHandler(t, cfg, format{})
		h.room = 1 << 20
		big := strings.Replace(example, "97% full", strings.Repeat("full ", 20_000), 1)
		for i := range 20 {
			notify(h, strings.Replace(big, "web-1", fmt.Sprint("web-1-", i), 1))
		}
		if h.kept > h.room || h.kept < h.room/2 {
			t.Errorf("%d bytes are kept, want at most %d", h.kept, h.room)
		}
		if _, answer := notify(h, example); !strings.Contains(answer, "down") {
			t.Errorf("a small one is answered %q, want it tried", answer)
		}
		time.Sleep(maxAge + time.Minute)
		notify(h, example)
		if len(h.jobs) != 1 {
			t.Errorf("%d notifications are kept an hour later, want the new one", len(h.jobs))
		}
	})
}

// An alert whose link would be longer than a message is posted without one.
func TestHandlerPostsALongAlert(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"summary": strings.Replace(example, "97% full", strings.Repeat("full ", 3000), 1),
		"URL":     strings.Replace(example, "g0.expr=disk", "g0.expr="+strings.Repeat("disk", 3000), 1),
	} {
		chat := webhooktest.NewServer(nil)
		h := newTestHandler(t, chat.Config(webhooktest.TestKey()), format{})
		if status, answer := notify(h, body); status != http.StatusOK || posts(chat, "web-1") != 1 {
			t.Errorf("a long %s is answered %d %s", name, status, answer)
		}
	}
}
