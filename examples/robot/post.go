package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/weboffice-go/weboffice/examples/internal/cli"
	"github.com/weboffice-go/weboffice/markdown/commonmark"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

// post cuts the message where it is too long, and sends the pieces in order.
func post(ctx context.Context, o options, getenv func(string) string, out io.Writer) error {
	cfg, side, err := o.config(getenv)
	if err != nil {
		return err
	}
	robot, err := webhook.NewRobot(cfg)
	if err != nil {
		return err
	}
	pieces, err := webhook.Split(o.compose(), &webhook.SplitOptions{Label: o.labels()})
	if err != nil {
		return err
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
		return fmt.Errorf("%d of %d pieces were accepted: %w", sent, len(pieces), advice(err))
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

// labels numbers the pieces of a long message.
func (o options) labels() func(i, n int) string {
	return func(i, n int) string {
		return strings.TrimSpace(fmt.Sprintf("%s %d/%d", o.label, i, n)) + "\n\n"
	}
}

// show prints the bodies that would go out.
func show(robot *webhook.Robot, pieces []webhook.Message, out io.Writer) error {
	for _, m := range pieces {
		if err := robot.Check(m); err != nil {
			return advice(err)
		}
		body, err := webhook.Encode(m)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s\n", body)
	}
	return nil
}

// config takes the robot from the environment, or one of the other side where
// nothing is to leave this process.
func (o options) config(getenv func(string) string) (webhook.Config, *webhooktest.Server, error) {
	if o.demo || o.dryRun {
		side := webhooktest.NewServer(nil)
		cfg := side.Config(webhooktest.TestKey())
		cfg.Keywords = o.keywords
		return cfg, side, nil
	}
	address := getenv("WEBOFFICE_ROBOT_URL")
	if address == "" {
		return webhook.Config{}, nil, cli.Usagef("set WEBOFFICE_ROBOT_URL to the webhook address of the robot, ?key= included, or try -demo")
	}
	return webhook.Config{
		URL:           signing.NewSecret(address),
		SigningSecret: signing.NewSecret(getenv("WEBOFFICE_ROBOT_SECRET")),
		Keywords:      o.keywords,
		Logger:        slog.Default(),
	}, nil, nil
}

// advice says what to do about a refusal.
func advice(err error) error {
	switch {
	case errors.Is(err, signing.ErrTimestamp):
		return fmt.Errorf("%w: set this machine's clock", err)
	case errors.Is(err, signing.ErrSignature):
		return fmt.Errorf("%w: compare WEBOFFICE_ROBOT_SECRET with the chat client", err)
	case errors.Is(err, webhook.ErrNoKeyword):
		return fmt.Errorf("%w: put a keyword of the robot into the message, and into -label where a long one is cut", err)
	default:
		return err
	}
}
