package main

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

func TestReportAndAnswer(t *testing.T) {
	chat := webhooktest.NewServer(nil)
	key := signing.NewSecret("robot-key")
	if err := chat.Add(webhooktest.Robot{Key: key, SigningSecret: signing.NewSecret("secret")}); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(chat)
	defer server.Close()
	t.Setenv("WEBOFFICE_ROBOT_URL", chat.Address(server.URL, key).Reveal())
	t.Setenv("WEBOFFICE_ROBOT_SECRET", "secret")

	robot, err := newRobot()
	if err != nil {
		t.Fatal(err)
	}
	if err := report(t.Context(), robot, "billing", `<at user_id="-1">all</at>`); err != nil {
		t.Fatal(err)
	}
	receiver, err := newReceiver(robot)
	if err != nil {
		t.Fatal(err)
	}
	if err := chat.RegisterHandler(t.Context(), key, receiver); err != nil {
		t.Fatal(err)
	}
	if err := chat.Mention(t.Context(), webhook.Event{RobotKey: key, Content: "@robot hello", CTime: 1}); err != nil {
		t.Fatal(err)
	}
	if err := receiver.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	sent := chat.Sent()
	if len(sent) != 2 || sent[0].Refused != "" || sent[1].Refused != "" {
		t.Fatalf("the chat has %v, want a report and an answer", sent)
	}
	if report := string(sent[0].Body); !strings.Contains(report, "Deployed billing") || strings.Contains(report, "<at") {
		t.Errorf("the report is %s, want it without a mention", report)
	}
	if answer, ok := sent[1].Message.(webhook.Text); !ok || answer.Content != "You said: hello" {
		t.Errorf("the answer is %v", sent[1].Message)
	}
}
