package webhook

import "sync"

// Seen remembers the ids of events, to tell when one is delivered twice.
// [NewSeen] makes one. It is safe for concurrent use, and knows nothing of other
// processes.
type Seen struct {
	mu   sync.Mutex
	slot map[string]int // of each id, in ring
	ring []string
	next int
}

// NewSeen returns a Seen that remembers the last n ids. An n below 1 is taken for 1.
func NewSeen(n int) *Seen {
	return &Seen{slot: make(map[string]int), ring: make([]string, max(n, 1))}
}

// First reports whether id, usually [Event.ID], is new, and remembers it.
func (s *Seen) First(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.slot[id]; ok {
		return false
	}
	if old := s.ring[s.next]; s.slot[old] == s.next {
		delete(s.slot, old)
	}
	s.ring[s.next], s.slot[id] = id, s.next
	s.next = (s.next + 1) % len(s.ring)
	return true
}

// Forget makes id new again. Call it after a failure, so that a repeat is
// handled.
func (s *Seen) Forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.slot, id)
}
