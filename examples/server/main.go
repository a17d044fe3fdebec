// Server is the reference integration: one program with everything that a backend needs
// to work with the service, to copy from or to run as it is. Documents open in the viewer
// and can be edited, the presentation plugin gets its access tokens, a robot posts into a
// group chat and answers whoever mentions it, and conversions are jobs that outlive the
// process.
//
//	go run ./examples/server
//
// That needs nothing else: documents are in a temporary folder, jobs in a SQLite file,
// limits and tokens in memory, and the service is played by this process. The output says
// what to try. With -data the folder stays.
//
// The same program runs on a bucket, Redis and PostgreSQL, in any number of replicas
// behind a proxy. Every setting is a flag or an environment variable, which -h lists.
// docs/server.md explains the parts, the API, the metrics, and what is promised when a
// process dies; examples/server/deploy has a Dockerfile, a compose file and a systemd
// unit.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/redis/go-redis/v9"
	"go.opentelemetry.io/otel"

	"github.com/weboffice-go/weboffice/examples/internal/cli"
)

func main() {
	cli.Main(func(ctx context.Context) int {
		return cli.Code(os.Stderr, "server", run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
	})
}

// run prints on out what to try, and logs on log.
func run(ctx context.Context, args []string, getenv func(string) string, out, log io.Writer) (err error) {
	s, err := readSettings(args, getenv, out)
	if err != nil {
		return err
	}
	logger := newLogger(s, log)
	adopt(logger)
	l, err := listen(ctx, s)
	if err != nil {
		return err
	}
	defer l.close()
	a, err := open(ctx, s, logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	return a.serve(ctx, l, func() { a.introduce(out) })
}

// introduce says where everything is.
func (a *app) introduce(out io.Writer) {
	s := a.settings
	fmt.Fprintf(out, "Callbacks: %s, the gateway address for the console\nAPI, metrics, health: %s\n", s.public, s.internalURL)
	if a.local == nil {
		return
	}
	fmt.Fprintf(out, `Service: %s, played by this process; %s
Documents: %s

Try, in another terminal:

   token=$(cat %s)
   curl -H "Authorization: Bearer $token" -d '{"file_id":"%s","target":"txt"}' %[6]s/api/v1/conversions
   curl -H "Authorization: Bearer $token" %[6]s/api/v1/conversions/ID   # the id in that answer
   curl -H "Authorization: Bearer $token" -d '{"text":"Backup done."}' %[6]s/api/v1/messages
   curl -d 'hello' %[1]s/say      # somebody mentions the robot in the chat
   curl %[1]s/chat                # what the chat has by now
   curl %[6]s/metrics
`, a.local.url, a.local.engine.Describe(), filepath.Join(s.data, documentsFolder),
		filepath.Join(s.data, keysFolder, "api-token"), a.sample, s.internalURL)
}

// adopt takes what libraries log on their own into the log.
func adopt(logger *slog.Logger) {
	slog.SetLogLoggerLevel(slog.LevelWarn)
	slog.SetDefault(logger) // and that of package log, which net/http uses
	redis.SetLogger(redisLog{logger})
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { logger.Warn("spans", "error", err) }))
}

// redisLog is what go-redis logs.
type redisLog struct{ *slog.Logger }

// Printf implements what redis.SetLogger takes.
func (l redisLog) Printf(ctx context.Context, format string, args ...any) {
	l.WarnContext(ctx, "redis", "error", fmt.Sprintf(format, args...))
}

// newLogger logs in the form that the settings name, with the id of the request and the
// span in every record.
func newLogger(s *settings, out io.Writer) *slog.Logger {
	opts := &slog.HandlerOptions{Level: s.logLevel}
	if s.logFormat == "text" {
		return slog.New(&contextHandler{slog.NewTextHandler(out, opts)})
	}
	return slog.New(&contextHandler{slog.NewJSONHandler(out, opts)})
}
