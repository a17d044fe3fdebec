package webhook_test

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/weboffice-go/weboffice/webhook"
)

func TestSeen(t *testing.T) {
	t.Parallel()
	s := webhook.NewSeen(3)
	for i, step := range []struct {
		id    string
		first bool
	}{
		{"a", true},
		{"a", false},
		{"b", true},
		{"c", true},
		{"a", false},
		{"d", true}, // which takes the place of a
		{"b", false},
		{"a", true},
		{"b", true},
	} {
		if got := s.First(step.id); got != step.first {
			t.Fatalf("step %d: First(%q) = %v", i, step.id, got)
		}
	}
}

// A forgotten id is new, and its old place does not drop it early.
func TestSeenForget(t *testing.T) {
	t.Parallel()
	s := webhook.NewSeen(3)
	s.First("a")
	s.First("b")
	s.Forget("a")
	s.Forget("unknown")
	if !s.First("a") {
		t.Error("a is known, want it forgotten")
	}
	s.First("c") // takes the first place, which was that of a
	if s.First("a") {
		t.Error("a is new, want it known")
	}
}

// Of one id that comes many times at once, one is the first.
func TestSeenConcurrently(t *testing.T) {
	t.Parallel()
	s := webhook.NewSeen(1000)
	var firsts atomic.Int32
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			for i := range 500 {
				if s.First(strconv.Itoa(i)) {
					firsts.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if got := firsts.Load(); got != 500 {
		t.Errorf("%d firsts, want 500", got)
	}
}
