package converttest

import (
	"bytes"
	"net/http"
	"slices"
)

// Fault is one way in which the other side goes wrong: a middleware that spoils
// or replaces what next answers. Those of this package come in two kinds.
//
// [TooManyRequests], [Refused], [Replied] and [Redirected] stand before next,
// which is not called: a submit that meets one made no task.
//
// All others call next and spoil its answer: a submit that meets one made a task,
// and its sender cannot know. Repeating it would make a second.
type Fault func(next http.Handler) http.Handler

// On says which requests a [Fault] is for. Several are joined by |.
type On uint8

// The requests that a [Server] answers.
const (
	Submits   On = 1 << iota // POST …/convert/to/txt and …/convert/to/pdf.
	Queries                  // Task queries.
	Downloads                // Requests for results.

	Calls      = Submits | Queries // All that are signed.
	Everything = Calls | Downloads // All.
)

// pendingFault is what Fail ordered.
type pendingFault struct {
	on    On
	left  int
	fault Fault
}

// Fail makes f spoil the next n requests of the kinds in on; with a negative n,
// all of them until [Server.Heal]. Requests whose signature fails do not count.
// Several calls queue: a request meets the oldest fault that is for its kind and
// is not used up. A nil f lets n requests through to the service.
func (s *Server) Fail(on On, n int, f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n != 0 {
		s.faults = append(s.faults, &pendingFault{on: on, left: n, fault: f})
	}
}

// Heal ends what [Server.Fail] began.
func (s *Server) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// nextFault returns what a request of kind on meets, or nil.
func (s *Server) nextFault(on On) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.faults, func(p *pendingFault) bool { return p.on&on != 0 })
	if i < 0 {
		return nil
	}
	p := s.faults[i]
	p.left--
	if p.left == 0 {
		s.faults = slices.Delete(s.faults, i, i+1)
	}
	return p.fault
}

// recorded is an answer that was not sent.
type recorded struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// record runs h and returns what it answers. Headers that are on w already are
// its to change.
func record(h http.Handler, w http.ResponseWriter, r *http.Request) *recorded {
	rec := &recorded{header: w.Header()}
	h.ServeHTTP(rec, r)
	if rec.status == 0 {
		rec.status = http.StatusOK
	}
	return rec
}

// Header implements [http.ResponseWriter].
func (r *recorded) Header() http.Header { return r.header }

// WriteHeader implements [http.ResponseWriter].
func (r *recorded) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
}

// Write implements [http.ResponseWriter].
func (r *recorded) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(p)
}
