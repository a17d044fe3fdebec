package converttest

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/weboffice-go/weboffice/convert"
)

// task is an accepted submission and what became of it.
type task struct {
	sub       Submission
	submitted time.Time
	cancel    context.CancelFunc
	job       Job // nil while Converter.Start runs

	// Who is in it may call Step, which must not overlap. It is no mutex, so that a
	// query may leave, and a synctest bubble comes to rest while others wait.
	turn chan struct{}

	mu       sync.Mutex
	finished time.Time // when a query first found a success
	files    [][]byte  // of the last success
	links    map[string]link
}

// find returns the task of that id, if it is one of app: a task is nobody else's
// business.
func (s *Server) find(id, app string) *task {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tasks[id]
	if t == nil || t.job == nil || t.sub.AppID != app {
		return nil
	}
	return t
}

// query answers a task query with the next step of the task.
func (s *Server) query(w http.ResponseWriter, r *http.Request, c call) {
	t := s.find(c.id, c.app)
	if t == nil {
		refuse(w, http.StatusNotFound, convert.CodeFileNotExists, "no such task")
		return
	}
	step, ok := t.next(r.Context())
	if !ok {
		return // with nobody there to answer
	}
	data := queryData{Status: step.State, Progress: finite(step.Progress), Message: step.Message}
	if step.State == convert.StateSuccess && step.Files != nil {
		data.Result = t.result(step.Files, s.opts.Now(), s.opts.URLLifetime, s.publicURL(r))
	}

	switch {
	case step.Body != nil:
		answerBytes(w, http.StatusOK, step.Body)
	case step.Code != 0:
		message := step.Message
		if message == "" {
			message = nameOf(step.Code)
		}
		answer(w, http.StatusOK, envelope{Code: step.Code, Message: message})
	default:
		answer(w, http.StatusOK, envelope{Data: data})
	}
}

// next calls Step when no other query does, unless ctx ends before.
func (t *task) next(ctx context.Context) (Step, bool) {
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
		return step(t.job), true
	case <-ctx.Done():
		return Step{}, false
	}
}

// result keeps files and gives each an address that works for lifetime.
func (t *task) result(files [][]byte, now time.Time, lifetime time.Duration, base string) *result {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.files = files
	if t.finished.IsZero() {
		t.finished = now
	}
	res := &result{}
	res.Task.Elapsed = t.finished.Sub(t.submitted).Milliseconds()
	res.Task.ResourceSize = t.sub.read.Load()
	list := make([]resultFile, len(files))
	for i, f := range files {
		list[i] = resultFile{URL: base + t.link(i, now, lifetime), Size: len(f)}
	}
	if t.sub.Task.Target == convert.PDF {
		res.PDFs = list
	} else {
		res.Texts = list
	}
	return res
}
