package webhookredis_test

import (
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhookredis"
)

// step is an answer of Take.
type step struct{ taken, finished bool }

func take(t *testing.T, s *webhookredis.Seen, lease time.Duration) step {
	t.Helper()
	taken, finished, err := s.Take(t.Context(), "event", lease)
	if err != nil {
		t.Fatal(err)
	}
	return step{taken, finished}
}

// A process that is slower than its lease neither ends the claim of the next one, nor
// brings a finished event back.
func TestClaimsOfTwoReplicas(t *testing.T) {
	t.Parallel()
	server := miniredis.RunT(t)
	a := newSeen(t, webhookredis.SeenConfig{Client: newClient(t, server.Addr()), Keep: time.Hour})
	b := newSeen(t, webhookredis.SeenConfig{Client: newClient(t, server.Addr()), Keep: time.Hour})
	expect := func(what string, got, want step) {
		t.Helper()
		if got != want {
			t.Errorf("%s: Take = %+v, want %+v", what, got, want)
		}
	}
	expect("a new event", take(t, a, time.Minute), step{taken: true})
	expect("claimed by a", take(t, b, time.Minute), step{})
	server.FastForward(61 * time.Second)
	expect("after the lease of a", take(t, b, time.Minute), step{taken: true})
	if err := a.Release(t.Context(), "event"); err != nil {
		t.Error(err)
	}
	expect("claimed by b, released by a", take(t, a, time.Minute), step{})
	if err := b.Finish(t.Context(), "event"); err != nil {
		t.Error(err)
	}
	if err := a.Release(t.Context(), "event"); err != nil {
		t.Error(err)
	}
	expect("finished by b", take(t, a, time.Minute), step{finished: true})
	server.FastForward(time.Hour)
	expect("after Keep", take(t, a, time.Minute), step{taken: true})
}

func TestLostAnswerIsStillTaken(t *testing.T) {
	t.Parallel()
	s := newSeen(t, webhookredis.SeenConfig{Client: twice{newClient(t, miniredis.RunT(t).Addr())}})
	if got := take(t, s, time.Hour); !got.taken {
		t.Errorf("Take = %+v", got)
	}
	if got := take(t, s, time.Hour); got.taken {
		t.Errorf("the next Take = %+v", got)
	}
}

// While Redis is away, the Fallback remembers.
func TestSeenFallback(t *testing.T) {
	t.Parallel()
	s := newSeen(t, webhookredis.SeenConfig{Client: newClient(t, silent(t)), Timeout: 10 * time.Millisecond, Fallback: webhook.NewSeen(10)})
	if got := take(t, s, time.Hour); !got.taken {
		t.Errorf("Take = %+v", got)
	}
	if err := s.Release(t.Context(), "event"); err != nil {
		t.Error(err)
	}
	if got := take(t, s, time.Hour); !got.taken {
		t.Errorf("after Release, Take = %+v", got)
	}
	if err := s.Finish(t.Context(), "event"); err != nil {
		t.Error(err)
	}
	if got := take(t, s, time.Hour); !got.finished {
		t.Errorf("after Finish, Take = %+v", got)
	}
}

// Each event is delivered to three replicas at once, and taken by one.
func TestReplicasShareEvents(t *testing.T) {
	t.Parallel()
	addr := startRedis(t).addr
	var mu sync.Mutex
	takers := map[string]int{}
	var replicas sync.WaitGroup
	for range 3 {
		s := newSeen(t, webhookredis.SeenConfig{Client: newClient(t, addr), Timeout: time.Minute})
		for range 4 {
			replicas.Go(func() {
				for i := range 100 {
					id := string(rune('a'+i%26)) + string(rune('a'+i/26))
					taken, _, err := s.Take(t.Context(), id, time.Hour)
					if err != nil {
						t.Error(err)
					}
					if taken {
						mu.Lock()
						takers[id]++
						mu.Unlock()
					}
				}
			})
		}
	}
	replicas.Wait()
	for id, n := range takers {
		if n != 1 {
			t.Errorf("%s was taken %d times", id, n)
		}
	}
	if len(takers) != 100 {
		t.Errorf("%d events were taken, want 100", len(takers))
	}
}
