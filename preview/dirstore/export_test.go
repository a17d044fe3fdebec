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
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	return len(s.state.docs)
}

// Reading gives how many files are being read.
func (s *Store) Reading() int {
	s.jobs.mu.Lock()
	defer s.jobs.mu.Unlock()
	return len(s.jobs.byID)
}

// Walks gives how often the folder was walked.
func (s *Store) Walks() uint64 { return s.index.begun.Load() }

// HoldWalk keeps everybody from walking the folder until it is let go.
func (s *Store) HoldWalk() (letGo func()) {
	s.index.turn <- struct{}{}
	return func() { <-s.index.turn }
}

// OnSync has f called after each file or folder of Root that is synced. Its error is that
// of the sync.
func (s *Store) OnSync(f func(name string) error) { s.root.synced = f }

// Closing is an error once Close was called.
func (s *Store) Closing() error {
	if s.jobs.closing.Load() {
		return errClosed
	}
	return nil
}

// FoldersRead gives how many folders walks had to read.
func (s *Store) FoldersRead() uint64 { return s.index.reads.Load() }
