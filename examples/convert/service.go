package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/examples/internal/demo"
	"github.com/weboffice-go/weboffice/examples/internal/filehost"
	"github.com/weboffice-go/weboffice/examples/internal/office"
	"github.com/weboffice-go/weboffice/signing"
)

// service is who converts, and how it gets at files of this machine.
type service struct {
	client  *convert.Client
	publish func(file, name string) string // nil: not at all
	close   func() error
}

// connect finds the service that the options name.
func connect(ctx context.Context, o *options, env environment) (*service, error) {
	if o.demo {
		return connectDemo(ctx, o, env)
	}
	client, err := convert.New(convert.Config{
		BaseURL:     o.baseURL,
		Credentials: signing.AppWithScheme(o.scheme, o.appID, o.appKey),
		MaxWait:     o.maxWait,
	})
	if err != nil {
		return nil, err
	}
	s := &service{client: client, close: func() error { return nil }}
	if o.serve == "" {
		return s, nil
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", o.serve)
	if err != nil {
		return nil, fmt.Errorf("-serve: %w", err)
	}
	host := filehost.New(cmp.Or(o.publicURL, "http://"+listener.Addr().String()))
	server := &http.Server{Handler: host, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	s.publish = host.Publish
	s.close = func() error {
		err := server.Close()
		if served := <-done; !errors.Is(served, http.ErrServerClosed) {
			err = errors.Join(err, served)
		}
		return err
	}
	return s, nil
}

// connectDemo starts the other side in this process.
func connectDemo(ctx context.Context, o *options, env environment) (*service, error) {
	local := office.Config{Instances: min(o.concurrency, runtime.NumCPU()), Timeout: min(o.maxWait, office.DefaultTimeout)}
	if f, ok := env.stderr.(*os.File); ok && !o.quiet && !isTerminal(f) { // Bars would not stand it.
		local.Logger = slog.New(slog.NewTextHandler(f, nil))
	}
	engine, err := office.New(local)
	if err != nil {
		return nil, err
	}
	side, err := demo.Start(ctx, engine.Converter(o.maxWait))
	if err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	closeAll := func() error { return errors.Join(side.Close(), engine.Close()) }
	cfg := side.Config()
	cfg.MaxWait = o.maxWait
	client, err := convert.New(cfg)
	if err != nil {
		return nil, errors.Join(err, closeAll())
	}
	return &service{client: client, publish: side.Serve, close: closeAll}, nil
}
