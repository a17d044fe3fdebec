// Command callback-doctor calls a running integration as the service calls it, and
// says of each rule of the protocol whether it holds, and what to change where it
// does not. It only reads.
//
//	WEBOFFICE_APP_ID=SX2024 WEBOFFICE_APP_KEY=… WEBOFFICE_TOKEN=… \
//	go run ./examples/callback-doctor -base https://office.example.com/gateway -file plan -file budget
//
// -base is the gateway address as it is entered in the console, and each -file the
// id of a document that there is and that the user of the token may open. A system
// that does not verify signatures is checked with -unsigned. -json prints the report
// for programs.
//
// The exit code is 0 if nothing was found, 1 if something was, and 2 if the
// arguments make no sense or nothing answers at the address.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
)

// Exit codes.
const (
	exitRight = iota
	exitFindings
	exitUsage
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr, &http.Client{})
	stop()
	os.Exit(code)
}

// run is main with everything that it touches.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer, client *http.Client) int {
	opts, err := parse(args, getenv, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitRight
	case err != nil:
		fmt.Fprintf(stderr, "callback-doctor: %v\n", err)
		return exitUsage
	}
	ctx, cancel := context.WithTimeout(ctx, opts.timeout)
	defer cancel()
	report, err := examine(ctx, opts, client)
	if err != nil {
		fmt.Fprintf(stderr, "callback-doctor: %v\n", err)
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
