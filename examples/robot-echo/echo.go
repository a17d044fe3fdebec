package main

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/markdown"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
)

const (
	workers = 4    // events that are answered at once
	recent  = 1000 // events that are remembered, to know a repeat
)

// echo answers what mentions its robot.
type echo struct {
	robot    *webhook.Robot
	receiver *webhook.Receiver
	seen     *webhook.Seen
	logger   *slog.Logger
}

func newEcho(cfg webhook.Config, key signing.Secret, logger *slog.Logger) (*echo, error) {
	e := &echo{seen: webhook.NewSeen(recent), logger: logger}
	var err error
	if e.robot, err = webhook.NewRobot(cfg); err != nil {
		return nil, err
	}
	// The service is answered at once, and the work done after: a robot that has
	// used up its minute makes its messages wait.
	e.receiver, err = webhook.NewReceiver(webhook.ReceiverConfig{
		Handle:     e.handle,
		RobotKeys:  []signing.Secret{key},
		Background: workers,
		Timeout:    2 * time.Minute,
		Logger:     logger,
	})
	return e, err
}

// handle repeats what was said. It is a stranger's text: the builder makes it inert,
// so that nobody can mention everyone through this robot.
func (e *echo) handle(ctx context.Context, event webhook.Event) error {
	if !e.seen.First(event.ID()) {
		e.logger.InfoContext(ctx, "delivered again", "event", event)
		return nil
	}
	said := strings.TrimSpace(event.Text())
	if said == "" {
		said = "(nothing)"
	}
	var b markdown.Builder
	b.Paragraph("You said:").Quote(said)
	pieces, err := webhook.Split(webhook.Markdown{Text: b.String()}, nil)
	if err != nil {
		return err
	}
	sent, err := e.robot.SendAll(ctx, pieces...)
	if err != nil {
		if sent == 0 && errors.Is(err, webhook.ErrNotSent) {
			e.seen.Forget(event.ID()) // nobody was answered: a repeat may be
		}
		return err // which the receiver logs
	}
	e.logger.InfoContext(ctx, "answered", "event", event)
	return nil
}
