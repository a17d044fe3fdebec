// Wire sends thousands of conversions and messages over a connection that spoils one
// call in five, and counts what became of each:
//
//	go run ./campaigns/wire -conversions 10000 -messages 10000
//
// It plays the service itself and needs no network. A count that must be zero and is
// not ends it with 1.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"time"
)

// timeout is how long the client waits for one call, and late is what the wire takes
// for an answer that comes too late.
const (
	timeout = time.Second
	late    = 3 * timeout / 2
)

func main() { os.Exit(run()) }

func run() int {
	conversions := flag.Int("conversions", 10_000, "documents to convert")
	messages := flag.Int("messages", 10_000, "messages to send")
	every := flag.Int("every", 5, "spoil one call in this many; 0 spoils none")
	seed := flag.Uint64("seed", 1, "of the random choice of faults")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	bad := 0
	for _, run := range []struct {
		name string
		do   func(context.Context, *wire, int) (*tally, error)
		n    int
	}{{"conversions", convertAll, *conversions}, {"messages", sendAll, *messages}} {
		if run.n == 0 {
			continue
		}
		goroutines, start := runtime.NumGoroutine(), time.Now()
		w := &wire{every: *every, seed: *seed}
		counts, err := run.do(ctx, w, run.n)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
		took := time.Since(start)
		counts.zero("goroutines left", leftGoroutines(goroutines))
		fmt.Printf("%d %s in %.1f s, %d calls, %d of them spoiled\n", run.n, run.name, took.Seconds(), w.calls.Load(), w.spoiled.Load())
		counts.print()
		bad += counts.bad
	}
	if bad > 0 {
		fmt.Fprintf(os.Stderr, "%d counts that must be zero are not\n", bad)
		return 1
	}
	return 0
}

// leftGoroutines waits for what ends by itself, such as idle connections that close.
func leftGoroutines(before int) int {
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return 0
		}
		time.Sleep(20 * time.Millisecond)
	}
	return runtime.NumGoroutine() - before
}

// tally is the counts of one run, in the order in which they are printed.
type tally struct {
	lines []string
	bad   int
}

func (t *tally) count(name string, n int) {
	t.lines = append(t.lines, fmt.Sprintf("  %-58s %8d", name, n))
}

// zero counts what must not happen.
func (t *tally) zero(name string, n int) {
	mark := ""
	if n != 0 {
		mark, t.bad = "   must be 0", t.bad+1
	}
	t.lines = append(t.lines, fmt.Sprintf("  %-58s %8d%s", name, n, mark))
}

func (t *tally) print() {
	for _, line := range t.lines {
		fmt.Println(line)
	}
}
