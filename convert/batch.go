package convert

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
)

// DefaultConcurrency is how many documents of a [Batch] are under way at once. A
// slow one is queried every ten seconds (Config.Backoff), so even that many leave
// more than half of [DefaultCallsPerSecond] to submits.
const DefaultConcurrency = 4 * DefaultCallsPerSecond

// BatchOptions change what [Batch] does. K is the type of the caller's keys. The
// zero value is ready. Its functions run one at a time, in the goroutine of the
// loop, between two outcomes: a loop body that takes long holds them up.
type BatchOptions[K any] struct {
	// Documents under way at once. If not positive, DefaultConcurrency. With
	// another Limiter or Backoff, keep it below five times the calls per second.
	Concurrency int

	// Folder that the files are saved into, as by Client.Save. If empty, they are
	// not downloaded, and Outcome.Result says where they are.
	Dir string

	// Name below Dir for file i of n of a document; i counts from 0. The same name
	// for two documents of a batch is an error of the later one. If nil, as
	// SaveOptions.Name.
	Name func(key K, i, n int, f File) string

	// Called when a document has been submitted, which a Task was before: the
	// moment to store t, so that a restart can go on with it. An error ends that
	// document.
	Submitted func(key K, t Task) error

	// Called for every Status of a document while waiting for it.
	Progress func(key K, s *Status)
}

// Outcome is how one document of a [Batch] ended. Printed, it lacks the queries
// of addresses.
type Outcome struct {
	_      [0]func()
	Task   Task     // Zero where it was not submitted. After an error, it can go into another Batch.
	Result *Result  // What the conversion made; nil where the task did not end well. A slow loop may find its addresses expired.
	Paths  []string // Files in BatchOptions.Dir, in the order of Result.Files.
	Err    error    // As from SubmitText, SubmitPDF, Wait and Save. nil: all went well.
}

// Format prints o without the queries of addresses, whatever the verb.
func (o Outcome) Format(s fmt.State, _ rune) {
	_, _ = fmt.Fprintf(s, "{%q", o.Task.ID)
	if o.Task.Target != "" {
		_, _ = fmt.Fprintf(s, " %s", o.Task.Target)
	}
	if o.Result != nil {
		_, _ = fmt.Fprintf(s, " %v", *o.Result)
	}
	if o.Paths != nil {
		_, _ = fmt.Fprintf(s, " paths:%q", o.Paths)
	}
	if o.Err != nil {
		_, _ = fmt.Fprintf(s, " error:%q", o.Err.Error())
	}
	_, _ = fmt.Fprint(s, "}")
}

// LogValue logs what Format prints.
func (o Outcome) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(o)) }

// Batch converts any number of documents, BatchOptions.Concurrency of them at a
// time and within the rate limit of c: it submits them, waits for them, and saves
// their files where BatchOptions.Dir is set. It yields each document under the
// caller's own key as soon as it ends, in no particular order. One that fails has
// an Err, and the others go on.
//
//	options := &convert.BatchOptions[string]{Dir: "out"}
//	for id, outcome := range convert.Batch(ctx, client, maps.All(requests), options) {
//		if outcome.Err != nil {
//			log.Printf("%s: %v", id, outcome.Err)
//			continue
//		}
//		log.Printf("%s: %v", id, outcome.Paths)
//	}
//
// Requests are read as places come free, so there may be more of them than memory
// holds. They are read in a goroutine of their own, so they may come from a queue
// that blocks; what the source shares with the loop's body and with the functions
// of BatchOptions needs a lock. For a target that has no request type, let the
// source submit with [Client.Do] and yield the Task. The loop's body sets the
// pace too: a document that ends while it is busy waits for it, and
// Config.MaxWait does not run on meanwhile.
//
// When ctx ends, the documents under way are yielded with its error, and no more
// are read; a ctx that had ended before yields nothing, so check ctx.Err() after
// the loop. Leaving the loop cancels what is under way. In both cases the loop
// returns only when nothing of the batch runs any more, its source included: a
// source that blocks must come back when ctx ends, and whoever breaks out of the
// loop has to end ctx first.
//
// A document that is cut off after it was submitted goes on at the service:
// BatchOptions.Submitted and Outcome.Task are there to find it again. Each range
// over the result is a new batch. A nil opts stands for the defaults.
//
// A query that fails Config.Attempts times ends its document, also where the
// service refused it for its rate ([ErrRateLimited]). The task itself goes on: an
// Outcome.Task that is not zero may go into another batch, unless Err is
// [ErrFailed].
func Batch[K any](ctx context.Context, c *Client, requests iter.Seq2[K, Request], opts *BatchOptions[K]) iter.Seq2[K, Outcome] {
	if opts == nil {
		opts = &BatchOptions[K]{}
	}
	o := *opts
	if o.Concurrency <= 0 {
		o.Concurrency = DefaultConcurrency
	}
	return func(yield func(K, Outcome) bool) {
		b := &batch[K]{
			c: c, opts: o,
			places: make(chan struct{}, o.Concurrency),
			events: make(chan func() bool),
			left:   make(chan struct{}),
		}
		b.openDir()
		defer b.closeDir()
		b.run(ctx, requests, yield)
	}
}
