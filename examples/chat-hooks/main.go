// Chat-hooks posts releases of GitHub and GitLab, and alerts of Grafana, into a group chat.
// To try it without any of them:
//
//	go run ./examples/chat-hooks -demo
//
// For real ones, start it where they reach it, behind a proxy that speaks https. A source
// without a secret is not served:
//
//	export WEBOFFICE_ROBOT_URL='https://…/api/v1/webhook/send?key=…'
//	export WEBOFFICE_GITHUB_SECRET='…' WEBOFFICE_GITLAB_TOKEN='…' WEBOFFICE_GRAFANA_SECRET='…'
//	go run ./examples/chat-hooks -addr 127.0.0.1:9096
//
// In GitHub, add a webhook of the repository for …/github with the content type
// application/json, the secret, and the event Releases. In GitLab, add one for …/gitlab
// with the secret token and the trigger "Releases events". In Grafana, add a contact point
// of type Webhook for …/grafana, with the secret under HMAC Signature or, before Grafana
// 12, as the credentials of the Authorization header. Its optional timestamp header is
// X-Grafana-Alerting-Timestamp here.
//
// A delivery is answered by 200 when the chat took it, and by an error when it did not,
// which the sender shows or repeats. If the robot's limit of 20 messages a minute makes it
// wait for longer than -wait, the answer is 202; posting goes on, and a failure is in the
// log alone. What is not posted yet is in memory: a restart waits for it, a crash loses
// it. GET /healthz answers 200.
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
	"github.com/weboffice-go/weboffice/signing"
)

func main() {
	cli.Main(func(ctx context.Context) int {
		return cli.Code(os.Stderr, "chat-hooks", run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
	})
}

// run prints on out, and logs on errOut.
func run(ctx context.Context, args []string, getenv func(string) string, out, errOut io.Writer) error {
	environment := chat.Environment()
	for _, source := range sources {
		environment = append(environment, fmt.Sprintf("%-26s  %s", source.variable, source.help))
	}
	flags := cli.Flags(out, "chat-hooks [flags]", environment...)
	addr := flags.String("addr", "127.0.0.1:9096", "`address` to listen on")
	keywords := flags.String("keywords", "", "comma-separated `words` of which the robot demands one; the first begins every message")
	wait := flags.Duration("wait", 8*time.Second, "how long to wait for a message to be posted before the delivery is answered; shorter than the sender's own time-out")
	demo := flags.Bool("demo", false, "play the senders and the chat in this process")
	if err := cli.ParseAll(flags, args); err != nil {
		return err
	}
	words := cli.Words(*keywords)
	if *demo {
		return runDemo(ctx, words, out)
	}
	cfg, err := chat.Config(getenv)
	if err != nil {
		return err
	}
	secrets := map[string]signing.Secret{}
	for _, s := range sources {
		if value := getenv(s.variable); value != "" {
			secrets[s.name] = signing.NewSecret(value)
		}
	}
	if len(secrets) == 0 {
		return cli.Usagef("set %s, %s or %s: nothing is taken from a sender that has no secret", sources[0].variable, sources[1].variable, sources[2].variable)
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
	for _, s := range sources {
		if !secrets[s.name].IsZero() {
			fmt.Fprintf(out, "Listening on http://%s/%s\n", listener.Addr(), s.name)
		}
	}
	h := newHooks(robot, secrets, *wait, logger)
	err = serve.Until(ctx, listener, h)
	h.shutdown()
	return err
}
