package webhook_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
)

func event() webhook.Event {
	return webhook.Event{
		ChatID: 12345, SenderID: 2324234, Content: "@webhook机器人  111",
		Reply:    &webhook.Quoted{Content: "…", SenderID: 1234},
		RobotKey: signing.NewSecret("xxx"), URL: "https://xxxx", CTime: 3452452,
	}
}

// The id is the same everywhere and for ever, and any difference changes it.
func TestEventID(t *testing.T) {
	t.Parallel()
	const want = "5c7491c172d73445545990607a8caa9e"
	if got := event().ID(); got != want {
		t.Errorf("ID() = %s, want %s", got, want)
	}
	ids := map[string]string{want: "the event"}
	for name, change := range map[string]func(*webhook.Event){
		"chat":           func(e *webhook.Event) { e.ChatID++ },
		"sender":         func(e *webhook.Event) { e.SenderID++ },
		"time":           func(e *webhook.Event) { e.CTime++ },
		"content":        func(e *webhook.Event) { e.Content += " " },
		"content to url": func(e *webhook.Event) { e.Content, e.URL = e.Content+"h", e.URL[1:] },
		"url":            func(e *webhook.Event) { e.URL += "/" },
		"no reply":       func(e *webhook.Event) { e.Reply = nil },
		"empty reply":    func(e *webhook.Event) { e.Reply = &webhook.Quoted{} },
		"reply's sender": func(e *webhook.Event) { e.Reply.SenderID++ },
		"reply's text":   func(e *webhook.Event) { e.Reply.Content = "" },
		"robot":          func(e *webhook.Event) { e.RobotKey = signing.NewSecret("yyy") },
	} {
		e := event()
		change(&e)
		if other, ok := ids[e.ID()]; ok {
			t.Errorf("%s has the id of %s", name, other)
		}
		ids[e.ID()] = name
	}
}

func TestEventText(t *testing.T) {
	t.Parallel()
	tests := []struct{ content, want string }{
		{"@webhook机器人  111", "111"}, // public reference 6.2
		{"  @robot restart  web-1\n", "restart  web-1"},
		{"@robot\u00a0restart", "restart"},
		{"@robot\u2005restart", "restart"},
		{"@robot\nrestart\nnow", "restart\nnow"},
		{"@robot,restart", "restart"},
		{"@robot: restart, please", "restart, please"},
		{"@机器人，重启", "重启"},
		{"@web-robot_1 restart", "restart"},
		{"@robot", ""},
		{"@robot   ", ""},
		{`<at user_id="17856">robot</at> restart`, "restart"},
		{`<AT class="a>b" user_id="7">bot <1></AT > go`, "go"},
		{`<at user_id="17856">my robot</at>restart`, "restart"},
		{`<at user_id="17856">机器人</at>，重启`, "重启"},
		{`<at user_id="17856">robot`, `<at user_id="17856">robot`},
		{"restart @robot please", "restart @robot please"},
		{"<b> is bold", "<b> is bold"},
		{"", ""},
	}
	for _, tt := range tests {
		if got := (webhook.Event{Content: tt.content}).Text(); got != tt.want {
			t.Errorf("Text() of %q = %q, want %q", tt.content, got, tt.want)
		}
	}
}

func TestEventTextTo(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"@Build Bot  restart":                   "restart",
		"@Build Bot, restart":                   "restart",
		"@Build Bot":                            "",
		"@Build Bottom status":                  "Bottom status",
		"@other  status":                        "status",
		`<at user_id="1">Build Bot</at> status`: "status",
	} {
		if got := (webhook.Event{Content: content}).TextTo("Build Bot"); got != want {
			t.Errorf("TextTo of %q = %q, want %q", content, got, want)
		}
	}
}

// Logged, an event says where it comes from and not what was said; printed in any
// way, it never shows the key.
func TestEventPrints(t *testing.T) {
	t.Parallel()
	e := event()
	e.Content, e.RobotKey = "CONTENT", signing.NewSecret("SECRET")
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("m", "event", e)
	if strings.Contains(log.String(), "CONTENT") || !strings.Contains(log.String(), e.ID()) {
		t.Errorf("logged %s", log.String())
	}
	named := e
	named.Robot = "build"
	slog.New(slog.NewJSONHandler(&log, nil)).Info("m", "event", named)
	if got := strings.Count(log.String(), `"robot":`); got != 1 || !strings.Contains(log.String(), `"robot":"build"`) {
		t.Errorf("logged %s, want the name of the robot if it has one", log.String())
	}
	all := log.String()
	for _, verb := range []string{"%v", "%+v", "%#v", "%d", "%s", "%x"} {
		all += fmt.Sprintf(verb, e)
	}
	if strings.Contains(all, "SECRET") || strings.Contains(all, "534543524554") {
		t.Errorf("the key shows in %s", all)
	}
}
