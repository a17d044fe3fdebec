// Quickstart shows what the SDK does. It needs only this machine: it starts the fakes
// of the service, and uses the SDK with them. Run it from the root of the repository:
//
//	go run ./examples/quickstart
//
// Each step is in a file of its own, which the output names. The files that it writes are
// removed at the end, unless -out names a folder for them.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/weboffice-go/weboffice/examples/internal/cli"
)

// steps are what is shown, in this order.
func steps() []step {
	return []step{
		{"Convert a document to text", "convert.go", convertToText},
		{"Convert it to PDF", "convert.go", convertToPDF},
		{"Open it in the online viewer, and edit it", "preview.go", openInViewer},
		{"Talk to a group chat", "webhook.go", talkToGroup},
		{"Hand out an access token", "token.go", handOutToken},
	}
}

// step is one thing that the SDK does.
type step struct {
	title string
	file  string // Its source, in examples/quickstart.
	run   func(context.Context, *tour) error
}

// errSkipped is what a step returns that cannot run here, after it said why.
var errSkipped = errors.New("skipped")

func main() {
	cli.Main(func(ctx context.Context) int {
		return cli.Code(os.Stderr, "quickstart", run(ctx, os.Args[1:], os.Stdout))
	})
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	start := time.Now()
	flags := cli.Flags(out, "quickstart [flags]")
	dir := flags.String("out", "", "`folder` to write into, which stays (default: a temporary one, removed at the end)")
	if err := cli.ParseAll(flags, args); err != nil {
		return err
	}
	t, err := newTour(ctx, out, *dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	t.say("service", "%s, in this process: it verifies signatures and enforces the protocol", t.side.URL)
	t.say("converts", "%s", t.engine.Describe())
	t.say("folder", "%s%s", t.dir, map[bool]string{true: ", removed at the end; -out keeps it"}[t.temporary])
	for i, s := range steps() {
		fmt.Fprintf(out, "\n%d. %s (examples/quickstart/%s)\n\n", i+1, s.title, s.file)
		if err := s.run(ctx, t); err != nil && !errors.Is(err, errSkipped) {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	fmt.Fprintf(out, "\nDone in %.1f s.\n\n%s", time.Since(start).Seconds(), next)
	return nil
}

// next is what to try after the first run.
const next = `Next, the whole service with a page, and documents of your own:

   go run ./examples/emulator
   go run ./examples/convert -demo -to pdf -out converted *.docx
   go doc -all ./convert
`
