// Quickstart shows what the SDK does, on this machine alone: it starts the other
// side of the wire, and meets it with the SDK. Run it from the root of the
// repository:
//
//	go run ./examples/quickstart
//
// Each step is in a file of its own, to be read beside what it prints.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/weboffice-go/weboffice/examples/internal/cli"
	"github.com/weboffice-go/weboffice/examples/internal/demo"
	"github.com/weboffice-go/weboffice/examples/internal/office"
)

// steps are what is shown, in this order.
func steps() []step {
	return []step{
		{"Convert a document to text", convertToText},
		{"Convert it to PDF", convertToPDF},
		{"Open it in the online viewer", openInViewer},
		{"Talk to a group chat", talkToGroup},
		{"Hand out an access token", handOutToken},
	}
}

// step is one thing that the SDK does.
type step struct {
	title string
	run   func(context.Context, *tour) error
}

// errSkipped is what a step returns that cannot run here, after it said why.
var errSkipped = errors.New("skipped")

func main() {
	cli.Main(func(ctx context.Context) int {
		return cli.Code(os.Stderr, "quickstart", run(ctx, os.Args[1:], os.Stdout, os.Stderr))
	})
}

func run(ctx context.Context, args []string, out, errOut io.Writer) (err error) {
	start := time.Now()
	flags := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	flags.SetOutput(errOut)
	dir := flags.String("out", "", "`folder` to write into, which stays (default: a new one for temporary files)")
	if err := cli.ParseAll(flags, args); err != nil {
		return err
	}
	t, err := newTour(ctx, out, *dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.side.Close()) }()
	t.say("service", "%s, in this process: it verifies signatures and enforces the protocol", t.side.URL)
	t.say("folder", "%s", t.dir)
	for i, s := range steps() {
		fmt.Fprintf(out, "\n%d. %s\n\n", i+1, s.title)
		if err := s.run(ctx, t); err != nil && !errors.Is(err, errSkipped) {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	fmt.Fprintf(out, "\nDone in %.1f s.\n", time.Since(start).Seconds())
	return nil
}

// tour is what the steps share.
type tour struct {
	out   io.Writer
	dir   string
	side  *demo.Side
	suite *office.Suite // nil where there is no LibreOffice
}

func newTour(ctx context.Context, out io.Writer, dir string) (*tour, error) {
	var err error
	if dir == "" {
		dir, err = os.MkdirTemp("", "weboffice-quickstart-")
	} else {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		return nil, err
	}
	suite, err := office.Find()
	if err != nil {
		suite = nil // the step that needs it says so
	}
	side, err := demo.Start(ctx, office.Converter(suite))
	if err != nil {
		return nil, err
	}
	return &tour{out: out, dir: dir, side: side, suite: suite}, nil
}

// say prints one line.
func (t *tour) say(what, format string, args ...any) {
	fmt.Fprintf(t.out, "   %-10s %s\n", what, fmt.Sprintf(format, args...))
}
