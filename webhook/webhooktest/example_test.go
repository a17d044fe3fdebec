package webhooktest_test

import (
	"context"
	"fmt"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

// A robot that demands a keyword and a signature, and what it makes of messages.
func ExampleServer() {
	s := webhooktest.NewServer(nil)
	key := signing.NewSecret("ops-robot")
	if err := s.Add(webhooktest.Robot{Key: key, SigningSecret: signing.NewSecret("s3cret"), Keywords: []string{"[ops]"}}); err != nil {
		fmt.Println(err)
		return
	}
	cfg := s.Config(key)
	cfg.Keywords = nil // as if nobody had told this program of the keyword
	robot, err := webhook.NewRobot(cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(robot.Send(context.Background(), webhook.Text{Content: "[ops] disk is full"}))
	fmt.Println(robot.Send(context.Background(), webhook.Text{Content: "disk is full"}))
	for _, sent := range s.Sent() {
		fmt.Printf("%s %q\n", sent.Body, sent.Refused)
	}
	// Output:
	// <nil>
	// webhook: send: status 400: InvalidArgument: the message has none of the robot's keywords (request webhooktest-2)
	// {"msgtype":"text","text":{"content":"[ops] disk is full"}} ""
	// {"msgtype":"text","text":{"content":"disk is full"}} "keyword"
}
