package webhook

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/weboffice-go/weboffice/internal/httpx"
)

// Limiter decides when a message may be sent. A [Window] is one for a single process;
// the module webhook/webhookredis has one that several share, and webhooktest.RunLimiter
// tests others.
//
// Wait returns nil when the caller may post one message. It must obey ctx, and is called
// concurrently. The service counts arrivals, and messages overtake each other, so leave
// a margin, as [NewWindow] does.
type Limiter interface {
	Wait(ctx context.Context) error
}

// LimiterFunc is a function as a [Limiter].
type LimiterFunc func(ctx context.Context) error

// Wait calls f.
func (f LimiterFunc) Wait(ctx context.Context) error { return f(ctx) }

// margin is what a Window adds to its time. Messages overtake each other on the
// network: 20 that were sent within 60.1 seconds can arrive within 60.
const margin = time.Second

// Window is a [Limiter] for one process: it lets at most n messages through in any
// period of a given length, in the order in which they asked. The zero Window lets
// MessagesPerMinute through in a minute. It must not be copied.
type Window struct {
	mu    sync.Mutex
	start time.Time       // taken counts from here, by the monotonic clock
	per   time.Duration   // with the margin
	taken []time.Duration // when each of the last n slots was taken; a ring
	head  int             // the oldest of taken
	queue []chan struct{} // those who wait; each is closed once it is the first
}

// NewWindow returns a Window for n messages, at least one, in any period of length per,
// to which it adds a second as a margin.
func NewWindow(n int, per time.Duration) *Window {
	w := &Window{}
	w.init(n, per)
	return w
}

func (w *Window) init(n int, per time.Duration) {
	w.start = now()
	w.per = max(per, 0) + margin
	w.taken = slices.Repeat([]time.Duration{-w.per}, max(n, 1))
}

// Wait waits for a slot after all who asked before, and takes it. If ctx would end
// sooner, it returns a [*LimitError] immediately; if ctx ends meanwhile, one that wraps
// why, and later callers move up.
func (w *Window) Wait(ctx context.Context) error {
	now, since := w.lock()
	turn := now.Add(w.slot(len(w.queue), since) - since)
	if end, bounded := ctx.Deadline(); ctx.Err() != nil || bounded && !turn.Before(end) {
		w.mu.Unlock()
		return &LimitError{Next: turn, cause: httpx.Ended(ctx)}
	}
	if w.free(since) {
		w.take(since)
		w.mu.Unlock()
		return nil
	}
	me := make(chan struct{})
	if w.queue = append(w.queue, me); len(w.queue) == 1 {
		close(me)
	}
	w.mu.Unlock()
	select {
	case <-me:
	case <-ctx.Done():
	}
	_, since = w.lock()
	pause := w.slot(0, since) - since // stays right: only the first takes a slot
	w.mu.Unlock()
	_ = httpx.Sleep(ctx, pause) // its error is that of ctx
	_, since = w.lock()
	defer w.mu.Unlock()
	w.leave(me)
	if ended := httpx.Ended(ctx); ended != nil {
		return &LimitError{Next: turn, cause: ended}
	}
	w.take(since)
	return nil
}

// leave lets those after me move up.
func (w *Window) leave(me chan struct{}) {
	i := slices.Index(w.queue, me)
	if w.queue = slices.Delete(w.queue, i, i+1); i == 0 && len(w.queue) > 0 {
		close(w.queue[0])
	}
}

// Allow takes a slot if one is free and no one waits for it. Either way a new caller
// could send at next, which is never in the past.
func (w *Window) Allow() (ok bool, next time.Time) {
	now, since := w.lock()
	defer w.mu.Unlock()
	ok = w.free(since)
	if ok {
		w.take(since)
	}
	return ok, now.Add(w.slot(len(w.queue), since) - since)
}

// lock makes a zero Window ready, and returns the time, by the clock and since
// start. The clock may be set meanwhile, which since does not follow; so any other
// time is told from now, and not from start.
func (w *Window) lock() (at time.Time, since time.Duration) {
	w.mu.Lock()
	if w.taken == nil {
		w.init(MessagesPerMinute, time.Minute)
	}
	at = now()
	return at, at.Sub(w.start)
}

// now is the machine's clock, which timers and deadlines go by.
func now() time.Time {
	clock := time.Now
	return clock()
}

func (w *Window) free(since time.Duration) bool {
	return len(w.queue) == 0 && w.slot(0, since) <= since
}

// slot returns when a caller with so many ahead of it in the queue may send: when
// the oldest n are old enough, n at a time.
func (w *Window) slot(ahead int, since time.Duration) time.Duration {
	n := len(w.taken)
	rounds, rest := ahead/n, ahead%n
	return max(since, w.taken[(w.head+rest)%n]+w.per) + time.Duration(rounds)*w.per
}

// take replaces the oldest.
func (w *Window) take(since time.Duration) {
	w.taken[w.head] = since
	w.head = (w.head + 1) % len(w.taken)
}
