package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/weboffice-go/weboffice/webhook"
)

const (
	// maxKept bounds the texts, in bytes, of all notifications that are not posted yet,
	// unless there is only one.
	maxKept = 64 << 20
	// maxAge is how long a notification is remembered that Alertmanager does not repeat.
	maxAge = time.Hour
	// maxDoubts is how often one message is posted if it may have arrived each time.
	maxDoubts = 3
)

var (
	errInProgress = errors.New("the messages are still being posted")
	errFull       = errors.New("too many alerts wait to be posted")
	errClosed     = errors.New("the program ends")
)

// bridge posts notifications. What it has sent of one, it does not send again when
// Alertmanager repeats it, and it goes on sending after it has answered. All of that is
// in memory: after a restart, Alertmanager's repeat begins with the first message.
type bridge struct {
	robot  *webhook.Robot
	format format
	wait   time.Duration
	logger *slog.Logger
	mux    http.ServeMux

	mu      sync.Mutex
	jobs    map[jobKey]*job
	kept    int // bytes
	room    int // for so many
	running sync.WaitGroup
	closed  bool
}

type jobKey [sha256.Size]byte

// job is a notification that Alertmanager has not been told is posted.
type job struct {
	key     jobKey
	size    int
	pieces  []webhook.Message
	cancel  context.CancelFunc
	next    int           // the first piece that was not sent
	doubts  int           // how often it may have arrived
	done    chan struct{} // closed while nothing is being sent
	err     error         // why not all was sent
	touched time.Time
}

// begin starts to post a notification, or goes on with one that Alertmanager repeats.
func (b *bridge) begin(n notification) (*job, error) {
	text := b.format.message(n)
	key := jobKey(sha256.Sum256([]byte(n.GroupKey + "\x00" + text)))
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, errClosed
	}
	b.forgetOld()
	j := b.jobs[key]
	if j == nil {
		if len(b.jobs) > 0 && b.kept+len(text) > b.room {
			return nil, errFull
		}
		pieces, err := b.robot.Split(webhook.Markdown{Text: text}, &webhook.SplitOptions{Label: b.format.label})
		if err != nil {
			return nil, err
		}
		j = &job{key: key, size: len(text), pieces: pieces, done: make(chan struct{})}
		close(j.done)
		b.jobs[key] = j
		b.kept += j.size
	}
	j.touched = time.Now()
	select {
	case <-j.done:
		if j.next < len(j.pieces) {
			b.start(j)
		}
	default:
	}
	return j, nil
}

// start sends the rest of j. The bridge is locked.
func (b *bridge) start(j *job) {
	ctx, cancel := context.WithCancel(context.Background()) // it goes on after the answer
	j.cancel, j.done = cancel, make(chan struct{})
	b.running.Go(func() {
		defer cancel()
		err := b.send(ctx, j)
		b.mu.Lock()
		defer b.mu.Unlock()
		j.err = err
		close(j.done)
	})
}

// send sends the rest of j up to the first error.
func (b *bridge) send(ctx context.Context, j *job) error {
	for b.progress(j, 0) {
		err := b.robot.Send(ctx, j.pieces[j.next])
		if err != nil && !errors.Is(err, webhook.ErrNotAccepted) {
			if j.doubts++; j.doubts < maxDoubts {
				return err
			}
			b.logger.ErrorContext(ctx, "a message may not have arrived, and is not posted again", "error", err)
		} else if err != nil {
			return err
		}
		j.doubts = 0
		b.progress(j, 1)
	}
	return nil
}

// progress counts sent pieces, and reports whether there are more.
func (b *bridge) progress(j *job, sent int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	j.next += sent
	return j.next < len(j.pieces)
}

// await waits until all of j is sent, and forgets j then: should the same alerts come
// again, they are news.
func (b *bridge) await(ctx context.Context, j *job) (sent, all int, err error) {
	b.mu.Lock()
	done := j.done
	b.mu.Unlock()
	select {
	case <-done:
	case <-ctx.Done():
		err = errInProgress
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	sent, all = j.next, len(j.pieces)
	switch {
	case sent == all:
		b.forget(j)
		return sent, all, nil
	case err == nil:
		err = j.err
	}
	var broken *webhook.FieldError
	if errors.As(err, &broken) {
		b.forget(j)
	}
	return sent, all, err
}

func (b *bridge) forget(j *job) {
	if b.jobs[j.key] == j {
		delete(b.jobs, j.key)
		b.kept -= j.size
	}
}

func (b *bridge) forgetOld() {
	for _, j := range b.jobs {
		select {
		case <-j.done:
			if time.Since(j.touched) > maxAge {
				b.forget(j)
			}
		default:
		}
	}
}

// shutdown stops sending. Alertmanager repeats what it was not told is posted.
func (b *bridge) shutdown() {
	b.mu.Lock()
	b.closed = true
	for _, j := range b.jobs {
		if j.cancel != nil {
			j.cancel()
		}
	}
	b.mu.Unlock()
	b.running.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, j := range b.jobs {
		b.logger.Warn("not posted completely, Alertmanager will repeat it", "sent", j.next, "messages", len(j.pieces))
	}
}
