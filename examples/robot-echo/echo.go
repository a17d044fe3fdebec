package main

import (
	"context"
	"log/slog"
	"strings"
	"sync"
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
	logger   *slog.Logger

	mu    sync.Mutex
	seen  map[string]bool
	order []string
}

func newEcho(cfg webhook.Config, key signing.Secret, logger *slog.Logger) (*echo, error) {
	e := &echo{logger: logger, seen: map[string]bool{}}
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
	if !e.first(event.ID()) {
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
	_, err = e.robot.SendAll(ctx, pieces...)
	e.logger.InfoContext(ctx, "answered", "event", event, "error", err)
	return err
}

// first reports whether id has not come lately, and remembers it.
func (e *echo) first(id string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.seen[id] {
		return false
	}
	e.seen[id] = true
	e.order = append(e.order, id)
	if len(e.order) > recent {
		delete(e.seen, e.order[0])
		e.order = e.order[1:]
	}
	return true
}
