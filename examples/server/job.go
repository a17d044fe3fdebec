package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// The kinds of jobs that the API knows.
const (
	conversionKind = "conversion"
	messageKind    = "message"
)

// once makes the field Key of a job's arguments unique as long as the job is kept.
func once(queue string) river.InsertOpts {
	return river.InsertOpts{
		Queue: queue, MaxAttempts: maxAttempts,
		UniqueOpts: river.UniqueOpts{
			ByArgs:  true,
			ByState: append(rivertype.UniqueOptsByStateDefault(), rivertype.JobStateCancelled, rivertype.JobStateDiscarded),
		},
	}
}

// intent is the part of a job's state that survives the death of a process in the moment
// that matters. Begun is stored before a call that must not be made twice, and cleared
// when it is known what became of it. A job that finds it set cannot know, makes the call
// again, and counts that in Repeated: a process or its connection died between the call and
// the answer, or before the answer was stored, and the service has no key by which it would
// know a repeated call.
type intent struct {
	Begun    bool   `json:"begun"`
	Repeated int    `json:"repeated"`
	Trouble  string `json:"trouble"` // What went wrong last, for a job that comes to its deadline.

	tried bool // by the worker that has the job now
}

// try begins a call, and reports whether it may be the second of its kind. Another attempt
// of the same call, after an answer, is not.
func (i *intent) try() (repeated bool) {
	if repeated = i.Begun && !i.tried; repeated {
		i.Repeated++
	}
	i.Begun, i.tried = true, true
	return repeated
}

// refused is for a call that had no effect. What is known of an earlier one stays if this
// one was not even tried.
func (i *intent) refused() { i.Begun = i.Begun && !i.tried }

// expired says that a job has come to its deadline.
func (i *intent) expired(what string, deadline time.Duration) string {
	why := fmt.Sprintf("not %s after %v", what, deadline)
	if i.Trouble != "" {
		why += ": " + i.Trouble
	}
	return why
}

// readState reads what a job stored last. It is in the output of the job's row.
func readState[S any](row *rivertype.JobRow) (state S, err error) {
	if output := row.Output(); output != nil {
		err = json.Unmarshal(output, &state)
	}
	return state, err
}

// store stores the state of a job at once, not when its work returns. If the database is
// away for a moment it tries again, also while the program ends: what is not stored is
// done again.
func (a *app) store(ctx context.Context, id int64, state any) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storePatience)
	defer cancel()
	for {
		_, err := a.queue.JobUpdate(ctx, id, &river.JobUpdateParams{Output: state})
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// storePatience is how long the state of a job may take to be stored.
const storePatience = 10 * time.Second

// limiter is what convert and webhook ask before each call.
type limiter interface {
	Wait(ctx context.Context) error
}

// marking is a limiter that lets a job store its intent in the moment before the call:
// after the wait for a slot, which may be long, and before anything is sent. A wait ends
// when the program does: the job is still in the queue, and nothing was sent.
type marking struct {
	limiter
	ending <-chan struct{}
}

type beforeKey struct{}

// before returns a context whose next call is preceded by mark.
func before(ctx context.Context, mark func(context.Context) error) context.Context {
	return context.WithValue(ctx, beforeKey{}, mark)
}

// Wait implements convert.Limiter and webhook.Limiter.
func (m marking) Wait(ctx context.Context) error {
	if err := m.wait(ctx); err != nil {
		return err
	}
	if mark, ok := ctx.Value(beforeKey{}).(func(context.Context) error); ok {
		return mark(ctx)
	}
	return nil
}

func (m marking) wait(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-m.ending:
			cancel()
		case <-ctx.Done():
		}
	}()
	return m.limiter.Wait(ctx)
}

// pause is how long a job waits for the next look: a fifth of its age, up to ten seconds.
func (a *app) pause(created time.Time) time.Duration {
	return min(max(a.settings.poll, time.Since(created)/5), max(a.settings.poll, 10*time.Second))
}
