// Posts into a group chat, and answers the messages that mention the robot.
package main

import (
	"context"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/weboffice-go/weboffice/markdown"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
)

func main() {
	robot, err := newRobot()
	if err != nil {
		log.Fatal(err)
	}
	if err := report(context.Background(), robot, "billing", "Ann <ann@example.com>"); err != nil {
		log.Fatal(err)
	}
	receiver, err := newReceiver(robot)
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/robot/"+os.Getenv("ROBOT_PATH"), receiver) // a path that cannot be guessed
	server := &http.Server{Addr: ":8080", Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}

func newRobot() (*webhook.Robot, error) {
	return webhook.NewRobot(webhook.Config{
		URL:           signing.NewSecret(os.Getenv("WEBOFFICE_ROBOT_URL")),    // the whole URL, with ?key=…
		SigningSecret: signing.NewSecret(os.Getenv("WEBOFFICE_ROBOT_SECRET")), // may be empty
	})
}

func report(ctx context.Context, robot *webhook.Robot, service, user string) error {
	var b markdown.Builder // strings are escaped: a name cannot mention anyone
	b.Heading(3, "Deployed ", service)
	b.Paragraph("by ", user, ", ", markdown.Link("changes", "https://git.example/changes"))
	return robot.Send(ctx, webhook.Markdown{Text: b.String()})
}

func newReceiver(robot *webhook.Robot) (*webhook.Receiver, error) {
	return webhook.NewReceiver(webhook.ReceiverConfig{
		RobotKeys:  []signing.Secret{robot.Key()},
		Background: 16, // answer the service first, work afterwards
		Handle: func(ctx context.Context, e webhook.Event) error {
			return robot.Send(ctx, webhook.Text{Content: markdown.Plain("You said: ", e.Text())})
		},
	})
}
