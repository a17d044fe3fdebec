// Robot-echo answers the messages that mention a robot, by repeating them into the
// chat. Try it without a chat: the other side, inside this process, registers the
// callback, mentions the robot twice, and shows what comes back.
//
//	go run ./examples/robot-echo -demo
//
// For a real chat: start it on an address that the service reaches, and enter that
// address, with the secret path, as the robot's callback in the chat client.
//
//	export WEBOFFICE_ROBOT_URL='https://…/api/v1/webhook/send?key=…'
//	export WEBOFFICE_ROBOT_SECRET='…'      # where the robot checks signatures
//	go run ./examples/robot-echo -addr :8080 -path /robot/a-path-nobody-guesses
//
// Ctrl-C takes no more events and finishes those that were accepted.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/weboffice-go/weboffice/examples/internal/serve"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Getenv, os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "robot-echo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, getenv func(string) string, out io.Writer) error {
	flags := flag.NewFlagSet("robot-echo", flag.ContinueOnError)
	addr := flags.String("addr", ":8080", "`address` to listen on")
	path := flags.String("path", "/robot", "`path` of the callback; a secret one keeps strangers out")
	demo := flags.Bool("demo", false, "play both sides in this process")
	if err := flags.Parse(args); err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(out, nil))
	if *demo {
		return runDemo(ctx, logger, out)
	}
	cfg, key, err := fromEnvironment(getenv)
	if err != nil {
		return err
	}
	cfg.Logger = logger
	e, err := newEcho(cfg, key, logger)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", *addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "listening on %s, callback path %s\n", listener.Addr(), *path)
	return answer(ctx, listener, *path, e)
}

// fromEnvironment reads the robot's address, and its key out of it.
func fromEnvironment(getenv func(string) string) (webhook.Config, signing.Secret, error) {
	address := getenv("WEBOFFICE_ROBOT_URL")
	u, err := url.Parse(address)
	if address == "" || err != nil || u.Query().Get("key") == "" {
		return webhook.Config{}, signing.Secret{}, errors.New("set WEBOFFICE_ROBOT_URL to the webhook address of the robot, ?key= included, or try -demo")
	}
	return webhook.Config{
		URL:           signing.NewSecret(address),
		SigningSecret: signing.NewSecret(getenv("WEBOFFICE_ROBOT_SECRET")),
	}, signing.NewSecret(u.Query().Get("key")), nil
}

// answer takes callbacks until ctx ends, and then finishes what was accepted.
func answer(ctx context.Context, listener net.Listener, path string, e *echo) error {
	mux := http.NewServeMux()
	mux.Handle(path, e.receiver)
	err := serve.Until(ctx, listener, mux)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	return errors.Join(err, e.receiver.Shutdown(ctx))
}
