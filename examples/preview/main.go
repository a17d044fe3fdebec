// Preview lets the online viewer open the documents of a folder. It shows
// preview.Handler over preview/dirstore, and each call as it comes.
//
// To try it without an account, open every document as the service would:
//
//	go run ./examples/preview -dir DIR -view
//
// To serve a real deployment, with the app's id and key in WEBOFFICE_APP_ID and
// WEBOFFICE_APP_KEY, and the address under which the service reaches you:
//
//	go run ./examples/preview -dir DIR -addr :8080 -public https://office.example.com/docs
//
// Where a proxy takes a path prefix away before it calls this program, say so with
// -proxy-strips /docs.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/examples/internal/cli"
	"github.com/weboffice-go/weboffice/preview"
)

func main() {
	cli.Main(func(ctx context.Context) int {
		return cli.Code(os.Stderr, "preview", run(ctx, os.Args[1:], os.Getenv, os.Stdout))
	})
}

func run(ctx context.Context, args []string, getenv func(string) string, out io.Writer) error {
	o, err := readOptions(args, getenv, out)
	if err != nil {
		return err
	}
	if o.state == "" { // only a look, which leaves nothing behind
		if o.state, err = os.MkdirTemp("", "weboffice-preview-"); err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(o.state) }()
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", o.addr)
	if err != nil {
		return err
	}
	local := "http://" + listener.Addr().String()
	onlyHere := o.public == ""
	if onlyHere {
		o.public = strings.Replace(local, "[::]", "localhost", 1) // on all addresses: one of them
	}
	o.public = strings.TrimSuffix(o.public, "/")
	site, err := newSite(o, out)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer func() { _ = site.store.Close() }()
	server := &http.Server{Handler: site, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	if o.view {
		return errors.Join(site.view(ctx, out), server.Close())
	}
	if err := site.list(out); err != nil {
		return errors.Join(err, server.Close())
	}
	fmt.Fprintf(out, "Gateway address for the console: %s\nThe service adds %s… to it. Listening on %s for %s.\n", o.public, preview.PathPrefix, local, o.callers())
	if onlyHere {
		fmt.Fprintln(out, "A service elsewhere does not reach that address: say with -public where it reaches this program.")
	}
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	fmt.Fprintln(out, "Ending, once the calls under way are answered.")
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), preview.DefaultTimeout)
	defer cancel()
	return server.Shutdown(ctx)
}
