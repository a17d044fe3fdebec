package webhook_test

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/weboffice-go/weboffice/markdown"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

// A robot that answers in the chat. The work may take a minute, since the service
// has its answer before it begins; on the way down nothing is dropped.
func ExampleReceiver() {
	ctx := context.Background()
	// In production the service; here the fake, which calls the receiver as a server would.
	server := webhooktest.NewServer(nil)
	robot, err := webhook.NewRobot(server.Config(webhooktest.TestKey()))
	if err != nil {
		fmt.Println(err)
		return
	}
	seen := webhook.NewSeen(1000)
	receiver, err := webhook.NewReceiver(webhook.ReceiverConfig{
		RobotKeys:  []signing.Secret{webhooktest.TestKey()},
		Background: 8,
		Logger:     slog.New(slog.DiscardHandler),
		Handle: func(ctx context.Context, e webhook.Event) error {
			if !seen.First(e.ID()) {
				return nil // delivered twice
			}
			answer := markdown.Plain("You said: ", e.Text())
			return robot.Send(ctx, webhook.Text{Content: answer})
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := server.RegisterHandler(ctx, webhooktest.TestKey(), receiver); err != nil {
		fmt.Println(err)
		return
	}
	mention := webhook.Event{Content: "@robot  hello", CTime: 1700000000}
	for range 2 {
		if err := server.Mention(ctx, mention); err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := receiver.Shutdown(ctx); err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range server.Sent() {
		fmt.Println(string(s.Body))
	}
	// Output: {"msgtype":"text","text":{"content":"You said: hello"}}
}
