package pagetest

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/weboffice-go/weboffice/examples/emulator/internal/desk"
	"github.com/weboffice-go/weboffice/examples/emulator/internal/page"
	"github.com/weboffice-go/weboffice/examples/internal/office"
)

// Emulator is a running emulator with its page.
type Emulator struct {
	URL string // Such as http://127.0.0.1:41234.

	engine *office.Engine
	desk   *desk.Desk
	server *http.Server
}

// Start plays the service at addr, such as 127.0.0.1:0 for a free port. What it converts
// is up to cfg.
func Start(ctx context.Context, addr string, cfg office.Config) (*Emulator, error) {
	shell, err := page.Handler()
	if err != nil {
		return nil, err
	}
	engine, err := office.New(cfg)
	if err != nil {
		return nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	e := &Emulator{URL: "http://" + listener.Addr().String(), engine: engine}
	e.desk, err = desk.New(desk.Config{URL: e.URL, Engine: engine, Page: shell}) //nolint:contextcheck // What it does ends with Close.
	if err != nil {
		return nil, errors.Join(err, listener.Close(), engine.Close())
	}
	e.server = &http.Server{Handler: e.desk.Handler(), ReadHeaderTimeout: time.Minute}
	go func() { _ = e.server.Serve(listener) }() // Ends with Close.
	return e, nil
}

// Close ends everything at once, as a crash would.
func (e *Emulator) Close() error {
	return errors.Join(e.server.Close(), e.desk.Close(), e.engine.Close())
}
