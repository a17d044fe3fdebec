package convert

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
)

// DefaultConcurrency is how many documents of a [Batch] are in progress at once. A slow
// one is queried every ten seconds (Config.Backoff), so even that many leave more than
// half of [DefaultCallsPerSecond] to submits.
const DefaultConcurrency = 4 * DefaultCallsPerSecond

// BatchOptions change what [Batch] does. K is the type of the caller's keys. The zero
// value is ready. Its functions run one at a time, in the goroutine of the loop, between
// two outcomes: a loop body that takes long holds them up.
type BatchOptions[K any] struct {
	// Documents in progress at once. If not positive, DefaultConcurrency. With
	// another Limiter or Backoff, keep it below five times the calls per second.
	Concurrency int

	// Folder into which the files are saved, as by Client.Save. If empty, they are not
	// downloaded, and Outcome.Result has their URLs.
	Dir string

	// Returns the name below Dir for file i of n of a document; i counts from 0. If two
	// documents of a batch have a name in common, in upper or lower case, it is an error
	// of the later one. If nil, as SaveOptions.Name.
	Name func(key K, i, n int, f File) string

	// Called when a document has been submitted, unless its Request was a Task: the
	// moment to store t, so that it can be continued after a restart. It is called for
	// every task that the service reports, also after the loop was left. An error ends
	// that document.
	Submitted func(key K, t Task) error

	// Called for every Status of a document while waiting for it.
	Progress func(key K, s *Status)
}

// Outcome is how one document of a [Batch] ended. Printed, it shows no queries of URLs.
type Outcome struct {
	_      [0]func()
	Task   Task     // Zero if it was not submitted. After an error, it can go into another Batch.
	Result *Result  // What the conversion made; nil if the task did not succeed. In a slow loop its URLs may have expired.
	Paths  []string // Files in BatchOptions.Dir, in the order of Result.Files.
	Err    error    // As from SubmitText, SubmitPDF, Wait and Save. nil: success.
}

// Format prints o without the queries of URLs, for every verb.
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

// LogValue returns what Format prints.
func (o Outcome) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(o)) }

// Batch converts any number of documents, BatchOptions.Concurrency of them at a time and
// within the rate limit of c: it submits them, waits for them, and saves their files if
// BatchOptions.Dir is set. It yields each document under the caller's own key as soon as
// it ends, in no particular order. If one fails, its Outcome has an Err, and the others
// go on.
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
// Requests are read as slots become free, so there may be more of them than memory can
// hold. They are read in a goroutine of their own, so they may come from a queue that
// blocks; what the source shares with the loop's body and with the functions of
// BatchOptions needs a lock. For a target without a request type, let the source submit
// with [Client.Do] and yield the Task. A document that ends while the loop's body is busy
// waits for it, and Config.MaxWait stops meanwhile.
//
// When ctx ends, the documents in progress are yielded with its error, and no more are
// read; a ctx that had ended before yields nothing, so check ctx.Err() after the loop.
// Leaving the loop cancels what is in progress. In both cases a submit that is on the
// wire may take five seconds more to learn its task, and the loop returns only when
// nothing of the batch runs any more, its source included: a source that blocks must
// return when ctx ends, and to break out of the loop, cancel ctx first.
//
// A document that is cut off after it was submitted goes on at the service: store what
// BatchOptions.Submitted reports, or Outcome.Task. Each range over the result is a new
// batch. If opts is nil, all options have their defaults.
//
// A query that fails Config.Attempts times ends its document, also if it was rejected by
// the rate limit ([ErrRateLimited]). The task itself goes on: an Outcome.Task that is not
// zero may go into another batch, unless Err is [ErrFailed]. If the service reports one
// task for two documents, the later one has an error: its answer belongs to another call.
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
			slots:     make(chan struct{}, o.Concurrency),
			events:    make(chan func() bool),
			submitted: make(chan func()),
			left:      make(chan struct{}),
			tasks:     map[Task]bool{},
			names:     map[string]bool{},
		}
		b.openDir()
		defer b.closeDir()
		b.run(ctx, requests, yield)
	}
}
