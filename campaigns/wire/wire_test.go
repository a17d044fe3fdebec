package main

import (
	"context"
	"testing"
)

// TestSmallRun keeps the program working: the campaign itself is run by hand.
func TestSmallRun(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(context.Context, *wire, int) (*tally, error){"conversions": convertAll, "messages": sendAll} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &wire{every: 2, seed: 1}
			counts, err := do(t.Context(), w, 30)
			if err != nil {
				t.Fatal(err)
			}
			if counts.bad > 0 || w.spoiled.Load() < 10 {
				t.Errorf("%d spoiled calls, and %d counts that must be zero are not: %q", w.spoiled.Load(), counts.bad, counts.lines)
			}
		})
	}
}
