// Package demo runs the conversion service in the process of an example: the fake of
// converttest, which does real work, on a port of this machine, and a host that serves
// documents to it.
package demo

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
	"github.com/weboffice-go/weboffice/examples/internal/filehost"
	"github.com/weboffice-go/weboffice/examples/internal/serve"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

// Side is the service and the host. It is safe for concurrent use.
type Side struct {
	URL string // Where it listens, such as "http://127.0.0.1:41234".

	Service *converttest.Server

	documents *filehost.Host
	stop      func() error
}

// Start listens on a free port that only this machine reaches. Tasks do the work of
// converter.
func Start(ctx context.Context, converter converttest.Converter) (*Side, error) {
	mux := http.NewServeMux()
	url, stop, err := serve.Start(ctx, serve.Local, mux)
	if err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	s := &Side{
		URL:       url,
		Service:   converttest.NewServer(&converttest.Options{Converter: converter, Sources: &http.Client{}}),
		documents: filehost.New(url),
		stop:      stop,
	}
	mux.Handle(converttest.PathPrefix, s.Service)
	mux.Handle(filehost.Prefix, s.documents)
	return s, nil
}

// Config connects to the side as the app that it knows, with a Backoff for documents
// that are converted quickly, and without a limit of calls: both ends are this process.
func (s *Side) Config() convert.Config {
	return convert.Config{
		BaseURL:     s.URL,
		Credentials: signingtest.Credentials(),
		Limiter:     unlimited{},
		Backoff:     convert.Backoff{Min: 150 * time.Millisecond, Max: time.Second},
	}
}

// unlimited is a convert.Limiter that never waits.
type unlimited struct{}

// Wait implements [convert.Limiter].
func (unlimited) Wait(ctx context.Context) error { return ctx.Err() }

// Serve makes the file available to the service, and returns its URL.
func (s *Side) Serve(file, filename string) string { return s.documents.Publish(file, filename) }

// Close stops the side and waits for its work.
func (s *Side) Close() error {
	s.Service.Close()
	return s.stop()
}
