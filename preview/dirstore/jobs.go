package dirstore

import (
	"context"
	"sync"
	"sync/atomic"
)

const (
	// maxReaders is how many large files are read at once.
	maxReaders = 4
	// large is the size of a file, in bytes, that waits for others to be read.
	large = 32 << 20
)

// jobs reads files in the background, each once for all who wait for it. A file that
// takes longer to read than a callback may take is known after some callbacks.
type jobs struct {
	mu      sync.Mutex
	byID    map[string]*job
	running sync.WaitGroup
	readers chan struct{} // holds one for each large file that is being read
	closing atomic.Bool
}

// job is one reading of a file.
type job struct {
	done    chan struct{}
	version version
	err     error
}

func newJobs() *jobs {
	return &jobs{byID: map[string]*job{}, readers: make(chan struct{}, maxReaders)}
}

// start begins to read a file, unless it is being read.
func (js *jobs) start(ctx context.Context, id string, size int64, look func(ctx context.Context) (version, error)) *job {
	js.mu.Lock()
	defer js.mu.Unlock()
	if j := js.byID[id]; j != nil {
		return j
	}
	j := &job{done: make(chan struct{})}
	if js.closing.Load() {
		j.err = errClosed
		close(j.done)
		return j
	}
	js.byID[id] = j
	ctx = context.WithoutCancel(ctx)
	js.running.Go(func() {
		if size >= large {
			js.readers <- struct{}{}
			defer func() { <-js.readers }()
		}
		j.version, j.err = look(ctx)
		js.mu.Lock()
		defer js.mu.Unlock()
		delete(js.byID, id)
		close(j.done)
	})
	return j
}

// close ends all jobs.
func (js *jobs) close() {
	js.mu.Lock()
	js.closing.Store(true)
	js.mu.Unlock()
	js.running.Wait()
}
