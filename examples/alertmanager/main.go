// Alertmanager posts the alerts of a Prometheus Alertmanager into a group chat. Try
// it without a chat or an Alertmanager:
//
//	go run ./examples/alertmanager -demo
//
// For real alerts, start it beside the Alertmanager,
//
//	export WEBOFFICE_ROBOT_URL='https://…/api/v1/webhook/send?key=…'
//	export WEBOFFICE_ROBOT_SECRET='…'   # where the robot checks signatures
//	go run ./examples/alertmanager -addr 127.0.0.1:9095
//
// and name it as a receiver there:
//
//	receivers:
//	- name: chat
//	  webhook_configs:
//	  - url: http://127.0.0.1:9095/alerts
//
// A notification is answered by 200 once its message was accepted. Where the robot's
// minute is used up, or the service is down, it is answered by 503, and Alertmanager
// repeats it: no alert is lost. GET /healthz answers 200.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/weboffice-go/weboffice/examples/internal/cli"
	"github.com/weboffice-go/weboffice/examples/internal/serve"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
)

func main() {
	cli.Main(func(ctx context.Context) int {
		return cli.Code(os.Stderr, "alertmanager", run(ctx, os.Args[1:], os.Getenv, os.Stdout))
	})
}

func run(ctx context.Context, args []string, getenv func(string) string, out io.Writer) error {
	flags := flag.NewFlagSet("alertmanager", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:9095", "`address` to listen on")
	keywords := flags.String("keywords", "", "comma-separated `words` of which the robot demands one; the first begins every message")
	mention := flags.String("mention", "", "`severity` whose alerts mention everyone, such as critical")
	wait := flags.Duration("wait", 20*time.Second, "how long a notification may wait for the robot's minute; less than Alertmanager waits")
	demo := flags.Bool("demo", false, "play Alertmanager and chat in this process")
	if err := cli.ParseAll(flags, args); err != nil {
		return err
	}
	format := format{mention: *mention}
	words := cli.Words(*keywords)
	if len(words) > 0 {
		format.keyword = words[0]
	}
	logger := slog.New(slog.NewTextHandler(out, nil))
	if *demo {
		return runDemo(ctx, format, out)
	}
	address := getenv("WEBOFFICE_ROBOT_URL")
	if address == "" {
		return cli.Usagef("set WEBOFFICE_ROBOT_URL to the webhook address of the robot, ?key= included, or try -demo")
	}
	robot, err := webhook.NewRobot(webhook.Config{
		URL:           signing.NewSecret(address),
		SigningSecret: signing.NewSecret(getenv("WEBOFFICE_ROBOT_SECRET")),
		Keywords:      words,
		Logger:        logger,
	})
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", *addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Listening on http://%s/alerts\n", listener.Addr())
	return serve.Until(ctx, listener, newHandler(robot, format, *wait, logger))
}
