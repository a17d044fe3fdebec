package convert

import (
	"context"
	"time"

	"github.com/weboffice-go/weboffice/internal/httpx"
)

// window is a Limiter that lets n calls start in any period: each call takes a
// place, and gives it back a period later. Goroutines get places in the order in
// which they asked.
type window struct {
	places chan struct{}
	period time.Duration
}

// newWindow adds a tenth to the period: the service counts arrivals, and calls
// overtake each other on their way.
func newWindow(n int, period time.Duration) *window {
	w := &window{places: make(chan struct{}, n), period: period + period/10}
	for range n {
		w.places <- struct{}{}
	}
	return w
}

// Wait takes a place. It takes none where ctx has ended.
func (w *window) Wait(ctx context.Context) error {
	if err := httpx.Ended(ctx); err != nil {
		return err
	}
	select {
	case <-w.places:
		time.AfterFunc(w.period, func() { w.places <- struct{}{} })
		return nil
	case <-ctx.Done():
		return httpx.Ended(ctx)
	}
}
