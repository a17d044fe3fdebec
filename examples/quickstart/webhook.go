package main

import (
	"context"

	"github.com/weboffice-go/weboffice/examples/quickstart/document"
	"github.com/weboffice-go/weboffice/markdown"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

// talkToGroup posts into a group chat, and answers when it is mentioned there.
func talkToGroup(ctx context.Context, t *tour) error {
	chat := webhooktest.NewServer(nil)
	robot, err := webhook.NewRobot(chat.Config(webhooktest.TestKey()))
	if err != nil {
		return err
	}
	var report markdown.Builder
	report.Heading(3, "Converted ", document.HandbookName)
	report.List(
		markdown.Join("asked for by ", `Eve <at user_id="-1">all</at>`), // text of a user: nobody is mentioned
		markdown.Join("ready, ", markdown.MentionEmail("ada@example.com", "Ada")),
	)
	if err := robot.Send(ctx, webhook.Markdown{Text: report.String()}); err != nil {
		return err
	}

	receiver, err := webhook.NewReceiver(webhook.ReceiverConfig{
		RobotKeys: []signing.Secret{webhooktest.TestKey()},
		Handle: func(ctx context.Context, e webhook.Event) error {
			return robot.Send(ctx, webhook.Text{Content: markdown.Plain("You said: ", e.Text())})
		},
	})
	if err != nil {
		return err
	}
	if err := chat.RegisterHandler(ctx, webhooktest.TestKey(), receiver); err != nil {
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
