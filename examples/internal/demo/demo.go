// Package demo runs the other side of the wire in the process of an example: the
// conversion service as converttest plays it, with real work behind it, on a real
// port of this machine, and a host that serves documents to it.
package demo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
	"github.com/weboffice-go/weboffice/examples/internal/filehost"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

// Side is the other side. It is safe for concurrent use.
type Side struct {
	URL string // Where it listens, such as "http://127.0.0.1:41234".

	Service *converttest.Server

	documents *filehost.Host
	http      *http.Server
	done      chan error
}

// Start listens on a free port of the loopback interface, where only programs of
// this machine reach it. Tasks do the work of converter.
func Start(ctx context.Context, converter converttest.Converter) (*Side, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	address := "http://" + listener.Addr().String()
	s := &Side{
		URL:       address,
		Service:   converttest.NewServer(&converttest.Options{Converter: converter, CallsPerSecond: convert.DefaultCallsPerSecond, Sources: &http.Client{}}),
		done:      make(chan error, 1),
		documents: filehost.New(address),
	}
	mux := http.NewServeMux()
	mux.Handle(converttest.PathPrefix, s.Service)
	mux.Handle(filehost.Prefix, s.documents)
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { s.done <- s.http.Serve(listener) }()
	return s, nil
}

// Config reaches the side as the app that it knows, at a pace for documents that
// take moments.
func (s *Side) Config() convert.Config {
	return convert.Config{
		BaseURL:     s.URL,
		Credentials: signingtest.Credentials(),
		Backoff:     convert.Backoff{Min: 150 * time.Millisecond, Max: time.Second},
	}
}

// Serve makes the file available to the service, and gives its address.
func (s *Side) Serve(file, filename string) string { return s.documents.Publish(file, filename) }

// Close stops the side and waits for its work.
func (s *Side) Close() error {
	s.Service.Close()
	err := s.http.Close()
	if serving := <-s.done; !errors.Is(serving, http.ErrServerClosed) {
		err = errors.Join(err, serving)
	}
	return err
}
