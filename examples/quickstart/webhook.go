package main

import (
	"context"
	"net/http"

	"github.com/weboffice-go/weboffice/markdown"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

// talkToGroup posts into a group chat, and answers when it is mentioned there.
func talkToGroup(ctx context.Context, t *tour) error {
	var receiver *webhook.Receiver
	callback := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { receiver.ServeHTTP(w, r) })
	chat := webhooktest.NewServer(&webhooktest.Options{HTTPClient: webhooktest.HTTPClient(callback)})
	robot, err := webhook.NewRobot(chat.Config(webhooktest.TestKey()))
	if err != nil {
		return err
	}
	var report markdown.Builder
	report.Heading(3, "Converted ", handbookName)
	report.List(
		markdown.Join("asked for by ", `Eve <at user_id="-1">all</at>`), // text of a user: nobody is mentioned
		markdown.Join("ready, ", markdown.MentionEmail("ada@example.com", "Ada")),
	)
	if err := robot.Send(ctx, webhook.Markdown{Text: report.String()}); err != nil {
		return err
	}

	receiver, err = webhook.NewReceiver(webhook.ReceiverConfig{
		RobotKeys: []signing.Secret{webhooktest.TestKey()},
		Handle: func(ctx context.Context, e webhook.Event) error {
			return robot.Send(ctx, webhook.Text{Content: markdown.Plain("You said: ", e.Text())})
		},
	})
	if err != nil {
		return err
	}
	if err := chat.Register(ctx, webhooktest.TestKey(), "https://bot.example/callback"); err != nil {
		return err
	}
	t.say("callback", `registered: it answers {"result":"ok"}`)
	if err := chat.Mention(ctx, webhook.Event{Content: "@robot is the handbook ready?"}); err != nil {
		return err
	}
	for _, message := range chat.Sent() {
		t.say("arrived", "%s", message.Body)
	}
	return nil
}
