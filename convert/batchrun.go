package convert

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"time"

	"github.com/weboffice-go/weboffice/internal/httpx"
)

// submitGrace is how long a submit that is on the wire may go on after its batch has
// ended: the service may have made a task, and only its answer tells.
const submitGrace = 5 * time.Second

// batch is one range over a Batch. The caller's functions and the loop's body run in the
// goroutine of the loop, to which the workers send them as events; only the requests,
// which may block, are read in another one.
type batch[K any] struct {
	c         *Client
	opts      BatchOptions[K]
	root      *os.Root // of opts.Dir; nil: none
	rootErr   error
	slots     chan struct{}    // has one for each document in progress
	events    chan func() bool // false: leave the loop
	submitted chan func()      // events that are served also after the loop was left
	left      chan struct{}    // closed when the loop was left
	running   sync.WaitGroup

	// Of all documents; used by the loop only.
	tasks map[Task]bool
	names map[string]bool // folded
}

func (b *batch[K]) openDir() {
	if b.opts.Dir != "" {
		b.root, b.rootErr = os.OpenRoot(b.opts.Dir)
	}
}

func (b *batch[K]) closeDir() {
	if b.root != nil {
		_ = b.root.Close()
	}
}

// run is the loop. It returns when nothing of the batch runs any more.
func (b *batch[K]) run(ctx context.Context, requests iter.Seq2[K, Request], yield func(K, Outcome) bool) {
	ctx, cancel := context.WithCancel(ctx)
	read := sync.OnceFunc(func() { b.read(ctx, requests, yield) })
	b.running.Go(func() {
		defer func() {
			if recover() != nil {
				b.send(func() bool { return false })
			}
		}()
		read()
	})
	ended := make(chan struct{})
	go func() { b.running.Wait(); close(ended) }()
	defer func() {
		cancel()
		close(b.left)
		b.drain(ended)
		read() // does nothing, or panics here as the source of the requests did there
	}()
	for {
		select {
		case event := <-b.events:
			if !event() {
				return
			}
		case event := <-b.submitted:
			event()
		case <-ended:
			return
		}
	}
}

// drain serves what is submitted until nothing runs any more, also while an event panics.
func (b *batch[K]) drain(ended <-chan struct{}) {
	for {
		select {
		case event := <-b.submitted:
			func() {
				returned := false
				defer func() {
					if !returned {
						b.drain(ended)
					}
				}()
				event()
				returned = true
			}()
		case <-ended:
			return
		}
	}
}

// read starts a document for each request, as slots become free.
func (b *batch[K]) read(ctx context.Context, requests iter.Seq2[K, Request], yield func(K, Outcome) bool) {
	if !b.slot(ctx) {
		return
	}
	for key, req := range requests {
		b.running.Go(func() {
			outcome := b.convert(ctx, key, req)
			b.send(func() bool {
				more := yield(key, outcome)
				if more {
					<-b.slots
				}
				return more
			})
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

// send gives event to the loop, unless it was left.
func (b *batch[K]) send(event func() bool) bool {
	select {
	case b.events <- event:
		return true
	case <-b.left:
		return false
	}
}

// inLoop runs f in the goroutine of the loop, and reports whether it did.
func (b *batch[K]) inLoop(f func()) bool {
	done := make(chan struct{})
	if !b.send(func() bool { f(); close(done); return true }) {
		return false
	}
	select {
	case <-done:
		return true
	case <-b.left: // f panicked
		return false
	}
}

// convert takes one document to its end.
func (b *batch[K]) convert(ctx context.Context, key K, req Request) (out Outcome) {
	out.Task, _ = req.(Task)
	failed := b.rootErr
	if failed == nil {
		failed = httpx.Ended(ctx) // while the request was read
	}
	if failed != nil {
		out.Err = wrap("batch", failed)
		return out
	}
	if out.Task, out.Err = b.submit(ctx, key, req); out.Err != nil {
		return out
	}
	bounded, limit := b.c.limit(ctx)
	defer limit.cancel()
	s := b.saving(key, out.Task, limit)
	if b.root == nil {
		out.Err = s.await(ctx, bounded)
	} else {
		out.Paths, out.Err = s.run(ctx, bounded)
		for i, name := range out.Paths {
			out.Paths[i] = filepath.Join(b.opts.Dir, name)
		}
		out.Err = wrap("save", out.Err)
	}
	out.Result = s.result
	return out
}

// saving calls the functions of the caller. While it waits for the loop, limit stops.
func (b *batch[K]) saving(key K, t Task, limit *waitLimit) *saving {
	s := &saving{c: b.c, task: t, root: b.root}
	if b.opts.Progress != nil {
		s.opts.Progress = func(status *Status) {
			limit.pause(func() { b.inLoop(func() { b.opts.Progress(key, status) }) })
		}
	}
	if b.opts.Name != nil {
		s.opts.Name = func(i, n int, f File) (name string) {
			limit.pause(func() { b.inLoop(func() { name = b.opts.Name(key, i, n, f) }) })
			return name
		}
	}
	s.claim = func(name string) (free bool) {
		limit.pause(func() {
			b.inLoop(func() {
				free = !b.names[name]
				b.names[name] = true
			})
		})
		return free
	}
	return s
}

// submit submits what was not submitted before.
func (b *batch[K]) submit(ctx context.Context, key K, req Request) (t Task, err error) {
	t, isTask := req.(Task)
	if !isTask {
		submitted, ok := req.(submission)
		if v := reflect.ValueOf(req); !ok || v.Kind() == reflect.Pointer {
			return Task{}, wrap("batch", &FieldError{Field: "Request", Reason: fmt.Sprintf("must be a TextRequest, a PDFRequest or a Task, not %T", req)})
		}
		if t, err = b.c.submit(ctx, submitted, submitGrace); err != nil {
			return t, err
		}
	}
	done := make(chan struct{})
	b.submitted <- func() {
		defer close(done)
		switch {
		case b.tasks[t]:
			err = fmt.Errorf("task %q is that of another document of this batch", t.ID)
			t = Task{}
			return
		case !isTask && b.opts.Submitted != nil:
			err = wrap("batch: submitted", b.opts.Submitted(key, t))
		}
		b.tasks[t] = true
	}
	<-done
	return t, wrap("batch", err)
}
