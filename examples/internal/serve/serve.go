// Package serve runs the servers of the examples.
package serve

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"
)

// Local is an address for [Start]: a free port that only this machine reaches.
const Local = "127.0.0.1:0"

// patience is how long stop of [Start] waits for requests in progress.
const patience = 10 * time.Second

// Start listens on addr and serves h until stop is called, which waits for requests in
// progress, some seconds at most. The URL has no path. A handler that needs to know the
// URL first can be added to an http.ServeMux afterwards.
func Start(ctx context.Context, addr string, h http.Handler) (url string, stop func() error, err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return "", nil, err
	}
	server := newServer(h)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	stop = sync.OnceValue(func() error { //nolint:contextcheck // What stops has a time of its own.
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		err := server.Shutdown(ctx)
		if err != nil {
			err = errors.Join(err, server.Close())
		}
		if end := <-served; !errors.Is(end, http.ErrServerClosed) {
			err = errors.Join(err, end)
		}
		return err
	})
	return "http://" + listener.Addr().String(), stop, nil
}

// grace is how long requests in progress may take once a program is told to end.
const grace = time.Minute

// Until answers requests with h until ctx ends, then lets those in progress finish. It
// returns why it could not.
func Until(ctx context.Context, listener net.Listener, h http.Handler) error {
	server := newServer(h)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	return server.Shutdown(ctx)
}

func newServer(h http.Handler) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
}
