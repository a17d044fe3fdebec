package memhttp

import (
	"bytes"
	"io"
	"os"
	"sync"
	"time"
)

// streamSize is what one direction holds that nobody has read yet, about as much
// as the buffers of two sockets: a writer does not wait for its reader earlier.
const streamSize = 64 << 10

// stream is one direction of a connection.
type stream struct {
	mu      sync.Mutex
	changed sync.Cond
	data    bytes.Buffer
	readErr error // after the data, such as io.EOF; nil while there may be more
	broken  error // in place of the data
	gone    error // for the writer: nobody reads any more
	timer   *time.Timer
}

func newStream() *stream {
	s := &stream{}
	s.changed.L = &s.mu
	return s
}

// Read waits for data, the end, or a break.
func (s *stream) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch {
		case s.broken != nil:
			return 0, s.broken
		case s.data.Len() > 0:
			n, _ := s.data.Read(p)
			s.changed.Broadcast()
			return n, nil
		case s.readErr != nil:
			return 0, s.readErr
		case len(p) == 0:
			return 0, nil
		}
		s.changed.Wait()
	}
}

// Write waits for room.
func (s *stream) Write(p []byte) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(p) > 0 {
		if s.gone != nil {
			return n, s.gone
		}
		room := min(streamSize-s.data.Len(), len(p))
		if room == 0 {
			s.changed.Wait()
			continue
		}
		s.data.Write(p[:room])
		p, n = p[room:], n+room
		s.changed.Broadcast()
	}
	return n, s.gone
}

// end says that no more data comes. The first reason counts.
func (s *stream) end(reason error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.readErr == nil {
		s.readErr = reason
	}
	if s.gone == nil {
		s.gone = io.ErrClosedPipe
	}
	s.changed.Broadcast()
}

// breakOff ends both sides at once, whatever was not read. The first reasons count.
func (s *stream) breakOff(forReader, forWriter error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken == nil {
		s.broken = forReader
	}
	if s.gone == nil {
		s.gone = forWriter
	}
	s.changed.Broadcast()
}

// brokenBy is what a reader gets in place of the data, or nil.
func (s *stream) brokenBy() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.broken
}

// deadline breaks s off at t; the zero time takes that back. One that has passed
// stays.
func (s *stream) deadline(t, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
	if !t.IsZero() {
		s.timer = time.AfterFunc(t.Sub(now), func() { s.breakOff(os.ErrDeadlineExceeded, os.ErrDeadlineExceeded) })
	}
}
