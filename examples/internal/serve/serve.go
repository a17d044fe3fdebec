// Package serve runs the servers of the examples.
package serve

import (
	"context"
	"net"
	"net/http"
	"time"
)

// grace is how long requests under way may take once a program is told to end.
const grace = time.Minute

// Until answers requests with h until ctx ends, lets those under way end too, and
// returns why it could not.
func Until(ctx context.Context, listener net.Listener, h http.Handler) error {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
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
