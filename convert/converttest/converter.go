package converttest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"sync"

	"github.com/weboffice-go/weboffice/convert"
)

// Converter is the work behind the API.
type Converter interface {
	// Start accepts a submission, or refuses it: a *convert.APIError is answered as it
	// is, any other error, and a panic, with code 30004. ctx ends when the Server is
	// closed. Start is called concurrently.
	Start(ctx context.Context, s Submission) (Job, error)
}

// Job is one conversion.
type Job interface {
	// Step says what the next task query answers. It is never called concurrently for
	// one Job. A panic is a Failure.
	Step() Step
}

// Step is what one task query answers (protocol 2.3).
type Step struct {
	_        [0]func()
	State    string   // Any word; convert.StateSuccess has a result.
	Progress float64  // From 0 to 100.
	Message  string   // Why the task failed.
	Files    [][]byte // The result of a success. nil: none; empty: a result without a list.
	Paths    []string // The result as files on disk, if Files is nil.
	Code     int      // If not 0, an answer of this code and Message instead.
	Body     []byte   // If not nil, the whole answer.
}

// States that the fake uses. The protocol shows only the one for success; the
// other words are those that clients of the service wait for (public reference 1.1).
const (
	statePending = "running"
	stateFailure = "failure"
)

// Pending is the step of a task in progress.
func Pending(progress float64) Step { return Step{State: statePending, Progress: progress} }

// Success is the step of a task that succeeded, with its files in order.
func Success(files ...[]byte) Step {
	if files == nil {
		files = [][]byte{}
	}
	return Step{State: convert.StateSuccess, Progress: 100, Files: files}
}

// Failure is the step of a task that failed.
func Failure(message string) Step { return Step{State: stateFailure, Message: message} }

// Script is a [Converter] whose tasks answer every query with the next step, and repeat
// the last one. An empty Script is one Pending(0).
type Script []Step

// Start implements [Converter].
func (s Script) Start(context.Context, Submission) (Job, error) {
	if len(s) == 0 {
		s = Script{Pending(0)}
	}
	return &scriptJob{rest: s}, nil
}

type scriptJob struct{ rest Script }

func (j *scriptJob) Step() Step {
	step := j.rest[0]
	if len(j.rest) > 1 {
		j.rest = j.rest[1:]
	}
	return step
}

// Scripts is a [Converter] with a Script for each filename; that of "" is for all others.
// A document without one is refused with code 30012.
type Scripts map[string]Script

// Start implements [Converter].
func (s Scripts) Start(ctx context.Context, sub Submission) (Job, error) {
	script, ok := s[sub.Filename]
	if !ok {
		script, ok = s[""]
	}
	if !ok {
		return nil, &convert.APIError{StatusCode: http.StatusNotFound, Code: convert.CodeFileNotExists, Message: fmt.Sprintf("no Script for %q", sub.Filename)}
	}
	return script.Start(ctx, sub)
}

// start is Converter.Start, but returns panics as errors.
func start(ctx context.Context, c Converter, sub Submission) (job Job, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("converttest: Converter: panic: %v", p)
		}
	}()
	job, err = c.Start(ctx, sub)
	if err == nil && job == nil {
		err = errors.New("converttest: Converter: Start returned neither a Job nor an error")
	}
	return job, err
}

// try returns the step of work; its error, or a panic, is a Failure.
func try(work func() (Step, error)) (step Step) {
	defer func() {
		if p := recover(); p != nil {
			step = Failure(fmt.Sprintf("panic: %v", p))
		}
	}()
	step, err := work()
	if err != nil {
		return Failure(err.Error())
	}
	return step
}

// Async makes a [Converter] of a function that takes real time. The Server runs it in a
// goroutine for each submission; meanwhile queries are answered with the last progress,
// from 0 to 100. Its error, or a panic, is a [Failure]. ctx ends when the Server is
// closed, and Close waits for the function.
func Async(convert func(ctx context.Context, s Submission, progress func(percent float64)) ([][]byte, error)) Converter {
	return asyncConverter(func(ctx context.Context, s Submission, progress func(float64)) (Step, error) {
		files, err := convert(ctx, s, progress)
		return Success(files...), err
	})
}

// AsyncPaths is [Async] for files on disk, of which the function returns the paths. After
// you have removed them, a query for the task finds nothing (code 30012), nor does a
// download (status 404).
func AsyncPaths(convert func(ctx context.Context, s Submission, progress func(percent float64)) ([]string, error)) Converter {
	return asyncConverter(func(ctx context.Context, s Submission, progress func(float64)) (Step, error) {
		paths, err := convert(ctx, s, progress)
		step := Success()
		if len(paths) > 0 {
			step.Files, step.Paths = nil, paths
		}
		return step, err
	})
}

type asyncConverter func(context.Context, Submission, func(float64)) (Step, error)

// runnerKey is the key of the Server's runner in the context of Start, so that an Async
// inside another Converter finds it too.
type runnerKey struct{}

// runner runs a function in a goroutine.
type runner func(func())

func (c asyncConverter) Start(ctx context.Context, s Submission) (Job, error) {
	run, ok := ctx.Value(runnerKey{}).(runner)
	if !ok {
		return nil, errors.New("converttest: Async: Start was called with another context than the Server's")
	}
	j := &asyncJob{now: Pending(0)}
	progress := func(percent float64) {
		if !math.IsNaN(percent) {
			j.set(Pending(min(max(percent, 0), 100)), false)
		}
	}
	run(func() { j.set(try(func() (Step, error) { return c(ctx, s, progress) }), true) })
	return j, nil
}

// asyncJob is where goroutine and queries meet.
type asyncJob struct {
	mu    sync.Mutex
	now   Step
	ended bool
}

func (j *asyncJob) Step() Step {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.now
}

// set changes the step, unless the last one is there.
func (j *asyncJob) set(step Step, last bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.ended {
		j.now, j.ended = step, last
	}
}
