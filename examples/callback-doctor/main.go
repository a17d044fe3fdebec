// Command callback-doctor calls a running integration as the service does. For each
// rule of the protocol it reports whether the integration obeys it, and if not, what to
// change. It only reads, unless -save is given.
//
//	WEBOFFICE_APP_ID=SX2024 WEBOFFICE_APP_KEY=… WEBOFFICE_TOKEN=… \
//	go run ./examples/callback-doctor -base https://office.example.com/gateway -file plan -file budget
//
// -base is the gateway URL as it is entered in the console. Each -file is the id of an
// existing document that the user of the token may open. Use -unsigned for a system that
// does not verify signatures. -json prints the report for programs.
//
// The report starts with the problems. The exit code is 0 if there are none, 1 if there
// are some, and 2 if the arguments are wrong or nothing answers at the URL.
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/weboffice-go/weboffice/examples/internal/cli"
)

// Exit codes.
const (
	exitRight = iota
	exitFindings
	exitUsage
)

func main() {
	cli.Main(func(ctx context.Context) int {
		return run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr, &http.Client{})
	})
}

// run is main with everything that it touches.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer, client *http.Client) int {
	opts, err := parse(args, getenv, stdout)
	if err != nil {
		return cli.Code(stderr, "callback-doctor", err)
	}
	ctx, cancel := context.WithTimeout(ctx, opts.timeout)
	defer cancel()
	report, err := examine(ctx, opts, client)
	if err != nil {
		fmt.Fprintf(stderr, "callback-doctor: %s cannot be examined: %v\n", opts.base, err)
		return exitUsage
	}
	write := report.text
	if opts.json {
		write = report.json
	}
	if err := write(stdout); err != nil {
		fmt.Fprintf(stderr, "callback-doctor: %v\n", err)
		return exitUsage
	}
	if report.broken() > 0 {
		return exitFindings
	}
	return exitRight
}
