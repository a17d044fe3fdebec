package convert

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"sync"

	"github.com/weboffice-go/weboffice/internal/httpx"
)

// batch is one range over a Batch. Everything that is the caller's runs in the
// goroutine of its loop, where workers hand it in as events; only the requests,
// which may block, are read in another one.
type batch[K any] struct {
	c       *Client
	opts    BatchOptions[K]
	root    *os.Root // of opts.Dir; nil: none
	rootErr error
	places  chan struct{}    // holds one for each document that is under way
	events  chan func() bool // false: leave the loop
	left    chan struct{}    // closed when the loop was left
	running sync.WaitGroup
	names   map[string]bool // of all documents
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
		<-ended
		read() // does nothing, or panics here as the source of the requests did there
	}()
	for {
		select {
		case event := <-b.events:
			if !event() {
				return
			}
		case <-ended:
			return
		}
	}
}

// read starts a document for each request, as places come free.
func (b *batch[K]) read(ctx context.Context, requests iter.Seq2[K, Request], yield func(K, Outcome) bool) {
	if !b.place(ctx) {
		return
	}
	for key, req := range requests {
		b.running.Go(func() {
			outcome := b.convert(ctx, key, req)
			b.send(func() bool {
				more := yield(key, outcome)
				if more {
					<-b.places
				}
				return more
			})
		})
		if !b.place(ctx) {
			return
		}
	}
}

// place takes a place for a document. It takes none where ctx has ended.
func (b *batch[K]) place(ctx context.Context) bool {
	select {
	case b.places <- struct{}{}:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// send hands event to the loop, unless it was left.
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

// convert carries one document to its end.
func (b *batch[K]) convert(ctx context.Context, key K, req Request) (out Outcome) {
	if b.rootErr != nil {
		out.Task, _ = req.(Task)
		out.Err = wrap("batch", b.rootErr)
		return out
	}
	if ended := httpx.Ended(ctx); ended != nil { // while the request was read
		out.Task, _ = req.(Task)
		out.Err = wrap("batch", ended)
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

// saving asks the functions of the caller, off the clock of limit.
func (b *batch[K]) saving(key K, t Task, limit *waitLimit) *saving {
	s := &saving{c: b.c, task: t, root: b.root}
	if b.opts.Progress != nil {
		s.opts.Progress = func(status *Status) {
			limit.pause(func() { b.inLoop(func() { b.opts.Progress(key, status) }) })
		}
	}
	if b.opts.Name != nil { // names by task id are the task's own
		s.opts.Name = func(i, n int, f File) (name string) {
			limit.pause(func() { b.inLoop(func() { name = b.opts.Name(key, i, n, f) }) })
			return name
		}
		s.claim = func(name string) (free bool) {
			limit.pause(func() { free = b.claim(name) })
			return free
		}
	}
	return s
}

// submit submits what was not submitted before.
func (b *batch[K]) submit(ctx context.Context, key K, req Request) (t Task, err error) {
	switch req := req.(type) {
	case Task:
		return req, nil
	case TextRequest:
		t, err = b.c.SubmitText(ctx, req)
	case PDFRequest:
		t, err = b.c.SubmitPDF(ctx, req)
	default:
		var found problems
		found.add("Request", fmt.Sprintf("must be a TextRequest, a PDFRequest or a Task, not %T", req))
		return Task{}, found.join("batch")
	}
	if err != nil || b.opts.Submitted == nil {
		return t, err
	}
	b.inLoop(func() { err = b.opts.Submitted(key, t) })
	return t, wrap("batch: submitted", err)
}

// claim takes a name for a document, unless another one has it.
func (b *batch[K]) claim(name string) (free bool) {
	b.inLoop(func() {
		if free = !b.names[name]; free {
			if b.names == nil {
				b.names = map[string]bool{}
			}
			b.names[name] = true
		}
	})
	return free
}
