package convert

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"time"

	"github.com/weboffice-go/weboffice/internal/httpx"
)

// DefaultConcurrency leaves more than half of [DefaultCallsPerSecond] to submits.
const DefaultConcurrency = 4 * DefaultCallsPerSecond

// BatchOptions change what [Batch] does. Their functions run one at a time, in the
// goroutine of the loop.
type BatchOptions[K any] struct {
	// Documents in progress at once. If not positive, DefaultConcurrency. With
	// another Limiter or Backoff, keep it below five times the calls per second.
	Concurrency int

	// Folder for the files, as in Client.Save. If empty, they are not downloaded.
	Dir string

	// As SaveOptions.Name. A name of another document, in upper or lower case, is an
	// error.
	Name func(key K, i, n int, f File) string

	// Called for every task that was submitted, also after the loop was left: store it.
	// An error ends the document.
	Submitted func(key K, t Task) error

	// Called for every Status of a document.
	Progress func(key K, s *Status)
}

// Outcome is how one document of a [Batch] ended.
type Outcome struct {
	_      [0]func()
	Task   Task     // Zero if it was not submitted.
	Result *Result  // nil if the task did not succeed.
	Paths  []string // Files in BatchOptions.Dir, in the order of Result.Files.
	Err    error    // As from SubmitText, SubmitPDF, Wait and Save. nil: success.
}

// Format hides secrets.
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

// LogValue hides secrets.
func (o Outcome) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(o)) }

// Batch submits documents, waits for them, and saves their files if BatchOptions.Dir is
// set. It yields each document as soon as it ends. If one fails, the others go on.
//
//	for key, outcome := range convert.Batch(ctx, client, maps.All(requests), nil) {
//		log.Println(key, outcome)
//	}
//
// Requests are read in another goroutine, as slots become free: they may come from a
// queue that blocks, and what their source shares with the loop needs a lock. For a
// target without a request type, submit with [Client.Do] and yield the [Task]. While a
// document waits for a busy loop, Config.MaxWait stops.
//
// When ctx ends, the documents in progress are yielded with its error; leaving the loop
// cancels them. In both cases a submit that was sent may take five more seconds, and the
// loop returns when nothing of the batch runs: a source that blocks has to end with ctx,
// which you cancel before you leave the loop.
//
// Unless its Err is [ErrFailed], an Outcome.Task that is not zero may go into another
// batch. If the service reports one task for two documents, the later one has an error.
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
			c: c, opts: o, slots: make(chan struct{}, o.Concurrency), events: make(chan func()), tasks: map[Task]bool{}, names: map[string]bool{},
		}
		if o.Dir != "" {
			if b.root, b.rootErr = os.OpenRoot(o.Dir); b.rootErr == nil {
				defer func() { _ = b.root.Close() }()
			}
		}
		b.run(ctx, requests, yield)
	}
}

// submitGrace is how long a submit may wait for its answer after its batch has ended.
const submitGrace = 5 * time.Second

// batch is one range over a Batch. Workers send the caller's functions and outcomes to
// the goroutine of the loop as events. The requests are read in another one.
type batch[K any] struct {
	c       *Client
	opts    BatchOptions[K]
	root    *os.Root // of opts.Dir; nil: none
	rootErr error
	slots   chan struct{} // has one for each document in progress
	events  chan func()
	running sync.WaitGroup
	cancel  context.CancelFunc

	// Used by the loop only.
	left  bool // the loop was left: only submits are still reported
	tasks map[Task]bool
	names map[string]bool // folded
}

// run is the loop. It returns when nothing of the batch runs any more.
func (b *batch[K]) run(ctx context.Context, requests iter.Seq2[K, Request], yield func(K, Outcome) bool) {
	ctx, b.cancel = context.WithCancel(ctx)
	defer b.cancel()
	read := sync.OnceFunc(func() { b.read(ctx, requests, yield) })
	b.running.Go(func() {
		defer func() {
			if recover() != nil {
				b.event(b.leave)
			}
		}()
		read()
	})
	go func() { b.running.Wait(); close(b.events) }()
	defer read() // does nothing, or panics here as the source of the requests did there
	b.serve()
}

// serve runs events until nothing sends them any more, also while one of them panics.
func (b *batch[K]) serve() {
	ended := false
	defer func() {
		if !ended {
			b.leave()
			b.serve()
		}
	}()
	for event := range b.events {
		event()
	}
	ended = true
}

// leave is an event: what is in progress ends.
func (b *batch[K]) leave() {
	b.left = true
	b.cancel()
}

// event runs f in the goroutine of the loop.
func (b *batch[K]) event(f func()) {
	done := make(chan struct{})
	b.events <- func() {
		defer close(done)
		f()
	}
	<-done
}

// inLoop is event, but does nothing if the loop was left.
func (b *batch[K]) inLoop(f func()) {
	b.event(func() {
		if !b.left {
			f()
		}
	})
}

// read starts a document for each request, as slots become free.
func (b *batch[K]) read(ctx context.Context, requests iter.Seq2[K, Request], yield func(K, Outcome) bool) {
	if !b.slot(ctx) {
		return
	}
	for key, req := range requests {
		b.running.Go(func() {
			outcome := b.convert(ctx, key, req)
			b.inLoop(func() {
				if !yield(key, outcome) {
					b.leave()
				}
			})
			<-b.slots
		})
		if !b.slot(ctx) {
			return
		}
	}
}

// slot takes a slot for a document, unless ctx has ended.
func (b *batch[K]) slot(ctx context.Context) bool {
	select {
	case b.slots <- struct{}{}:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// convert takes one document to its end.
func (b *batch[K]) convert(ctx context.Context, key K, req Request) (out Outcome) {
	out.Task, _ = req.(Task)
	if out.Err = wrap("batch", cmp.Or(b.rootErr, httpx.Ended(ctx))); out.Err != nil {
		return out
	}
	if out.Task, out.Err = b.submit(ctx, key, req); out.Err != nil {
		return out
	}
	ctx, pause, cancel := b.c.limit(ctx)
	defer cancel()
	inLoop := func(f func()) { pause(func() { b.inLoop(f) }) }
	s := &saving{c: b.c, task: out.Task, root: b.root}
	if b.opts.Progress != nil {
		s.opts.Progress = func(status *Status) { inLoop(func() { b.opts.Progress(key, status) }) }
	}
	if b.opts.Name != nil {
		s.opts.Name = func(i, n int, f File) (name string) {
			inLoop(func() { name = b.opts.Name(key, i, n, f) })
			return name
		}
	}
	s.claim = func(name string) (free bool) {
		inLoop(func() {
			free = !b.names[name]
			b.names[name] = true
		})
		return free
	}
	if b.root == nil {
		out.Err = s.await(ctx)
	} else {
		out.Paths, out.Err = s.run(ctx)
		for i, name := range out.Paths {
			out.Paths[i] = filepath.Join(b.opts.Dir, name)
		}
		out.Err = wrap("save", ofTask(out.Err))
	}
	out.Result = s.result
	return out
}

// submit submits what was not submitted before.
func (b *batch[K]) submit(ctx context.Context, key K, req Request) (t Task, err error) {
	t, isTask := req.(Task)
	if !isTask {
		r, ok := req.(submitter)
		if v := reflect.ValueOf(req); !ok || v.Kind() == reflect.Pointer {
			return Task{}, wrap("batch", &FieldError{Field: "Request", Reason: fmt.Sprintf("must be a TextRequest, a PDFRequest or a Task, not %T", req)})
		}
		if t, err = b.c.submit(ctx, r.submission(), submitGrace); err != nil {
			return t, err
		}
	}
	b.event(func() {
		switch {
		case b.tasks[t]:
			err = fmt.Errorf("task %q is that of another document of this batch", t.ID)
			t = Task{}
			return
		case !isTask && b.opts.Submitted != nil:
			err = wrap("batch: submitted", b.opts.Submitted(key, t))
		}
		b.tasks[t] = true
	})
	return t, wrap("batch", err)
}
