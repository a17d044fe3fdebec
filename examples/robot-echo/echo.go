package main

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/examples/internal/chat"
	"github.com/weboffice-go/weboffice/markdown"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
)

// workers is how many events are answered at the same time.
const workers = 4

// echo answers what mentions its robot.
type echo struct {
	robot    *webhook.Robot
	receiver *webhook.Receiver
	logger   *slog.Logger
}

func newEcho(cfg webhook.Config, logger *slog.Logger) (*echo, error) {
	e := &echo{logger: logger}
	var err error
	if e.robot, err = chat.Robot(cfg); err != nil {
		return nil, err
	}
	// The service is answered at once, and the work done after: a robot that has
	// used up its minute makes its messages wait.
	e.receiver, err = webhook.NewReceiver(webhook.ReceiverConfig{
		Handle:     e.handle,
		RobotKeys:  []signing.Secret{e.robot.Key()},
		Background: workers,
		Timeout:    2 * time.Minute,
		Logger:     logger,
	})
	return e, err
}

// handle repeats what was said. It is a stranger's text: the builder makes it inert,
// so that nobody can mention everyone through this robot. The receiver logs an error,
// and an event that failed may be delivered again: only one that was not answered.
func (e *echo) handle(ctx context.Context, event webhook.Event) error {
	said := strings.TrimSpace(event.Text())
	if said == "" {
		said = "(nothing)"
	}
	var b markdown.Builder
	b.Paragraph("You said:").Quote(said)
	sent, err := e.robot.SendLong(ctx, webhook.Markdown{Text: b.String()}, nil)
	switch {
	case err == nil:
		e.logger.InfoContext(ctx, "answered", "event", event)
	case sent == 0 && errors.Is(err, webhook.ErrNotAccepted):
		return err
	default:
		e.logger.ErrorContext(ctx, "not answered completely", "event", event, "error", err)
	}
	return nil
}
