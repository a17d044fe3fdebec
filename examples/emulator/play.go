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
	"runtime/debug"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/examples/emulator/internal/desk"
	"github.com/weboffice-go/weboffice/examples/emulator/internal/page"
	"github.com/weboffice-go/weboffice/examples/internal/office"
	"github.com/weboffice-go/weboffice/examples/internal/serve"
)

// play serves until ctx ends.
func play(ctx context.Context, o options, logger *slog.Logger, out io.Writer) (err error) {
	cfg, err := configure(o, logger)
	if err != nil {
		return err
	}
	if cfg.Engine, err = office.New(office.Config{Plain: o.plain}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cfg.Engine.Close()) }()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", o.addr)
	if err != nil {
		return fmt.Errorf("%w: choose another with -addr", err)
	}
	cfg.URL = o.public
	if cfg.URL == "" {
		cfg.URL = "http://" + strings.NewReplacer("[::]", "localhost", "0.0.0.0", "localhost").Replace(listener.Addr().String())
	}
	d, err := desk.New(cfg) //nolint:contextcheck // What it does ends with Close.
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	// Streams end first: they would keep the server from ending.
	stop := context.AfterFunc(ctx, func() { _ = d.Close() })
	defer stop()
	greet(out, cfg.URL, d.Curl(), cfg.Engine.Describe())
	err = serve.Until(ctx, listener, d.Handler())
	return errors.Join(err, d.Close())
}

// configure reads the files that the options name.
func configure(o options, logger *slog.Logger) (cfg desk.Config, err error) {
	cfg = desk.Config{Scheme: o.scheme, Hosts: o.hosts, Logger: logger, Version: version()}
	if cfg.Page, err = page.Handler(); err != nil {
		return cfg, err
	}
	if o.seed != "" {
		text, err := os.ReadFile(o.seed)
		if err != nil {
			return cfg, err
		}
		if cfg.Seed, err = desk.ReadSeed(text); err != nil {
			return cfg, fmt.Errorf("%s: %w", o.seed, err)
		}
	}
	if o.data != "" {
		cfg.Store, err = desk.OpenStore(o.data)
	}
	return cfg, err
}

// greet says where to look, and what to try first.
func greet(out io.Writer, url, curl, engine string) {
	fmt.Fprintf(out, "The emulator is running: %s\n\n", url)
	fmt.Fprintf(out, "Send a message to the group:\n\n  %s\n\n", curl)
	fmt.Fprintf(out, "Let the other examples find it:\n\n  eval \"$(go run ./examples/emulator env)\"\n\n")
	fmt.Fprintf(out, "Documents: %s\nCtrl-C ends it.\n", engine)
}

// version is that of the module, if it was installed.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// ask gets the lines for a shell from a running emulator.
func ask(ctx context.Context, client *http.Client, url string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+desk.Prefix+"/env", http.NoBody)
	if err != nil {
		return "", err
	}
	resp, err := client.Do(req)
	if err != nil {
		return "", fmt.Errorf("no emulator answers at %s: start it with go run ./examples/emulator", url)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	switch {
	case err != nil:
		return "", err
	case resp.StatusCode != http.StatusOK:
		return "", fmt.Errorf("%s answered %s: it is not an emulator", url, resp.Status)
	}
	return string(text), nil
}
