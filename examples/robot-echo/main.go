// Robot-echo answers the messages that mention a robot by repeating them in the chat.
// To try it without a chat, use -demo: a fake in this process registers the callback,
// mentions the robot twice, and prints the answers.
//
//	go run ./examples/robot-echo -demo
//
// For a real chat, start it where the service can reach it. Enter its URL, with the
// secret path, as the robot's callback in the chat client.
//
//	export WEBOFFICE_ROBOT_URL='https://…/api/v1/webhook/send?key=…'
//	export WEBOFFICE_ROBOT_SECRET='…'      # if the robot checks signatures
//	go run ./examples/robot-echo -addr :8080 -path /robot/a-path-that-cannot-be-guessed
//
// Ctrl-C stops accepting events, and finishes those that were accepted.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/examples/internal/chat"
	"github.com/weboffice-go/weboffice/examples/internal/cli"
	"github.com/weboffice-go/weboffice/examples/internal/serve"
)

func main() {
	cli.Main(func(ctx context.Context) int {
		return cli.Code(os.Stderr, "robot-echo", run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
	})
}

// run prints on out, and logs on log what happens beside it.
func run(ctx context.Context, args []string, getenv func(string) string, out, log io.Writer) error {
	flags := cli.Flags(out, "robot-echo [flags]", chat.Environment()...)
	addr := flags.String("addr", ":8080", "`address` to listen on")
	path := flags.String("path", "/robot", "`path` of the callback; one that cannot be guessed keeps strangers out")
	demo := flags.Bool("demo", false, "play both sides in this process")
	if err := cli.ParseAll(flags, args); err != nil {
		return err
	}
	if !strings.HasPrefix(*path, "/") {
		return cli.Usagef("-path must start with a slash, such as /robot")
	}
	logger := slog.New(slog.NewTextHandler(log, nil))
	if *demo {
		return runDemo(ctx, logger, out)
	}
	cfg, err := chat.Config(getenv)
	if err != nil {
		return err
	}
	cfg.Logger = logger
	e, err := newEcho(cfg, logger)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", *addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Listening on %s.\nIn the chat client, enter this callback: https://YOUR-HOST%s\n", listener.Addr(), *path)
	return answer(ctx, listener, *path, e)
}

// answer takes callbacks until ctx ends, and then finishes what was accepted.
func answer(ctx context.Context, listener net.Listener, path string, e *echo) error {
	err := serve.Until(ctx, listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != path {
			http.NotFound(w, r)
			return
		}
		e.receiver.ServeHTTP(w, r)
	}))
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	return errors.Join(err, e.receiver.Shutdown(ctx))
}
