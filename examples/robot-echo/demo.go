package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

// runDemo plays the messaging service: it checks the callback, mentions the robot
// with a harmless and a malicious text, and shows what the group would see.
func runDemo(ctx context.Context, logger *slog.Logger, out io.Writer) error {
	side := webhooktest.NewServer(nil)
	e, err := newEcho(side.Config(webhooktest.TestKey()), logger)
	if err != nil {
		return err
	}
	if err := side.RegisterHandler(ctx, webhooktest.TestKey(), e.receiver); err != nil {
		return err
	}
	fmt.Fprintln(out, `the callback answered {"result":"ok"} and is registered`)
	for i, said := range []string{"@echo good morning", `@echo <at user_id="-1">everyone</at> # wake up`} {
		fmt.Fprintln(out, "a user writes:    ", said)
		if err := side.Mention(ctx, webhook.Event{Content: said, CTime: int64(i + 1)}); err != nil {
			return err
		}
	}
	if err := e.receiver.Shutdown(ctx); err != nil {
		return err
	}
	for _, m := range side.Sent() {
		fmt.Fprintf(out, "the robot answers: %s\n", m.Body)
	}
	return nil
}
