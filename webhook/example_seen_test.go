package webhook_test

import (
	"fmt"

	"github.com/weboffice-go/weboffice/webhook"
)

// The service may deliver an event twice; Handle should act on it once.
func ExampleSeen() {
	seen := webhook.NewSeen(1000)
	deploy := func(e webhook.Event) error {
		if !seen.First(e.ID()) {
			fmt.Println("a repeat")
			return nil
		}
		fmt.Println("deploying")
		return nil
	}
	event := webhook.Event{ChatID: 1001, SenderID: 2001, Content: "@bot deploy", CTime: 1735689600}
	_ = deploy(event)
	_ = deploy(event)
	// Output:
	// deploying
	// a repeat
}
