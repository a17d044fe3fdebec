// Alertmanager posts the alerts of a Prometheus Alertmanager into a group chat. To try
// it without a chat or an Alertmanager:
//
//	go run ./examples/alertmanager -demo
//
// For real alerts, start it on the machine of the Alertmanager:
//
//	export WEBOFFICE_ROBOT_URL='https://…/api/v1/webhook/send?key=…'
//	export WEBOFFICE_ROBOT_SECRET='…'   # if the robot checks signatures
//	go run ./examples/alertmanager -addr 127.0.0.1:9095
//
// Then add it to the configuration of the Alertmanager:
//
//	receivers:
//	- name: chat
//	  webhook_configs:
//	  - url: http://127.0.0.1:9095/alerts
//
// A notification is answered by 200 when all of its messages were accepted. A robot
// takes 20 a minute. If posting takes longer than -wait, or the service is down, the
// answer is 503, and Alertmanager repeats the notification. Posting continues meanwhile,
// and the repeat continues it: no alert is lost, and no message is posted twice, unless
// this program restarts or it is unknown whether the service took a message.
// GET /healthz answers 200.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/weboffice-go/weboffice/examples/internal/chat"
	"github.com/weboffice-go/weboffice/examples/internal/cli"
	"github.com/weboffice-go/weboffice/examples/internal/serve"
)

func main() {
	cli.Main(func(ctx context.Context) int {
		return cli.Code(os.Stderr, "alertmanager", run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
	})
}

// run prints on out, and logs on errOut.
func run(ctx context.Context, args []string, getenv func(string) string, out, errOut io.Writer) error {
	flags := cli.Flags(out, "alertmanager [flags]", chat.Environment()...)
	addr := flags.String("addr", "127.0.0.1:9095", "`address` to listen on")
	keywords := flags.String("keywords", "", "comma-separated `words` of which the robot demands one; the first begins every message")
	mention := flags.String("mention", "", "`severity` whose alerts mention everyone, such as critical")
	wait := flags.Duration("wait", 20*time.Second, "how long to wait for a notification to be posted before it is answered; shorter than Alertmanager's own time-out")
	demo := flags.Bool("demo", false, "play Alertmanager and chat in this process")
	if err := cli.ParseAll(flags, args); err != nil {
		return err
	}
	format := format{mention: *mention}
	words := cli.Words(*keywords)
	if len(words) > 0 {
		format.keyword = words[0]
	}
	if *demo {
		return runDemo(ctx, format, out)
	}
	cfg, err := chat.Config(getenv)
	if err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(errOut, nil))
	cfg.Keywords, cfg.Logger = words, logger
	robot, err := chat.Robot(cfg)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", *addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Listening on http://%s/alerts\n", listener.Addr())
	b := newHandler(robot, format, *wait, logger)
	defer b.shutdown()
	return serve.Until(ctx, listener, b)
}
