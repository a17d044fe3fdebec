package samples_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
	"github.com/weboffice-go/weboffice/markdown"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

func TestConvert(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // half an hour takes no time in here
		service := converttest.NewServer(&converttest.Options{
			Converter: converttest.Script{converttest.Pending(40), converttest.Success([]byte("the text"))},
		})
		defer service.Close()
		client, err := convert.New(service.Config())
		if err != nil {
			t.Fatal(err)
		}
		task, err := client.SubmitText(t.Context(), convert.TextRequest{
			URL:      "https://files.example/report.docx",
			Filename: "report.docx",
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Wait(t.Context(), task); err != nil {
			t.Error(err)
		}
	})
}

func TestPatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := converttest.NewServer(nil)
		defer service.Close()
		client, err := convert.New(service.Config())
		if err != nil {
			t.Fatal(err)
		}
		request := convert.PDFRequest{URL: "https://files.example/report.docx", Filename: "report.docx"}

		service.Fail(converttest.Submits, 2, converttest.TooManyRequests(5*time.Second))
		if _, err := client.SubmitPDF(t.Context(), request); err != nil {
			t.Errorf("SubmitPDF = %v, want a task after two pauses", err)
		}
		service.Fail(converttest.Submits, 1, converttest.Truncated)
		if _, err := client.SubmitPDF(t.Context(), request); err == nil || errors.Is(err, convert.ErrNotAccepted) {
			t.Errorf("SubmitPDF = %v, want an error that leaves open whether there is a task", err)
		}
	})
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	chat := webhooktest.NewServer(nil)
	robot, err := webhook.NewRobot(chat.Config(webhooktest.TestKey()))
	if err != nil {
		t.Fatal(err)
	}
	receiver, err := webhook.NewReceiver(webhook.ReceiverConfig{
		RobotKeys: []signing.Secret{robot.Key()},
		Handle: func(ctx context.Context, e webhook.Event) error {
			return robot.Send(ctx, webhook.Text{Content: markdown.Plain("You said: ", e.Text())})
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := chat.RegisterHandler(t.Context(), robot.Key(), receiver); err != nil {
		t.Fatal(err)
	}
	if err := chat.Mention(t.Context(), webhook.Event{Content: "@robot hello", CTime: 1}); err != nil {
		t.Fatal(err)
	}
	if sent := chat.Sent(); len(sent) != 1 || sent[0].Refused != "" {
		t.Errorf("the chat has %v, want one answer", sent)
	}
}
