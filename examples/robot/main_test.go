package main

import (
	"bytes"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

func noEnv(string) string { return "" }

func TestRun(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("A line of a long report.\n\n", 400)
	for _, tt := range []struct {
		name  string
		args  []string
		in    string
		code  int
		wants []string
	}{
		{"demo", []string{"-demo", "Deployed", "**checkout**"}, "", 0, []string{`arrived: {"msgtype":"markdown","markdown":{"text":"Deployed **checkout**"}}`, "accepted: 1 of 1"}},
		{"dry run from standard input", []string{"-dry-run", "-type", "text"}, "hello", 0, []string{`{"msgtype":"text","text":{"content":"hello"}}`}},
		{"outside the subset", []string{"-dry-run"}, "a | b\n--|--\n1 | 2\n", 0, []string{"line 1: table: "}},
		{"link", []string{"-dry-run", "-title", "Build", "-url", "https://ci.example/1", "-button", "Open", "failed"}, "", 0, []string{`"messageUrl":"https://ci.example/1","btnTitle":"Open"`}},
		{"long", []string{"-demo", "-label", "Report"}, long, 0, []string{"Report 1/3", "Report 3/3", "accepted: 3 of 3"}},
		{"commonmark", []string{"-dry-run", "-type", "commonmark"}, "a | b\n--|--\n1 | 2\n", 0, []string{`"msgtype":"markdown"`}},
		{"nothing to say", []string{"-demo"}, " ", 2, []string{"no message", "standard input"}},
		{"keyword missing", []string{"-demo", "-keywords", "[ops],[dev]", "hello"}, "", 1, []string{"0 of 1", "robot's keywords: put one into it"}},
		{"keyword missing in a dry run", []string{"-dry-run", "-keywords", "[ops]", "hello"}, "", 1, []string{"robot's keywords: put one into it"}},
		{"keyword in the labels", []string{"-demo", "-keywords", "[ops], [dev]", "-label", "[dev]"}, long, 0, []string{"accepted: 3 of 3"}},
		{"button without a link", []string{"-demo", "-button", "Open", "hello"}, "", 2, []string{"-title"}},
		{"long button", []string{"-dry-run", "-title", "Build", "-button", "1234567890123", "failed"}, "", 2, []string{"-button has 13 characters"}},
		{"code behind a button", []string{"-demo", "-title", "Build", "-url", "javascript:f()", "failed"}, "", 2, []string{"-url must lead to"}},
		{"blank title", []string{"-demo", "-title", " ", "failed"}, "", 2, []string{"-title is required"}},
		{"long label", []string{"-demo", "-label", strings.Repeat("x", 6000)}, long, 2, []string{"-label leaves no room"}},
		{"long link", []string{"-demo", "[x](https://a.example/" + strings.Repeat("x", 6000) + ")"}, "", 1, []string{"robot: line 1: a link of"}},
		{"no robot", []string{"hello"}, "", 2, []string{"WEBOFFICE_ROBOT_URL", "-demo"}},
		{"unknown type", []string{"-type", "html", "x"}, "", 2, []string{`"html"`}},
		{"unknown flag", []string{"-x"}, "", 2, []string{"robot: flag provided but not defined: -x\nTry -h."}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			code := run(t.Context(), tt.args, noEnv, strings.NewReader(tt.in), &out, &out)
			if code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			for _, want := range tt.wants {
				if !strings.Contains(out.String(), want) {
					t.Errorf("output %q, want %q in it", out.String(), want)
				}
			}
		})
	}
}

func TestRunPostsToTheRobotOfTheEnvironment(t *testing.T) {
	t.Parallel()
	side := webhooktest.NewServer(nil)
	key := signing.NewSecret("robot-key-canary")
	if err := side.Add(webhooktest.Robot{Key: key, SigningSecret: signing.NewSecret("right")}); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(side)
	t.Cleanup(server.Close)
	for secret, code := range map[string]int{"right": 0, "wrong": 1} {
		env := map[string]string{"WEBOFFICE_ROBOT_URL": side.Address(server.URL+"/woa", key).Reveal(), "WEBOFFICE_ROBOT_SECRET": secret}
		var out bytes.Buffer
		if got := run(t.Context(), []string{"hello"}, func(k string) string { return env[k] }, nil, &out, &out); got != code {
			t.Errorf("with the %s secret: exit code %d, want %d: %s", secret, got, code, out.String())
		}
		if strings.Contains(out.String(), "canary") {
			t.Errorf("output %q holds the key", out.String())
		}
	}
	accepted := 0
	for _, m := range side.Sent() {
		if m.Refused == "" {
			accepted++
		}
	}
	if accepted != 1 || side.Sent()[0].Message == nil || webhook.Length(side.Sent()[0].Message) != len("hello") {
		t.Errorf("%d messages were accepted, want 1", accepted)
	}
}

// The user is told which setting is wrong, in the words of the command line.
func TestRunNamesTheSetting(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ url, secret, want string }{
		{"http://chat.example" + webhook.SendPath + "?key=k", "", "WEBOFFICE_ROBOT_URL would send the robot key unencrypted: use https, or set WEBOFFICE_ROBOT_ALLOW_HTTP=1"},
		{"https://chat.example/?key=k", "", "WEBOFFICE_ROBOT_URL must have"},
		{"https://chat.example" + webhook.SendPath + "?key=k", "s\n", "WEBOFFICE_ROBOT_SECRET begins or ends with white space"},
	} {
		env := map[string]string{"WEBOFFICE_ROBOT_URL": tt.url, "WEBOFFICE_ROBOT_SECRET": tt.secret}
		var out bytes.Buffer
		if code := run(t.Context(), []string{"hello"}, func(k string) string { return env[k] }, nil, &out, &out); code != 2 || !strings.Contains(out.String(), tt.want) {
			t.Errorf("exit code %d, output %q, want 2 and %q", code, &out, tt.want)
		}
	}
}
