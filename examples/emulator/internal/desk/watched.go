package desk

import (
	"os"
	"sync"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
)

// watched is a job whose steps both the fake and the desk look at.
type watched struct {
	mu        sync.Mutex
	job       converttest.Job
	cancelled bool
	result    *converttest.Step // Of a success.
}

// Step implements [converttest.Job].
func (w *watched) Step() converttest.Step {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cancelled {
		return converttest.Failure("cancelled")
	}
	if w.result != nil {
		return *w.result
	}
	step := w.job.Step()
	if step.State == convert.StateSuccess {
		step = inMemory(step)
		w.result = &step
	}
	return step
}

// inMemory reads a result, so that it outlives the files of the engine. One that is larger
// than all results that are kept stays where it is.
func inMemory(s converttest.Step) converttest.Step {
	if s.Files != nil || s.Paths == nil {
		return s
	}
	left := int64(maxResultBytes)
	files := make([][]byte, 0, len(s.Paths))
	for _, path := range s.Paths {
		info, err := os.Stat(path)
		if err != nil || info.Size() > left {
			return s
		}
		b, err := os.ReadFile(path) // #nosec G304 -- a file of the engine
		if err != nil {
			return s
		}
		left -= info.Size()
		files = append(files, b)
	}
	s.Files, s.Paths = files, nil
	return s
}

// stop ends the job.
func (w *watched) stop(cancel func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if step := w.job.Step(); step.State != convert.StateSuccess {
		w.cancelled = true
	}
	cancel()
}
