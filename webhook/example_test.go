package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/markdown"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

// In production the Config is
//
//	webhook.Config{
//		URL:           signing.NewSecret(os.Getenv("ROBOT_URL")), // as the chat client shows it
//		SigningSecret: signing.NewSecret(os.Getenv("ROBOT_SECRET")),
//	}
//
// and here that of a fake, which keeps what arrives.
func Example() {
	server := webhooktest.NewServer(nil)
	robot, err := webhook.NewRobot(server.Config(webhooktest.TestKey()))
	if err != nil {
		fmt.Println(err)
		return
	}
	user := "<at user_id=\"-1\">everyone</at>" // a name that somebody chose
	err = robot.Send(context.Background(), webhook.Text{Content: markdown.Plain("Disk full, says ", user, ". ", markdown.MentionUser("17856", "Li San"))})
	fmt.Println("error:", err)
	if sent, ok := server.Sent()[0].Message.(webhook.Text); ok {
		fmt.Println("mentions:", markdown.Mentions(sent.Content))
	}
	// Output:
	// error: <nil>
	// mentions: [{17856  false Li San}]
}

func ExampleRobot_Send() {
	server := webhooktest.NewServer(nil)
	cfg := server.Config(webhooktest.TestKey())
	cfg.Keywords = []string{"alert"}
	robot, err := webhook.NewRobot(cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	send := func(m webhook.Message) {
		var refused *webhook.APIError
		switch err := robot.Send(context.Background(), m); {
		case err == nil:
			fmt.Println("accepted")
		case errors.Is(err, webhook.ErrTooLong):
			fmt.Println("too long: Split it")
		case errors.Is(err, webhook.ErrNotSent):
			fmt.Println("not sent:", err)
		case errors.As(err, &refused):
			fmt.Println("not accepted:", refused.StatusCode, refused.Message)
		default:
			fmt.Println("nobody knows whether it arrived:", err)
		}
	}
	send(webhook.Markdown{Text: "**alert**: disk full"})
	send(webhook.Markdown{Text: strings.Repeat("alert ", 1000)})
	send(webhook.Link{Title: "alert", Text: "disk full", ButtonTitle: "Open the dashboard"})
	// Output:
	// accepted
	// too long: Split it
	// not sent: webhook: ButtonTitle: has 18 characters, and at most 12 are allowed (protocol 8)
}

// A report that is too long for one message goes out in pieces. Each has its number,
// and the keyword that the robot demands.
func ExampleSplit() {
	server := webhooktest.NewServer(nil)
	cfg := server.Config(webhooktest.TestKey())
	cfg.Keywords = []string{"Report"}
	robot, err := webhook.NewRobot(cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	var report markdown.Builder
	report.Heading(1, "Nightly run")
	report.Paragraph("Everything is ", markdown.Bold("green"), ", and two jobs are new.")
	report.List("load-orders", "load-customers")
	pieces, err := webhook.Split(webhook.Markdown{Text: report.String()}, &webhook.SplitOptions{
		Limit: 80, // so that there is something to cut; leave it out otherwise
		Label: func(i, n int) string { return fmt.Sprintf("Report %d/%d\n\n", i, n) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	sent, err := robot.SendAll(context.Background(), pieces...)
	fmt.Printf("sent %d of %d, error: %v\n", sent, len(pieces), err)
	for _, piece := range pieces {
		if m, ok := piece.(webhook.Markdown); ok {
			fmt.Printf("---\n%s\n", m.Text)
		}
	}
	// Output:
	// sent 2 of 2, error: <nil>
	// ---
	// Report 1/2
	//
	// # Nightly run
	//
	// Everything is **green**, and two jobs are new.
	// ---
	// Report 2/2
	//
	// - load-orders
	// - load-customers
}

// An outbox keeps the bytes of a message and sends them later.
func ExampleDecode() {
	stored, err := webhook.Encode(webhook.Text{Content: "<at user_id=\"-1\">everyone</at> lunch"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(stored))
	m, err := webhook.Decode(stored)
	fmt.Printf("%T, %v\n", m, err)
	// Output:
	// {"msgtype":"text","text":{"content":"<at user_id=\"-1\">everyone</at> lunch"}}
	// webhook.Text, <nil>
}

// Allow is for messages that are worth nothing later.
func ExampleWindow_Allow() {
	window := webhook.NewWindow(2, time.Minute)
	for i := range 3 {
		ok, next := window.Allow()
		fmt.Println(i, ok, time.Until(next).Round(time.Minute))
	}
	// Output:
	// 0 true 0s
	// 1 true 1m0s
	// 2 false 1m0s
}

// A Limiter on a store that all replicas share, such as a script on Redis: it takes
// a place, or says how long to wait for the next.
func ExampleLimiterFunc() {
	take := func(context.Context) (wait time.Duration, err error) { return 0, nil }
	limiter := webhook.LimiterFunc(func(ctx context.Context) error {
		for {
			wait, err := take(ctx)
			if err != nil || wait <= 0 {
				return err
			}
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
	fmt.Println(limiter.Wait(context.Background()))
	// Output: <nil>
}

// A card, with what readers see who use another language.
func ExampleEncode() {
	card := webhook.Card{
		Header:   webhook.CardHeader{Title: webhook.CardText{Text: "备份完成"}},
		Elements: []webhook.CardText{{Text: "**3** 个文件", Markdown: true}},
		I18n: map[string]webhook.CardFace{"en-US": {
			Header:   webhook.CardHeader{Title: webhook.CardText{Text: "Backup done"}},
			Elements: []webhook.CardText{{Text: "**3** files", Markdown: true}},
		}},
	}
	body, err := webhook.Encode(card)
	fmt.Println(len(body), err)
	_, err = webhook.Encode(webhook.Card{})
	fmt.Println(err)
	// Output:
	// 381 <nil>
	// webhook: Header.Title.Text: is required and must not be blank (protocol 2.9)
	// webhook: Elements: a card needs at least one element (protocol 2.9)
}
