package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
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

const canary = "canary-7f3a91"

func TestDemo(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-demo", "-keywords", "[ops], alert"}, func(string) string { return "" }, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"acme/rocket v1.4.0", "starts in **half** the time", "(https://github.example/acme/rocket/pull/12)", "all, update now",
		"acme/lander v2.0", "The **second** one.", "/var of web-1 is nearly full", "A = 97.25", "resolved at 2026-11-21 08:05 UTC",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("output %q, want %q in it", out.String(), want)
		}
	}
	if strings.Contains(out.String(), "<at") || strings.Count(out.String(), "200 OK") != 3 || strings.Count(out.String(), "[ops]") != 3 {
		t.Errorf("output %q, want three answers of 200, each message with the keyword, and nobody mentioned", out.String())
	}
}

func TestHelpAndSettings(t *testing.T) {
	t.Parallel()
	var out, log bytes.Buffer
	if err := run(t.Context(), []string{"-h"}, nil, &out, &log); !errors.Is(err, flag.ErrHelp) || log.Len() > 0 {
		t.Errorf("-h = %v, and logs %q", err, &log)
	}
	for _, want := range []string{"-wait", "WEBOFFICE_ROBOT_URL", "WEBOFFICE_GITHUB_SECRET", "WEBOFFICE_GITLAB_TOKEN", "WEBOFFICE_GRAFANA_SECRET"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("-h does not name %s", want)
		}
	}
	environment := map[string]string{}
	getenv := func(name string) string { return environment[name] }
	for _, missing := range []string{"WEBOFFICE_ROBOT_URL", "WEBOFFICE_GITHUB_SECRET"} {
		if err := run(t.Context(), nil, getenv, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), missing) {
			t.Errorf("run = %v, want an error that names %s", err, missing)
		}
		environment["WEBOFFICE_ROBOT_URL"] = "https://office.example/api/v1/webhook/send?key=" + canary
	}
	environment["WEBOFFICE_GITHUB_SECRET"] = canary
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ctx, []string{"-addr", "127.0.0.1:0"}, getenv, &out, &log); err == nil && !strings.Contains(out.String(), "/github") || strings.Contains(out.String(), "/gitlab") {
		t.Errorf("run = %v, and prints %q, want the source that has a secret", err, &out)
	}
	if strings.Contains(out.String()+log.String(), canary) {
		t.Errorf("a secret is printed: %s%s", &out, &log)
	}
}

// newTestHooks serves all sources with the canary as their secret, and gives the log.
func newTestHooks(t *testing.T, cfg webhook.Config, wait time.Duration) (*hooks, *bytes.Buffer) {
	t.Helper()
	robot, err := webhook.NewRobot(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	secret := signing.NewSecret(canary)
	h := newHooks(robot, map[string]signing.Secret{"github": secret, "gitlab": secret, "grafana": secret}, wait, slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(h.shutdown)
	return h, &log
}

// deliver gives a delivery to h, signed and then changed, and returns the answer.
func deliver(t *testing.T, h http.Handler, d delivery, change func(*http.Request)) (int, string) {
	t.Helper()
	req, err := d.request(t.Context(), signing.NewSecret(canary))
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(req)
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, req)
	return rec.Code, rec.Body.String()
}

// Who does not know the secret posts nothing, and learns nothing.
func TestSenders(t *testing.T) {
	t.Parallel()
	github, gitlab, grafana := deliveries[0], deliveries[1], deliveries[2]
	set := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	body := func(text string) func(*http.Request) {
		return func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader(text)) }
	}
	const unsigned = "0000000000000000000000000000000000000000000000000000000000000000"
	for name, tt := range map[string]struct {
		d      delivery
		change func(*http.Request)
		status int
	}{
		"github":                     {github, nil, http.StatusOK},
		"github, other body":         {github, body(`{"action":"published"}`), http.StatusUnauthorized},
		"github, other signature":    {github, set("X-Hub-Signature-256", "sha256="+unsigned), http.StatusUnauthorized},
		"github, without prefix":     {github, set("X-Hub-Signature-256", unsigned), http.StatusUnauthorized},
		"github, no digits":          {github, set("X-Hub-Signature-256", "sha256=x"), http.StatusUnauthorized},
		"github, nothing":            {github, func(r *http.Request) { r.Header.Del("X-Hub-Signature-256") }, http.StatusUnauthorized},
		"gitlab":                     {gitlab, nil, http.StatusOK},
		"gitlab, other token":        {gitlab, set("X-Gitlab-Token", "x"), http.StatusUnauthorized},
		"gitlab, no token":           {gitlab, set("X-Gitlab-Token", ""), http.StatusUnauthorized},
		"grafana, with time":         {grafana, nil, http.StatusOK},
		"grafana, old":               {grafana, set("X-Grafana-Alerting-Timestamp", "946684800"), http.StatusUnauthorized},
		"grafana, time taken away":   {grafana, set("X-Grafana-Alerting-Timestamp", ""), http.StatusUnauthorized},
		"grafana, other body":        {grafana, body(`{}`), http.StatusUnauthorized},
		"grafana, token":             {grafana, bearer(canary), http.StatusOK},
		"grafana, other token":       {grafana, bearer("x"), http.StatusUnauthorized},
		"grafana, nothing":           {grafana, func(r *http.Request) { r.Header.Del("X-Grafana-Alerting-Signature") }, http.StatusUnauthorized},
		"body longer than the limit": {github, body(strings.Repeat(" ", maxBody+1)), http.StatusRequestEntityTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chat := webhooktest.NewServer(nil)
			h, log := newTestHooks(t, chat.Config(webhooktest.TestKey()), time.Minute)
			status, answer := deliver(t, h, tt.d, tt.change)
			if sent := len(chat.Sent()); status != tt.status || (sent == 1) != (status == http.StatusOK) {
				t.Errorf("answered %d %s, and %d messages were posted, want %d", status, answer, sent, tt.status)
			}
			if strings.Contains(answer+log.String(), canary) {
				t.Errorf("the secret is in %q or %q", answer, log)
			}
		})
	}
}

func bearer(token string) func(*http.Request) {
	return func(r *http.Request) {
		r.Header.Del("X-Grafana-Alerting-Signature")
		r.Header.Set("Authorization", "Bearer "+token)
	}
}

// What is no news is answered, and not posted.
func TestDeliveriesThatAreNotPosted(t *testing.T) {
	t.Parallel()
	chat := webhooktest.NewServer(nil)
	h, _ := newTestHooks(t, chat.Config(webhooktest.TestKey()), time.Minute)
	json, form := "application/json", "application/x-www-form-urlencoded"
	for name, tt := range map[string]struct {
		source, event, contentType, body string
		status                           int
		says                             string
	}{
		"ping":                   {"github", "ping", json, `{"zen":"Keep it logically awesome."}`, http.StatusNoContent, ""},
		"edited release":         {"github", "release", json, `{"action":"edited"}`, http.StatusNoContent, ""},
		"form":                   {"github", "ping", form, `payload=%7B%7D`, http.StatusBadRequest, "application/json"},
		"no JSON":                {"github", "release", json, `{`, http.StatusBadRequest, "not a delivery"},
		"release of nothing":     {"github", "release", json, `{"action":"published"}`, http.StatusBadRequest, "project"},
		"push to GitLab":         {"gitlab", "", json, `{"object_kind":"push"}`, http.StatusNoContent, ""},
		"deleted release":        {"gitlab", "", json, `{"object_kind":"release","action":"delete"}`, http.StatusNoContent, ""},
		"no alerts":              {"grafana", "", json, `{"alerts":[]}`, http.StatusBadRequest, "no alerts"},
		"alerts of a wrong form": {"grafana", "", json, `{"alerts":{}}`, http.StatusBadRequest, "not a delivery"},
	} {
		d := delivery{tt.source, tt.body, map[string]string{"X-GitHub-Event": tt.event, "Content-Type": tt.contentType}}
		if status, answer := deliver(t, h, d, nil); status != tt.status || !strings.Contains(answer, tt.says) {
			t.Errorf("%s: answered %d %q, want %d and %q", name, status, answer, tt.status, tt.says)
		}
	}
	if len(chat.Sent()) > 0 {
		t.Errorf("%d messages were posted, want none", len(chat.Sent()))
	}
	for target, want := range map[string]int{"/healthz": http.StatusOK, "/github": http.StatusMethodNotAllowed, "/": http.StatusNotFound} {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, target, nil))
		if rec.Code != want {
			t.Errorf("GET %s is answered %d, want %d", target, rec.Code, want)
		}
	}
}

// Long notes are several messages, each with the keyword and what it is about.
func TestLongNotes(t *testing.T) {
	t.Parallel()
	chat := webhooktest.NewServer(nil)
	if err := chat.Add(webhooktest.Robot{Key: webhooktest.TestKey(), Keywords: []string{"[ops]"}}); err != nil {
		t.Fatal(err)
	}
	cfg := chat.Config(webhooktest.TestKey())
	cfg.Keywords = []string{"[ops]"}
	h, _ := newTestHooks(t, cfg, time.Minute)
	var notes strings.Builder
	for i := range 500 {
		fmt.Fprintf(&notes, "* change %03d, which says something\n", i)
	}
	text, err := json.Marshal(notes.String())
	if err != nil {
		t.Fatal(err)
	}
	d := deliveries[1]
	d.body = strings.Replace(d.body, `"The **second** one."`, string(text), 1)
	if status, answer := deliver(t, h, d, nil); status != http.StatusOK {
		t.Fatalf("answered %d %s", status, answer)
	}
	var all strings.Builder
	for i, sent := range chat.Sent() {
		m, _ := sent.Message.(webhook.Markdown)
		if sent.Refused != "" || !strings.Contains(m.Text, "acme/lander v2.0") {
			t.Errorf("piece %d was refused (%s), or does not say what it is about: %.80q", i, sent.Refused, m.Text)
		}
		all.WriteString(m.Text)
	}
	for i := range 500 {
		if want := fmt.Sprintf("change %03d", i); strings.Count(all.String(), want) != 1 {
			t.Errorf("%s is there %d times, want once", want, strings.Count(all.String(), want))
		}
	}
}

// A sender that would have to wait for the limit of the robot is told so, and its message
// is posted when there is room again.
func TestBusyChat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		chat := webhooktest.NewServer(nil)
		h, log := newTestHooks(t, chat.Config(webhooktest.TestKey()), 8*time.Second)
		for range webhook.MessagesPerMinute {
			if status, answer := deliver(t, h, deliveries[1], nil); status != http.StatusOK {
				t.Fatalf("answered %d %s", status, answer)
			}
		}
		start := time.Now()
		if status, _ := deliver(t, h, deliveries[1], nil); status != http.StatusAccepted || time.Since(start) != 8*time.Second {
			t.Errorf("the 21st within a minute is answered %d after %v, want 202 after 8s", status, time.Since(start))
		}
		time.Sleep(time.Minute)
		if got := len(chat.Sent()); got != webhook.MessagesPerMinute+1 {
			t.Errorf("%d messages arrived, want 21: %s", got, log)
		}
	})
}

// A chat that does not answer keeps a bounded number of messages waiting, and the end of
// the program does not wait for it for long.
func TestChatThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := webhooktest.NewServer(nil).Config(webhooktest.TestKey())
		cfg.Limiter = webhook.LimiterFunc(func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		h, log := newTestHooks(t, cfg, time.Second)
		for range maxWaiting {
			if status, _ := deliver(t, h, deliveries[1], nil); status != http.StatusAccepted {
				t.Errorf("answered %d, want 202", status)
			}
		}
		if status, _ := deliver(t, h, deliveries[1], nil); status != http.StatusServiceUnavailable {
			t.Errorf("one more is answered %d, want 503", status)
		}
		start := time.Now()
		h.shutdown()
		if took := time.Since(start); took != patience || strings.Count(log.String(), `msg="not posted"`) != maxWaiting {
			t.Errorf("shutdown took %v, want %v, and a line for each message in %s", took, patience, log)
		}
	})
}

// The sender sees that the chat refused a message.
func TestRefusedMessage(t *testing.T) {
	t.Parallel()
	chat := webhooktest.NewServer(nil)
	h, log := newTestHooks(t, chat.Config(signing.NewSecret("unknown-robot-key")), time.Minute)
	status, answer := deliver(t, h, deliveries[0], nil)
	if status != http.StatusBadGateway || strings.Contains(answer+log.String(), "unknown-robot-key") || !strings.Contains(log.String(), "delivery=72d3162e") {
		t.Errorf("answered %d %s, logged %s; want 502, the delivery, and no secret", status, answer, log)
	}
}
