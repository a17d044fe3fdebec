// Convert converts documents to text or PDF, one or thousands of them. It uses a
// deployment or, with -demo, only this machine:
//
//	go run ./examples/convert -demo -to txt -file examples/quickstart/document/handbook.docx
//
// It prints the paths of the files that it wrote to stdout, after the name of the document
// if there are several documents, and everything else to stderr. The exit code is 0 if all
// documents were converted, 1 if some were not, 2 for wrong arguments, and 130 after an
// interrupt. Partial files are removed.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/weboffice-go/weboffice/examples/internal/cli"
)

// exitInterrupted is what the command ends with where it was told to.
const exitInterrupted = 130

// environment is what the command has of the world.
type environment struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
}

func main() {
	// Where nobody reads the paths any more, such as behind "| head", writing them
	// fails, and the command can end in order.
	signal.Ignore(syscall.SIGPIPE)
	// A fatal error of the runtime would end with 2, as a wrong call does.
	debug.SetTraceback("crash")
	cli.Main(func(ctx context.Context) int {
		return run(ctx, os.Args[1:], environment{os.Stdin, os.Stdout, os.Stderr, os.Getenv})
	})
}

// run is the command. It returns what to end with.
func run(ctx context.Context, args []string, env environment) int {
	o, err := parseOptions(args, env)
	if err != nil {
		return cli.Code(env.stderr, "convert", err)
	}
	s, err := connect(ctx, o, env)
	if err != nil {
		return cli.Code(env.stderr, "convert", err)
	}
	summary, err := convertAll(ctx, s, o, env)
	if err := errors.Join(err, s.close()); err != nil {
		return cli.Code(env.stderr, "convert", err)
	}
	switch {
	case ctx.Err() != nil:
		fmt.Fprintf(env.stderr, "convert: interrupted, %d of %d documents converted\n", summary.Converted, len(o.documents))
		return exitInterrupted
	case summary.Failed > 0:
		fmt.Fprintf(env.stderr, "convert: %d of %d documents were not converted\n", summary.Failed, len(o.documents))
		return cli.ExitFailed
	}
	return cli.ExitOK
}
