package callback

import (
	"context"
	"sync"
	"time"
)

// Deadline is a context that ends at a time. Its timer only starts when somebody
// asks whether it has ended, so that a store which answers from memory does not
// pay for it.
type Deadline struct {
	context.Context //nolint:containedctx // It is a context itself: values and the end of the request.
	at              time.Time

	mu     sync.Mutex
	live   context.Context //nolint:containedctx // As above: its own timer.
	cancel context.CancelFunc
	over   bool
}

// NewDeadline returns a context that ends with parent, or at the given time of
// the real clock, which timers go by: a clock of a Config may be another.
func NewDeadline(parent context.Context, at time.Time) *Deadline {
	return &Deadline{Context: parent, at: at}
}

// Deadline is the sooner of the two.
func (d *Deadline) Deadline() (time.Time, bool) {
	if at, ok := d.Context.Deadline(); ok && at.Before(d.at) {
		return at, true
	}
	return d.at, true
}

// Done starts the timer.
func (d *Deadline) Done() <-chan struct{} { return d.start().Done() }

// Err starts the timer.
func (d *Deadline) Err() error { return d.start().Err() }

// Value looks into the context with the timer once there is one, so that package
// context finds it there and contexts derived from d need no goroutine.
func (d *Deadline) Value(key any) any {
	d.mu.Lock()
	live := d.live
	d.mu.Unlock()
	if live != nil {
		return live.Value(key)
	}
	return d.Context.Value(key)
}

func (d *Deadline) start() context.Context {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.live == nil {
		d.live, d.cancel = context.WithDeadline(d.Context, d.at)
		if d.over {
			d.cancel()
		}
	}
	return d.live
}

// Cancel ends d when the callback has been answered.
func (d *Deadline) Cancel() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over = true
	if d.cancel != nil {
		d.cancel()
	}
}
