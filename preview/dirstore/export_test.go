package dirstore

import "time"

// Settling is how old a change must be to be told by its time.
const Settling = settling

// Sayable is what becomes of a time.
func Sayable(t time.Time) time.Time { return sayable(t) }

// SetClock sets the clock that says when a file was read.
func (s *Store) SetClock(now func() time.Time) { s.clock = now }

// KnownVersions gives how many documents have a version in memory.
func (s *Store) KnownVersions() int {
	s.versions.mu.Lock()
	defer s.versions.mu.Unlock()
	return len(s.versions.latest)
}

// Waiting gives how many documents somebody has the turn for.
func (s *Store) Waiting() int {
	s.turns.mu.Lock()
	defer s.turns.mu.Unlock()
	return len(s.turns.byID)
}

// Walks gives how often the folder was walked.
func (s *Store) Walks() uint64 { return s.index.begun.Load() }

// HoldWalk keeps everybody from walking the folder until it is let go.
func (s *Store) HoldWalk() (letGo func()) {
	s.index.turn <- struct{}{}
	return func() { <-s.index.turn }
}
