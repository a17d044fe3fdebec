package webhook

import (
	"context"
	"sync"
	"time"
)

// SeenStore remembers which events were handled. Its methods are called concurrently.
// [Seen] is one for a single process; the module webhook/webhookredis has one that
// several share, and webhooktest.RunSeen tests others.
type SeenStore interface {
	// Take claims an event for so long, and returns taken, if it is new, was
	// released, or its last claim has expired. Of concurrent calls one succeeds.
	// Otherwise finished tells an event that was handled from one that is claimed.
	Take(ctx context.Context, id string, lease time.Duration) (taken, finished bool, err error)
	// Finish keeps an event, claimed or not, from being taken while the store remembers
	// it.
	Finish(ctx context.Context, id string) error
	// Release ends the claim on an event. One that is finished or unknown stays so.
	Release(ctx context.Context, id string) error
}

// Seen is a [SeenStore] in memory, made by [NewSeen]. Without a Receiver, First and
// Forget suffice.
type Seen struct {
	mu   sync.Mutex
	held map[string]claim
	ring []string // ids in the order in which they came
	next int
}

// claim is what is known of an id.
type claim struct {
	slot  int       // in the ring
	until time.Time // zero: finished
}

// NewSeen returns a Seen that remembers the last n ids, at least one.
func NewSeen(n int) *Seen {
	return &Seen{held: make(map[string]claim), ring: make([]string, max(n, 1))}
}

// First reports whether id, usually an [Event.ID], is new, and then finishes it.
func (s *Seen) First(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.held[id]; known {
		return false
	}
	s.put(id, time.Time{})
	return true
}

// Forget makes id new again, such as after a failure.
func (s *Seen) Forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held, id)
}

// Take is that of [SeenStore].
func (s *Seen) Take(ctx context.Context, id string, lease time.Duration) (taken, finished bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		return false, false, context.Cause(ctx)
	}
	at := now()
	c, known := s.held[id]
	if known && (c.until.IsZero() || at.Before(c.until)) {
		return false, c.until.IsZero(), nil
	}
	s.put(id, at.Add(lease))
	return true, false, nil
}

// Finish is that of [SeenStore].
func (s *Seen) Finish(_ context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(id, time.Time{})
	return nil
}

// Release is that of [SeenStore].
func (s *Seen) Release(_ context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.held[id].until.IsZero() {
		delete(s.held, id)
	}
	return nil
}

// put remembers id, in its old place in the ring if it has one.
func (s *Seen) put(id string, until time.Time) {
	if c, known := s.held[id]; known {
		s.held[id] = claim{c.slot, until}
		return
	}
	if old := s.ring[s.next]; s.held[old].slot == s.next {
		delete(s.held, old)
	}
	s.ring[s.next], s.held[id] = id, claim{s.next, until}
	s.next = (s.next + 1) % len(s.ring)
}
