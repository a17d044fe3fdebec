// Token answers the access token callback of the presentation plugin for several apps.
// It shows token.Handler with a token.Cache and token.ClientCredentials. A user service
// of yours decides who may open a document.
//
// To try it without an account, with fakes of the plugin, the token endpoint and the user
// service in this process:
//
//	go run ./examples/token -demo
//
// To serve a real deployment, list the apps in a file like apps.json in this folder, and
// put their secrets into the environment variables that it names:
//
//	go run ./examples/token -config apps.json -addr :8081
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"

	"github.com/weboffice-go/weboffice/examples/internal/cli"
	"github.com/weboffice-go/weboffice/examples/internal/serve"
	"github.com/weboffice-go/weboffice/token"
)

func main() {
	cli.Main(func(ctx context.Context) int {
		return cli.Code(os.Stderr, "token", run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
	})
}

func run(ctx context.Context, args []string, getenv func(string) string, out, log io.Writer) error {
	flags := cli.Flags(out, "token [flags]", "The secrets of the apps are in the environment variables that key_env and secret_env of the file name.")
	demo := flags.Bool("demo", false, "play the plugin, the token endpoint and the user service in this process, and end")
	config := flags.String("config", "", "the `file` with the apps (default: apps.json, if there is one)")
	addr := flags.String("addr", ":8081", "the `address` to listen on")
	if err := errors.Join(cli.FromEnvironment(flags, "WEBOFFICE_", getenv), cli.ParseAll(flags, args)); err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(log, nil))
	if *demo {
		return show(ctx, out, logger)
	}
	cfg, err := findConfig(*config, getenv)
	if err != nil {
		return err
	}
	handler, err := cfg.handler(logger)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", *addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Listening on %s%s for the apps %v.\n", listener.Addr(), token.Path, cfg.apps())
	mux := http.NewServeMux()
	mux.Handle(token.Path, handler)
	err = serve.Until(ctx, listener, mux)
	fmt.Fprintln(out, "Stopped; every callback was answered.")
	return err
}

// findConfig reads the file that -config names, or apps.json in the current folder.
func findConfig(file string, getenv func(string) string) (*config, error) {
	cfg, err := readConfig(cmp.Or(file, "apps.json"), getenv)
	if file == "" && errors.Is(err, fs.ErrNotExist) {
		return nil, cli.Usagef("give -demo to try it, or -config with the file of your apps")
	}
	return cfg, err
}
