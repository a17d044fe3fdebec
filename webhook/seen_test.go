package webhook_test

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

func TestSeenConforms(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		webhooktest.RunSeen(t, func() webhook.SeenStore { return webhook.NewSeen(3) })
	})
}

// Claimed events count among the n, too.
func TestSeenIsBounded(t *testing.T) {
	t.Parallel()
	s := webhook.NewSeen(2)
	for _, id := range []string{"a", "b", "c", "a"} {
		if taken, _, err := s.Take(t.Context(), id, time.Hour); err != nil || !taken {
			t.Errorf("Take(%q) = %t, %v", id, taken, err)
		}
	}
	if taken, finished, _ := s.Take(t.Context(), "c", time.Hour); taken || finished {
		t.Error("c, one of the last two, is not remembered")
	}
	if taken, _, _ := s.Take(t.Context(), "b", time.Hour); !taken {
		t.Error("b, the third last, is remembered")
	}
}

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
