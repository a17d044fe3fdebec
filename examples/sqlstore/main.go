// Sqlstore lets the online viewer open and edit documents that a SQL database describes
// and a bucket holds: SQLite, and Amazon S3 or a storage that speaks its protocol. The
// service reads and writes the bytes at the storage, by presigned URLs. Documents come in
// by -add:
//
//	export AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=…
//	go run ./examples/sqlstore -bucket docs -region eu-central-1 -user ann -add plan.docx
//	go run ./examples/sqlstore -bucket docs -region eu-central-1 -user bob -share ID
//
// Then serve the callbacks, and let a front end give the token that -session prints to the
// viewer:
//
//	export WEBOFFICE_APP_ID=… WEBOFFICE_APP_KEY=…
//	go run ./examples/sqlstore -bucket docs -region eu-central-1 -addr :8080
//	go run ./examples/sqlstore -user ann -session 8h
//
// The store is meant to be taken: schema.sql, store.go and save.go know no S3, and
// bucket.go no SQL. For PostgreSQL write $1 for ?, ANY for json_each and GREATEST for the MAX
// of two values, and try the INSERT of a version again after a violation of its primary key.
package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/weboffice-go/weboffice/examples/internal/cli"
	"github.com/weboffice-go/weboffice/examples/internal/serve"
	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/signing"
)

// sweepEvery is how often what is left of saves is looked for.
const sweepEvery = time.Hour

func main() {
	cli.Main(func(ctx context.Context) int {
		return cli.Code(os.Stderr, "sqlstore", run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
	})
}

// run prints on out, and logs on errOut.
func run(ctx context.Context, args []string, getenv func(string) string, out, errOut io.Writer) error {
	flags := cli.Flags(out, "sqlstore [flags]",
		"WEBOFFICE_APP_ID         id of the app",
		"WEBOFFICE_APP_KEY        key of the app, which signs the callbacks",
		"WEBOFFICE_PUBLIC_PREFIX  what a proxy in front removes from the path, such as /office",
		"AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and what else the programs of AWS read")
	database := flags.String("db", "documents.db", "`file` of the database, which is made if it is missing")
	name := flags.String("bucket", "", "`name` of the bucket")
	endpoint := flags.String("endpoint", "", "`URL` of a storage other than Amazon S3, as the service reaches it")
	region := flags.String("region", "", "`region` of the bucket; else AWS_REGION")
	addr := flags.String("addr", "127.0.0.1:8080", "`address` to listen on")
	scheme := flags.String("scheme", cmp.Or(getenv("WEBOFFICE_SCHEME"), signing.SchemeSVC2), "first `word` of Authorization, such as WPS-2 [WEBOFFICE_SCHEME]")
	user := flags.String("user", "", "`id` of the user of -add, -share and -session, who is made if missing")
	add := flags.String("add", "", "add the document of a `file`, print its id, and end")
	share := flags.String("share", "", "let the user read the document of an `id`, and end")
	session := flags.Duration("session", 0, "print a token of the user that is valid for this `time`, and end")
	if err := cli.ParseAll(flags, args); err != nil {
		return err
	}
	if (*add != "" || *share != "" || *session > 0) && *user == "" {
		return cli.Usagef("-add, -share and -session need a -user")
	}
	if *name == "" && *share == "" && *session == 0 {
		return cli.Usagef("-bucket is missing")
	}
	db, err := openDatabase(ctx, *database)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	b, err := newBucket(ctx, *name, *endpoint, *region)
	if err != nil {
		return err
	}
	s := &store{db, b}
	switch {
	case *add != "":
		return s.add(ctx, *user, *add, out)
	case *share != "":
		return s.share(ctx, *user, *share)
	case *session > 0:
		return s.newSession(ctx, *user, *session, out)
	}
	logger := slog.New(slog.NewTextHandler(errOut, nil))
	handler, err := s.handler(signing.AppWithScheme(*scheme, getenv("WEBOFFICE_APP_ID"), signing.NewSecret(getenv("WEBOFFICE_APP_KEY"))), getenv("WEBOFFICE_PUBLIC_PREFIX"), logger)
	if err != nil {
		return cli.Usagef("WEBOFFICE_APP_ID and WEBOFFICE_APP_KEY: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", *addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Listening on http://%s%s\n", listener.Addr(), preview.PathPrefix)
	go s.sweepAlways(ctx, sweepEvery, logger)
	return serve.Until(ctx, listener, handler)
}
