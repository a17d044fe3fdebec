// Preview lets the online viewer open the documents of a folder, or of a bucket in S3
// storage. It shows preview.Handler with preview/dirstore and preview/previews3, and
// prints each callback.
//
// To try it without an account, open every document as the service would. With -edit,
// two users also save, rename and roll back a copy of the first document, which is
// removed at the end:
//
//	go run ./examples/preview -dir DIR -view
//	go run ./examples/preview -dir DIR -view -edit
//	go run ./examples/preview -s3 BUCKET -view -edit
//
// Credentials and region of a bucket come from where every program of AWS finds them,
// such as AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION. Other storages also
// need -s3-endpoint, which the service must reach too: it fetches and uploads the bytes
// there. With -dir, the documents of the folder that the bucket does not have are copied
// into it, under the ids and version numbers that they have in the folder:
//
//	go run ./examples/preview -s3 BUCKET -s3-endpoint https://storage.example.com -dir DIR -view
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
	if o.state == "" { // -view and -s3 leave nothing behind
		if o.state, err = os.MkdirTemp("", "weboffice-preview-"); err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(o.state) }()
	}
	if o.view && o.edit && o.s3.bucket == "" {
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
		w.WriteHeader(http.StatusServiceUnavailable) // links need to know the port first
	}))
	if err != nil {
		return err
	}
	onlyHere := o.public == ""
	if onlyHere {
		o.public = strings.Replace(local, "[::]", "localhost", 1) // on all addresses: one of them
	}
	o.public = strings.TrimSuffix(o.public, "/")
	s, err := newSite(ctx, o, out)
	if err != nil {
		return errors.Join(err, stop())
	}
	defer func() { _ = s.store.Close() }()
	site.Store(s)
	if err := s.show(ctx, out, local, onlyHere); err != nil || o.view {
		return errors.Join(err, stop())
	}
	<-ctx.Done()
	fmt.Fprintln(out, "Ending after the calls in progress are answered.")
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
	if err := s.list(ctx, out); err != nil {
		return err
	}
	fmt.Fprintf(out, "Gateway address for the console: %s\nThe service adds %s… to it. Listening on %s for %s.\n", s.public, preview.PathPrefix, local, s.callers())
	if onlyHere {
		fmt.Fprintln(out, "A service elsewhere does not reach that address: say with -public where it reaches this program.")
	}
	return nil
}
