// Preview lets the online viewer open the documents of a folder. It shows
// preview.Handler with preview/dirstore, and prints each callback.
//
// To try it without an account, open every document as the service would. With -edit,
// two users also save, rename and roll back a copy of the first document:
//
//	go run ./examples/preview -dir DIR -view
//	go run ./examples/preview -dir DIR -view -edit
//
// To serve a real deployment, put the app's id and key into WEBOFFICE_APP_ID and
// WEBOFFICE_APP_KEY, and give the URL under which the service reaches you:
//
//	go run ./examples/preview -dir DIR -edit -addr :8080 -public https://office.example.com/docs
//
// If a proxy removes a path prefix before it calls this program, add
// -proxy-strips /docs.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"

	"github.com/weboffice-go/weboffice/examples/internal/cli"
	"github.com/weboffice-go/weboffice/examples/internal/serve"
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
	if o.view && o.edit {
		if o.dir, err = copyOfFirst(o.dir, o.state); err != nil {
			return err
		}
	}
	var site atomic.Pointer[site]
	local, stop, err := serve.Start(ctx, o.addr, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s := site.Load(); s != nil {
			s.handler.ServeHTTP(w, r)
			return
		}
		w.WriteHeader(http.StatusServiceUnavailable) // for a moment: links need to know the port
	}))
	if err != nil {
		return err
	}
	onlyHere := o.public == ""
	if onlyHere {
		o.public = strings.Replace(local, "[::]", "localhost", 1) // on all addresses: one of them
	}
	o.public = strings.TrimSuffix(o.public, "/")
	s, err := newSite(o, out) //nolint:contextcheck // New takes no context: it reads the state file once.
	if err != nil {
		return errors.Join(err, stop())
	}
	defer func() { _ = s.store.Close() }()
	site.Store(s)
	if err := s.show(ctx, out, local, onlyHere); err != nil || o.view {
		return errors.Join(err, stop())
	}
	<-ctx.Done()
	fmt.Fprintln(out, "Ending, once the calls under way are answered.")
	return stop()
}

// show plays the service, or says how the service gets here.
func (s *site) show(ctx context.Context, out io.Writer, local string, onlyHere bool) error {
	if s.options.view {
		if err := s.view(ctx, out); err != nil || !s.edit {
			return err
		}
		return s.session(ctx, out)
	}
	if err := s.list(out); err != nil {
		return err
	}
	fmt.Fprintf(out, "Gateway address for the console: %s\nThe service adds %s… to it. Listening on %s for %s.\n", s.public, preview.PathPrefix, local, s.callers())
	if onlyHere {
		fmt.Fprintln(out, "A service elsewhere does not reach that address: say with -public where it reaches this program.")
	}
	return nil
}
