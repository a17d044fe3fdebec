// Kill ends a process that serves documents while they are edited, again and again and
// at random moments, and proves that no acknowledged save is lost.
//
// Eight editors save, rename and read through HTTP, as the service does, and note what
// was acknowledged. After the last kill each save must be there with its bytes, under a
// number of its own; the document must hold its newest version; and nothing may be left
// of uploads after a sweep.
//
//	go run ./campaigns/kill -kills 600
//
// With -clock the clock of every new process is set back or ahead by up to a day, and
// with -full DIR the documents are on a small file system, such as a tmpfs, which the
// program fills up now and then.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"time"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		if err := serve(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, "kill: serve:", err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	ok, err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "kill:", err)
		os.Exit(1)
	}
	if !ok {
		os.Exit(1)
	}
}

func run(ctx context.Context) (bool, error) {
	kills := flag.Int("kills", 600, "how often the server is killed")
	editors := flag.Int("editors", 8, "how many edit at the same time")
	documents := flag.Int("documents", 5, "how many documents they edit")
	clock := flag.Bool("clock", false, "set the clock back or ahead with every restart")
	full := flag.String("full", "", "put the documents into this `folder` of a small file system, and fill it up now and then")
	flag.Parse()
	if flag.NArg() > 0 {
		return false, fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	root, err := os.MkdirTemp(*full, "weboffice-kill-")
	if err != nil {
		return false, err
	}
	defer func() { _ = os.RemoveAll(root) }()
	s := &folder{root: root, clock: *clock}
	c := newCampaign(s, *documents) //nolint:contextcheck // New takes no context: it reads the state file once.
	for _, name := range c.names {
		if err := s.create(name); err != nil {
			return false, err
		}
	}
	start := time.Now()
	if err := c.play(ctx, *kills, *editors, *full != ""); err != nil {
		return false, err
	}
	if err := c.check(ctx); err != nil {
		return false, err
	}
	fmt.Printf("%d kills in %v\n", *kills, time.Since(start).Round(time.Second))
	return c.print(), nil
}

// pause is a moment at which the server may be killed.
func pause() time.Duration { return time.Duration(20+rand.IntN(300)) * time.Millisecond }
