package callback

import (
	"context"
	"sync"
	"time"
)

// Deadline is a context with a deadline whose timer starts when its Done or Err is
// first called. A store that answers from memory does not pay for a timer.
type Deadline struct {
	context.Context //nolint:containedctx // It is a context itself: values and the end of the request.
	at              time.Time

	mu     sync.Mutex
	live   context.Context //nolint:containedctx // As above: its own timer.
	cancel context.CancelFunc
	over   bool
}

// NewDeadline returns a context that ends with parent, or at the given time of the
// real clock. The clock of a Config may be another one.
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

// Value asks the context with the timer once there is one. Package context then finds
// it, and needs no goroutine for contexts derived from d.
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

// Clock returns now, or the real clock if now is nil.
func Clock(now func() time.Time) func() time.Time {
	if now == nil {
		now = time.Now
	}
	return now
}
