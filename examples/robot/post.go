package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/weboffice-go/weboffice/examples/internal/chat"
	"github.com/weboffice-go/weboffice/markdown/commonmark"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

// post cuts the message if it is too long, and sends the pieces in order.
func post(ctx context.Context, o options, getenv func(string) string, out io.Writer) error {
	cfg, side, err := o.config(getenv)
	if err != nil {
		return err
	}
	robot, err := chat.Robot(cfg)
	if err != nil {
		return err
	}
	pieces, err := robot.Split(o.compose(), &webhook.SplitOptions{Title: o.label})
	if err != nil {
		return chat.Explain(err)
	}
	if o.dryRun {
		return show(robot, pieces, out)
	}
	if len(pieces) > webhook.MessagesPerMinute {
		fmt.Fprintf(out, "%d pieces take a while: a robot may send %d a minute\n", len(pieces), webhook.MessagesPerMinute)
	}
	sent, err := robot.SendAll(ctx, pieces...)
	if side != nil {
		for _, m := range side.Sent() {
			fmt.Fprintf(out, "arrived: %s\n", m.Body)
		}
	}
	if err != nil {
		return fmt.Errorf("%d of %d pieces were accepted: %w", sent, len(pieces), chat.Explain(err))
	}
	fmt.Fprintf(out, "accepted: %d of %d\n", sent, len(pieces))
	return nil
}

// compose makes a message of the command line.
func (o options) compose() webhook.Message {
	text := o.message
	if o.kind == "commonmark" {
		text = commonmark.Convert(text, nil)
	}
	switch {
	case o.title != "":
		return webhook.Link{Title: o.title, Text: text, URL: o.url, ButtonTitle: o.button}
	case o.kind == "text":
		return webhook.Text{Content: text}
	default:
		return webhook.Markdown{Text: text}
	}
}

// show prints the bodies that would be posted.
func show(robot *webhook.Robot, pieces []webhook.Message, out io.Writer) error {
	for _, m := range pieces {
		if err := robot.Check(m); err != nil {
			return chat.Explain(err)
		}
		body, err := webhook.Encode(m)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s\n", body)
		for _, p := range commonmark.Check(markdownOf(m)) {
			fmt.Fprintf(out, "  line %d: %s: %s\n", p.Line, p.Element, p.Detail)
		}
	}
	return nil
}

// markdownOf is the part of m that the chat renders.
func markdownOf(m webhook.Message) string {
	switch m := m.(type) {
	case webhook.Markdown:
		return m.Text
	case webhook.Link:
		return m.Text
	default:
		return ""
	}
}

// config takes the robot from the environment, or one of the other side if nothing
// is to leave this process.
func (o options) config(getenv func(string) string) (webhook.Config, *webhooktest.Server, error) {
	if o.demo || o.dryRun {
		side := webhooktest.NewServer(nil)
		cfg := side.Config(webhooktest.TestKey())
		cfg.Keywords = o.keywords
		return cfg, side, nil
	}
	cfg, err := chat.Config(getenv)
	cfg.Keywords, cfg.Logger = o.keywords, slog.Default()
	return cfg, nil, err
}
