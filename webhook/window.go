package webhook

import (
	"context"
	"sync"
	"time"

	"github.com/weboffice-go/weboffice/internal/httpx"
)

// margin is what a Window adds to its time. Messages overtake each other on their
// way, so that 20 which left within 60 seconds and a bit can arrive within 60.
const margin = time.Second

// Window is a [Limiter] for one process: it lets at most n messages through in
// any period of a given length, whenever that begins, in the order in which they
// asked. It remembers when each of the last n messages went, so a quiet robot may
// post n at once, and still never one too many.
//
// [NewWindow] makes one. The zero Window is ready, too, with the service's own
// limit: MessagesPerMinute in a minute. It must not be copied. It is safe for
// concurrent use, and Robots of the same address may share it.
type Window struct {
	mu      sync.Mutex
	start   time.Time       // taken counts from here, by the monotonic clock
	per     time.Duration   // with the margin
	taken   []time.Duration // when each of the last n places was taken; a ring
	head    int             // the oldest of taken
	waiting int             // length of the queue
	first   *waiter
	last    *waiter
}

// waiter is a Wait that has to wait. The queue is a list of them, in the order in
// which they came.
type waiter struct {
	prev, next *waiter
	turn       chan struct{} // closed once it is the first
}

// NewWindow returns a Window for n messages in any period of length per. To per
// it adds one second, as a margin: the service counts arrivals, and here only
// departures are known. An n below 1 is taken for 1, a negative per for 0.
func NewWindow(n int, per time.Duration) *Window {
	w := &Window{}
	w.init(n, per)
	return w
}

func (w *Window) init(n int, per time.Duration) {
	w.start = clock(nil)()
	w.per = max(per, 0) + margin
	w.taken = make([]time.Duration, max(n, 1))
	for i := range w.taken {
		w.taken[i] = -w.per
	}
}

// Wait waits for a place behind all who asked before, takes it, and returns nil.
// If ctx would end sooner, it returns a [*LimitError] at once and takes no place;
// if ctx ends during the wait, a [*LimitError] that wraps why, and those behind
// move up.
func (w *Window) Wait(ctx context.Context) error {
	now := w.lock()
	turn := w.start.Add(w.place(w.waiting, now))
	switch {
	case ctx.Err() != nil:
		w.mu.Unlock()
		return &LimitError{Next: turn, cause: httpx.Ended(ctx)}
	case w.free(now):
		w.take(now)
		w.mu.Unlock()
		return nil
	}
	if end, ok := ctx.Deadline(); ok && !turn.Before(end) {
		w.mu.Unlock()
		return &LimitError{Next: turn}
	}
	me := w.join()
	w.mu.Unlock()
	if !w.await(ctx, me) {
		w.lock()
		w.leave(me)
		w.mu.Unlock()
		return &LimitError{Next: turn, cause: httpx.Ended(ctx)}
	}
	return nil
}

// await returns once me was the first and has taken a place, or ctx has ended.
func (w *Window) await(ctx context.Context, me *waiter) bool {
	select {
	case <-me.turn:
	case <-ctx.Done():
		return false
	}
	for {
		now := w.lock()
		pause := w.place(0, now) - now
		if pause <= 0 {
			w.take(now)
			w.leave(me)
			w.mu.Unlock()
			return true
		}
		w.mu.Unlock()
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return false
		}
	}
}

// Allow takes a place and reports true, if one is free and nobody waits for it.
// Either way next is when another place will be free for who comes now, behind
// all who wait; it is never in the past.
func (w *Window) Allow() (ok bool, next time.Time) {
	now := w.lock()
	defer w.mu.Unlock()
	ok = w.free(now)
	if ok {
		w.take(now)
	}
	return ok, w.start.Add(w.place(w.waiting, now))
}

// lock makes a zero Window ready, and returns the time.
func (w *Window) lock() (now time.Duration) {
	w.mu.Lock()
	if w.taken == nil {
		w.init(MessagesPerMinute, time.Minute)
	}
	return clock(nil)().Sub(w.start)
}

func (w *Window) free(now time.Duration) bool { return w.first == nil && w.place(0, now) <= now }

// place returns when the one with so many ahead of it in the queue has its turn:
// when the oldest n places are old enough, n at a time.
func (w *Window) place(ahead int, now time.Duration) time.Duration {
	n := len(w.taken)
	rounds, rest := ahead/n, ahead%n
	return max(now, w.taken[(w.head+rest)%n]+w.per) + time.Duration(rounds)*w.per
}

// take replaces the oldest place.
func (w *Window) take(now time.Duration) {
	w.taken[w.head] = now
	if w.head++; w.head == len(w.taken) {
		w.head = 0
	}
}

func (w *Window) join() *waiter {
	me := &waiter{prev: w.last, turn: make(chan struct{})}
	if w.last == nil {
		w.first = me
		close(me.turn)
	} else {
		w.last.next = me
	}
	w.last = me
	w.waiting++
	return me
}

// leave lets those behind me move up.
func (w *Window) leave(me *waiter) {
	if me.prev != nil {
		me.prev.next = me.next
	} else if w.first = me.next; w.first != nil {
		close(w.first.turn)
	}
	if me.next != nil {
		me.next.prev = me.prev
	} else {
		w.last = me.prev
	}
	w.waiting--
}
