package convert_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/convert"
)

// queue yields two tasks at once, and a third one an hour later, or none where ctx
// ends before.
func queue(ctx context.Context) iter.Seq2[int, convert.Request] {
	return func(yield func(int, convert.Request) bool) {
		for i, pause := range []time.Duration{0, 0, time.Hour} {
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return
			}
			if !yield(i, convert.PDFRequest{URL: "https://src.example/1", Filename: fmt.Sprintf("doc%d.docx", i)}) {
				return
			}
		}
	}
}

func TestBatchGoesOnWhileItsSourceBlocks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		start, named, asked := time.Now(), 0, 0
		client := newClient(t, &factory{}, nil)
		for key, outcome := range convert.Batch(t.Context(), client, queue(t.Context()), &convert.BatchOptions[int]{
			Dir: dir,
			Submitted: func(key int, _ convert.Task) error {
				if late := time.Since(start) > 0; late != (key == 2) {
					t.Errorf("document %d: Submitted runs after %v", key, time.Since(start))
				}
				return nil
			},
			Name:     func(key, _, _ int, _ convert.File) string { named++; return strconv.Itoa(key) },
			Progress: func(int, *convert.Status) { asked++ },
		}) {
			if outcome.Err != nil {
				t.Errorf("document %d ended with %v", key, outcome.Err)
			}
			if late := time.Since(start) > time.Minute; late != (key == 2) {
				t.Errorf("document %d is yielded after %v", key, time.Since(start))
			}
		}
		if named != 3 || asked != 9 {
			t.Errorf("Name ran %d times and Progress %d, want 3 and 9", named, asked)
		}
	})
}

func TestBatchEndsWithItsContextWhileItsSourceBlocks(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		watches bool // whether the source watches the context
		want    time.Duration
		yielded int
	}{
		"a source that watches it":        {true, 2 * time.Second, 2},
		"a source that does not watch it": {false, time.Hour, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
				defer cancel()
				source := queue(t.Context())
				if test.watches {
					source = queue(ctx)
				}
				f := &factory{}
				start, yielded := time.Now(), 0
				for key, outcome := range convert.Batch(ctx, newClient(t, f, nil), source, nil) {
					yielded++
					if !errors.Is(outcome.Err, context.DeadlineExceeded) || (outcome.Task.ID == "") != (key == 2) {
						t.Errorf("document %d ended as %+v, want the error of the context", key, outcome)
					}
					if key < 2 && time.Since(start) != 2*time.Second {
						t.Errorf("document %d is yielded after %v, want 2 s", key, time.Since(start))
					}
				}
				if took := time.Since(start); took != test.want || yielded != test.yielded || f.submits != 2 {
					t.Errorf("the loop took %v, yielded %d and submitted %d, want %v, %d and 2", took, yielded, f.submits, test.want, test.yielded)
				}
			})
		})
	}
}

func TestPanicInTheSourceEndsABatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		defer func() {
			if recover() != "mine" || time.Since(start) > time.Second {
				t.Errorf("the panic of the source is lost, or late: after %v", time.Since(start))
			}
		}()
		requests := func(yield func(int, convert.Request) bool) {
			yield(0, task)
			panic("mine")
		}
		for range convert.Batch(t.Context(), newClient(t, &service{answers: []string{running("1")}}, nil), requests, nil) {
			t.Error("an outcome after a panic")
		}
	})
}

func TestBatchThatWasCancelledReadsNothing(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	read := func(func(int, convert.Request) bool) { t.Error("the source is read") }
	for range 20 { // the choice of a place or the context is a matter of luck
		for key, outcome := range convert.Batch(ctx, newClient(t, &factory{}, nil), read, nil) {
			t.Errorf("document %d ended as %+v", key, outcome)
		}
	}
}

func TestBatchYieldsWhatEndedBeforeItReadsOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ended atomic.Int32
		requests := func(yield func(int, convert.Request) bool) {
			for i := range 50 {
				if i == 40 {
					time.Sleep(time.Minute) // a source that stalls; all before it end
				}
				if i == 42 && ended.Load() < 40 {
					t.Errorf("the source is read on, and %d of 40 documents were yielded", ended.Load())
				}
				if !yield(i, convert.Task{ID: "doc" + strconv.Itoa(i)}) {
					return
				}
			}
		}
		for range convert.Batch(t.Context(), newClient(t, &factory{}, nil), requests, &convert.BatchOptions[int]{Concurrency: 100}) {
			ended.Add(1)
		}
		if ended.Load() != 50 {
			t.Errorf("%d outcomes, want 50", ended.Load())
		}
	})
}

// TestSlowLoopDoesNotUseUpMaxWait: all documents end long before MaxWait, and wait
// for the body of the loop far longer.
func TestSlowLoopDoesNotUseUpMaxWait(t *testing.T) {
	t.Parallel()
	tests := map[string]*convert.BatchOptions[int]{
		"without functions": {},
		"Name":              {Name: func(key, _, _ int, _ convert.File) string { return strconv.Itoa(key) }},
		"Progress":          {Progress: func(int, *convert.Status) {}},
		"Submitted":         {Submitted: func(int, convert.Task) error { return nil }},
	}
	for name, options := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options.Dir = t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				client := newClient(t, &factory{}, func(cfg *convert.Config) { cfg.MaxWait = time.Minute })
				for key, outcome := range convert.Batch(t.Context(), client, documents(100), options) {
					if failed := key%10 == 3; errors.Is(outcome.Err, convert.ErrWaitLimit) || (outcome.Err != nil) != failed {
						t.Errorf("document %d ended with %v", key, outcome.Err)
					}
					time.Sleep(30 * time.Second)
				}
			})
		})
	}
}

func TestMaxWaitEndsADocumentOfABatch(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		progress, maxWait, want time.Duration
	}{
		"after MaxWait":                    {0, time.Minute, time.Minute},
		"without the time of Progress":     {10 * time.Second, 18 * time.Second, 68 * time.Second},
		"with the context where it is off": {0, -1, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				client := newClient(t, &service{answers: []string{running("1")}}, func(cfg *convert.Config) {
					cfg.MaxWait = test.maxWait
					cfg.Backoff.Min, cfg.Backoff.Max = 4*time.Second, 4*time.Second // five queries in 18 s
				})
				requests := func(yield func(int, convert.Request) bool) { yield(0, task) }
				start, asked := time.Now(), 0
				for _, outcome := range convert.Batch(ctx, client, requests, &convert.BatchOptions[int]{
					Progress: func(int, *convert.Status) { asked++; time.Sleep(test.progress) },
				}) {
					if limited := errors.Is(outcome.Err, convert.ErrWaitLimit); limited != (test.maxWait > 0) || outcome.Err == nil {
						t.Errorf("the document ended with %v", outcome.Err)
					}
				}
				if took := time.Since(start); took != test.want {
					t.Errorf("the document took %v with %d queries, want %v", took, asked, test.want)
				}
			})
		})
	}
}
