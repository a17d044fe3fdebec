package converttest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
)

// Async turns a function into a [Converter] whose tasks take real time and work,
// such as that of an office suite. The Server runs it in a goroutine of its own
// for each submission; meanwhile queries answer the last progress, from 0 to 100,
// that it reported. Its files end the task well; its error, and a panic, are a
// [Failure] with that text. ctx ends when the Server is closed, and Close waits
// for the function.
func Async(convert func(ctx context.Context, s Submission, progress func(percent float64)) ([][]byte, error)) Converter {
	return asyncConverter(convert)
}

type asyncConverter func(context.Context, Submission, func(float64)) ([][]byte, error)

// runnerKey is where a Server keeps its runner in the context of Start, so that
// it knows of the goroutines also of an Async inside another Converter.
type runnerKey struct{}

// runner runs a function in a goroutine.
type runner func(func())

// Start implements [Converter].
func (c asyncConverter) Start(ctx context.Context, s Submission) (Job, error) {
	run, ok := ctx.Value(runnerKey{}).(runner)
	if !ok {
		return nil, errors.New("converttest: Async: Start was called with another context than the Server's")
	}
	j := &asyncJob{now: Pending(0)}
	run(func() { j.end(c.run(ctx, s, j.progress)) })
	return j, nil
}

// run calls the function without its panics.
func (c asyncConverter) run(ctx context.Context, s Submission, progress func(float64)) (files [][]byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			files, err = nil, fmt.Errorf("panic: %v", p)
		}
	}()
	return c(ctx, s, progress)
}

// asyncJob is where goroutine and queries meet.
type asyncJob struct {
	mu    sync.Mutex
	now   Step
	ended bool
}

// Step implements [Job].
func (j *asyncJob) Step() Step {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.now
}

func (j *asyncJob) progress(percent float64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.ended && !math.IsNaN(percent) {
		j.now = Pending(min(max(percent, 0), 100))
	}
}

func (j *asyncJob) end(files [][]byte, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ended, j.now = true, Success(files...)
	if err != nil {
		j.now = Failure(err.Error())
	}
}
