package webhook_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/weboffice-go/weboffice/webhook"
)

// The service may deliver an event twice: a Handle that acts on it once, and once
// more after a failure.
func ExampleSeen() {
	failures := 1
	deploy := func(what string) error {
		fmt.Println("deploying", what)
		if failures--; failures >= 0 {
			return errors.New("no disk space")
		}
		return nil
	}
	seen := webhook.NewSeen(1000)
	handle := func(_ context.Context, e webhook.Event) error {
		if !seen.First(e.ID()) {
			return nil
		}
		if err := deploy(e.Text()); err != nil {
			seen.Forget(e.ID())
			return err
		}
		return nil
	}
	event := webhook.Event{ChatID: 1001, SenderID: 2001, Content: "@bot web-1", CTime: 1735689600}
	for range 3 {
		fmt.Println(handle(context.Background(), event))
	}
	// Output:
	// deploying web-1
	// no disk space
	// deploying web-1
	// <nil>
	// <nil>
}
