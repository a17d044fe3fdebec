package callback_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/internal/callback"
)

type contextKey struct{}

func TestDeadlineEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		d := callback.NewDeadline(t.Context(), start.Add(time.Minute))
		defer d.Cancel()
		time.Sleep(20 * time.Second)
		if d.Err() != nil {
			t.Errorf("Err() = %v before the end", d.Err())
		}
		<-d.Done()
		if took := time.Since(start); took != time.Minute || !errors.Is(d.Err(), context.DeadlineExceeded) {
			t.Errorf("ended after %v with %v, want a minute from its making", took, d.Err())
		}
	})
}

// TestDeadlineAskedLate has no timer before, and has ended all the same.
func TestDeadlineAskedLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := callback.NewDeadline(t.Context(), time.Now().Add(time.Second))
		defer d.Cancel()
		time.Sleep(2 * time.Second)
		if !errors.Is(d.Err(), context.DeadlineExceeded) {
			t.Errorf("Err() = %v, want that time is up", d.Err())
		}
	})
}

func TestDeadlineOfParent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		parent, cancel := context.WithDeadline(t.Context(), now.Add(time.Second))
		defer cancel()
		for _, c := range []struct{ at, want time.Duration }{{time.Minute, time.Second}, {time.Millisecond, time.Millisecond}} {
			d := callback.NewDeadline(parent, now.Add(c.at))
			if at, ok := d.Deadline(); !ok || !at.Equal(now.Add(c.want)) {
				t.Errorf("Deadline() = %v, %v, want %v from now", at.Sub(now), ok, c.want)
			}
			d.Cancel()
		}
	})
}

func TestDeadlineFollowsParent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("gone")
		parent, cancel := context.WithCancelCause(context.WithValue(t.Context(), contextKey{}, "value"))
		d := callback.NewDeadline(parent, time.Now().Add(time.Hour))
		defer d.Cancel()
		if d.Value(contextKey{}) != "value" {
			t.Error("no value before it is asked for its end")
		}
		child, stop := context.WithCancel(d)
		defer stop()
		if child.Value(contextKey{}) != "value" {
			t.Error("no value afterwards")
		}
		cancel(cause)
		<-child.Done()
		if !errors.Is(context.Cause(child), cause) || !errors.Is(context.Cause(d), cause) || !errors.Is(d.Err(), context.Canceled) {
			t.Errorf("causes = %v, %v; Err() = %v", context.Cause(child), context.Cause(d), d.Err())
		}
	})
}

func TestDeadlineCancel(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(*callback.Deadline){
		"asked before": func(d *callback.Deadline) { _ = d.Err() },
		"never asked":  func(*callback.Deadline) {},
	} {
		d := callback.NewDeadline(t.Context(), time.Now().Add(time.Hour))
		before(d)
		d.Cancel()
		d.Cancel()
		if !errors.Is(d.Err(), context.Canceled) {
			t.Errorf("%s: Err() = %v after Cancel", name, d.Err())
		}
	}
}

// TestDeadlineIsCheap is why it exists: nothing but itself, when nobody asks.
func TestDeadlineIsCheap(t *testing.T) { //nolint:paralleltest // It counts what the whole process allocates.
	ctx, at := t.Context(), time.Now().Add(time.Hour)
	if got := testing.AllocsPerRun(100, func() {
		d := callback.NewDeadline(ctx, at)
		_ = d.Value(contextKey{})
		d.Cancel()
	}); got > 1 {
		t.Errorf("%v allocations, want 1", got)
	}
}
