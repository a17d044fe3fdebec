package webhook

import (
	"context"
	"fmt"

	"github.com/weboffice-go/weboffice/internal/httpx"
)

// Shutdown stops taking events, which are answered with 503 from then on, and
// waits until every Handle in the background has returned. If ctx ends first, it
// cancels their contexts and returns why ctx ended, without waiting any longer.
//
// Without Background, events are requests under way, for which http.Server's own
// Shutdown waits. Call that first, then this.
func (r *Receiver) Shutdown(ctx context.Context) error {
	r.close()
	select {
	case <-r.idle:
		return nil
	default:
	}
	select {
	case <-r.idle:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("webhook: receiver: shutdown: %d events were under way and have been cancelled: %w", r.cancel(), httpx.Ended(ctx))
	}
}

// start takes e on, unless all are busy or Shutdown was called. What ctx carries
// goes along; that it ends with the answer does not.
func (r *Receiver) start(ctx context.Context, e Event) bool {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	name, ok := r.enter(cancel)
	if !ok {
		cancel()
		return false
	}
	go func() {
		defer r.leave(name)
		defer cancel()
		r.handle(ctx, e)
	}()
	return true
}

func (r *Receiver) enter(cancel context.CancelFunc) (name int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || len(r.running) >= r.cfg.Background {
		return 0, false
	}
	r.next++
	r.running[r.next] = cancel
	return r.next, true
}

func (r *Receiver) leave(name int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.running, name)
	if r.closed && len(r.running) == 0 {
		close(r.idle)
	}
}

func (r *Receiver) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed && len(r.running) == 0 {
		close(r.idle)
	}
	r.closed = true
}

func (r *Receiver) isClosed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}

// cancel ends the contexts of all that is running, and returns how many those are.
func (r *Receiver) cancel() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, cancel := range r.running {
		cancel()
	}
	return len(r.running)
}
