// Command callback-doctor calls a running integration as the service calls it, and
// says of each rule of the protocol whether it holds, and what to change where it
// does not. It only reads, unless -save is given.
//
//	WEBOFFICE_APP_ID=SX2024 WEBOFFICE_APP_KEY=… WEBOFFICE_TOKEN=… \
//	go run ./examples/callback-doctor -base https://office.example.com/gateway -file plan -file budget
//
// -base is the gateway address as it is entered in the console, and each -file the
// id of an existing document that the user of the token may open. A system that does
// not verify signatures is checked with -unsigned. -json prints the report for
// programs.
//
// What is wrong comes first in the report, with what to change. The exit code is 0 if
// nothing was found, 1 if something was, and 2 if the arguments make no sense or
// nothing answers at the address.
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
	opts, err := parse(args, getenv, stderr)
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
