package convert_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/convert"
)

var task = convert.Task{ID: "open:abc", Target: convert.Text}

func TestWatchAsksAtOnceAndThenAtThePace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := &service{answers: []string{running("1"), running("2"), running("3"), running("4"), running("5"), running("6"), done("https://files.example/1")}}
		client := newClient(t, service, nil)
		start := time.Now()
		var progress []float64
		for status, err := range client.Watch(t.Context(), task) {
			if err != nil {
				t.Fatal(err)
			}
			progress = append(progress, status.Progress)
		}
		if diff := cmp.Diff([]float64{1, 2, 3, 4, 5, 6, 100}, progress); diff != "" {
			t.Errorf("progress (-want +got):\n%s", diff)
		}
		last := start
		for i, call := range service.received() {
			pause := call.At.Sub(last).Seconds()
			middle := [7]float64{0, 1, 2, 4, 8, 10, 10}[i]
			if low, high := max(min(1, middle), middle*0.75), min(10, middle*1.25); pause < low || pause > high {
				t.Errorf("pause %d took %v s, want %v to %v", i, pause, low, high)
			}
			last = call.At
		}
	})
}

func TestWatchEndsWithATaskError(t *testing.T) {
	t.Parallel()
	errCause := errors.New("the user left")
	tests := []struct {
		name     string
		answers  []string
		end      time.Duration // of the context; 0: never
		maxWait  time.Duration
		want     []error
		notWant  []error
		yielded  int  // statuses without an error
		withLast bool // the error comes with a Status
		text     string
	}{
		{
			"a task that failed",
			[]string{running("1"), broken("bad password")},
			0, 0,
			[]error{convert.ErrFailed},
			nil, 1, true,
			`convert: task "open:abc": task failed: "bad password" (last state "failure", 3%)`,
		},
		{
			"a long state and a long message",
			[]string{`{"code":0,"data":{"status":"` + strings.Repeat("s", 9000) + `","message":"` + strings.Repeat("m", 9000) + `"}}`},
			0, 0,
			[]error{convert.ErrFailed},
			nil, 0, true,
			`convert: task "open:abc": task failed: "` + strings.Repeat("m", 300) + `…" (last state "` + strings.Repeat("s", 300) + `…", 0%)`,
		},
		{
			"success with no result",
			[]string{`{"code":0,"data":{"status":"success","progress":100}}`},
			0, 0,
			[]error{convert.ErrNoResult},
			[]error{convert.ErrFailed},
			0, false,
			`convert: task "open:abc": success with no result (last state "success", 100%)`,
		},
		{
			"the default limit",
			[]string{running("40")},
			0, 0,
			[]error{convert.ErrWaitLimit},
			[]error{convert.ErrFailed, context.DeadlineExceeded},
			-1, false,
			`convert: task "open:abc": waited for MaxWait (last state "running", 40%)`,
		},
		{
			"another limit",
			[]string{running("40")},
			0, time.Minute,
			[]error{convert.ErrWaitLimit},
			[]error{context.Canceled},
			-1, false, `waited for MaxWait`,
		},
		{
			"the context is sooner",
			[]string{running("40")},
			10 * time.Second, time.Minute,
			[]error{context.Canceled, errCause},
			[]error{convert.ErrWaitLimit},
			-1, false, `the user left`,
		},
		{
			"no limit but the context",
			[]string{running("40")},
			3 * time.Hour, -1,
			[]error{context.Canceled, errCause},
			[]error{convert.ErrWaitLimit},
			-1, false, `the user left`,
		},
		{
			"an error in the middle",
			[]string{running("1"), running("2"), "<html>"},
			0, 0,
			nil,
			[]error{convert.ErrWaitLimit, convert.ErrFailed},
			2, false,
			`convert: task "open:abc": status: http status 200: not the JSON of an answer (last state "running", 2%)`,
		},
		{
			"an error at once",
			[]string{`{"code":10001,"message":"no such task"}`},
			0, 0,
			nil,
			[]error{convert.ErrFailed},
			0, false, `convert: task "open:abc": status: http status 200, code 10001, message "no such task"`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service := &service{answers: test.answers}
				client := newClient(t, service, func(cfg *convert.Config) { cfg.MaxWait = test.maxWait })
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				wantTime := test.maxWait
				if test.maxWait == 0 {
					wantTime = convert.DefaultMaxWait
				}
				if test.end > 0 {
					time.AfterFunc(test.end, func() { cancel(errCause) })
					wantTime = test.end
				}
				start, yielded := time.Now(), 0
				var last *convert.Status
				var failed error
				for status, err := range client.Watch(ctx, task) {
					if failed != nil {
						t.Errorf("Watch goes on after the error %v with %v, %v", failed, status, err)
					}
					if failed = err; err == nil {
						yielded++
						last = status
					} else if (status != nil) != test.withLast {
						t.Errorf("Watch yields %v with the error", status)
					} else if status != nil {
						last = status
					}
				}
				var ended *convert.TaskError
				if !errors.As(failed, &ended) || ended.Task != task {
					t.Fatalf("Watch = %v, want a *TaskError of %v", failed, task)
				}
				for _, want := range test.want {
					if !errors.Is(failed, want) {
						t.Errorf("Watch = %v, want one that is %v", failed, want)
					}
				}
				for _, not := range test.notWant {
					if errors.Is(failed, not) {
						t.Errorf("Watch = %v, want none that is %v", failed, not)
					}
				}
				if test.text[0] != 'c' && !strings.Contains(failed.Error(), test.text) || test.text[0] == 'c' && failed.Error() != test.text {
					t.Errorf("the error reads\n%s\nwant\n%s", failed, test.text)
				}
				if test.yielded >= 0 && yielded != test.yielded {
					t.Errorf("Watch yielded %d times, want %d", yielded, test.yielded)
				}
				if test.yielded < 0 && time.Since(start) != wantTime {
					t.Errorf("Watch took %v, want %v", time.Since(start), wantTime)
				}
				if last != nil && ended.Last != last && !errors.Is(failed, convert.ErrNoResult) {
					t.Errorf("Last = %v, want %v", ended.Last, last)
				}
				bounded, stop := context.WithTimeout(t.Context(), time.Minute)
				defer stop()
				_, err := client.Wait(bounded, convert.Task{ID: "2"})
				if !errors.As(err, &ended) || ended.Task.ID != "2" {
					t.Errorf("Wait = %v, want a *TaskError of its own", err)
				}
			})
		})
	}
}

func TestNothingRunsAfterABreak(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := &service{answers: []string{running("1")}}
		client := newClient(t, service, nil)
		watch := client.Watch(t.Context(), task)
		for _, err := range watch {
			if err != nil {
				t.Error(err)
			}
			break
		}
		time.Sleep(time.Hour) // a goroutine would keep the bubble from ending, too
		if n := len(service.received()); n != 1 {
			t.Errorf("%d queries, want 1", n)
		}
		for _, err := range watch { // a new wait, with a new limit
			if err != nil {
				t.Error(err)
			}
			break
		}
		if n := len(service.received()); n != 2 {
			t.Errorf("%d queries, want 2", n)
		}
	})
}

func TestOneFailedQueryDoesNotEndAWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := 0
		service := &service{answer: func(w http.ResponseWriter, r *http.Request) {
			switch n++; n % 3 {
			case 1:
				hangUp(w, r)
			case 2:
				say(500, "")(w, r)
			default:
				say(200, map[bool]string{true: running("5"), false: done("https://files.example/1")}[n < 9])(w, r)
			}
		}}
		result, err := newClient(t, service, nil).Wait(t.Context(), task)
		if err != nil || len(result.Files) != 1 || n != 9 {
			t.Errorf("Wait = %v, %v after %d attempts, want one file after 9", result, err, n)
		}
	})
}

func TestUnknownStatesNeverEndAWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var answers []string
		for i := range 50 {
			answers = append(answers, `{"code":0,"data":{"status":"state `+strconv.Itoa(i)+`"}}`)
		}
		service := &service{answers: append(answers, done())}
		seen := map[string]bool{}
		for status, err := range newClient(t, service, nil).Watch(t.Context(), task) {
			if err != nil {
				t.Fatal(err)
			}
			seen[status.State] = true
		}
		if len(seen) != 51 {
			t.Errorf("Watch yielded %d states, want 51", len(seen))
		}
	})
}

func TestClassifyIsASetting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := &service{answers: []string{running("1"), `{"code":0,"data":{"status":"finished","result":{"pdfs":[]}}}`}}
		client := newClient(t, service, func(cfg *convert.Config) {
			cfg.Classify = func(s *convert.Status) convert.Phase {
				if s.State == "finished" {
					return convert.Done
				}
				return convert.Running
			}
		})
		if result, err := client.Wait(t.Context(), task); err != nil || len(result.Files) != 0 {
			t.Errorf("Wait = %v, %v, want a result without files", result, err)
		}
	})
}

func TestWaitLimitEndsAQueryUnderWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := 0
		service := &service{answer: func(w http.ResponseWriter, r *http.Request) {
			if n++; n == 1 {
				say(200, running("1"))(w, r)
				return
			}
			<-r.Context().Done()
		}}
		client := newClient(t, service, func(cfg *convert.Config) { cfg.MaxWait = 20 * time.Second })
		start := time.Now()
		_, err := client.Wait(t.Context(), task)
		if !errors.Is(err, convert.ErrWaitLimit) || time.Since(start) != 20*time.Second {
			t.Errorf("Wait = %v after %v, want ErrWaitLimit after 20s", err, time.Since(start))
		}
	})
}

// A wait that ends while a query is repeated says what the service answered, and one that
// ends while a query is on the wire says only why.
func TestAWaitThatEndsInAQuery(t *testing.T) {
	t.Parallel()
	errCause := errors.New("the user left")
	unavailable := say(503, "")
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		wait   func(ctx context.Context, c *convert.Client) error
		want   error
		text   string
	}{
		"cancelled between attempts": {unavailable, func(ctx context.Context, c *convert.Client) error {
			_, err := c.Wait(ctx, task)
			return err
		}, context.Canceled, `convert: task "open:abc": status: http status 503 (then: context canceled: the user left)`},
		"cancelled within an attempt": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, func(ctx context.Context, c *convert.Client) error {
			_, err := c.Wait(ctx, task)
			return err
		}, context.Canceled, `convert: task "open:abc": context canceled: the user left`},
		"MaxWait between attempts": {unavailable, func(ctx context.Context, c *convert.Client) (err error) {
			for _, outcome := range convert.Batch(ctx, c, slices.All([]convert.Request{task}), nil) {
				err = outcome.Err
			}
			return err
		}, convert.ErrWaitLimit, `convert: task "open:abc": waited for MaxWait: convert: status: http status 503`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client := newClient(t, test.answer, func(cfg *convert.Config) {
					cfg.Attempts, cfg.MaxWait = 1000, time.Minute
					cfg.Backoff = convert.Backoff{Min: 40 * time.Second, Max: 40 * time.Second}
				})
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				if errors.Is(test.want, context.Canceled) {
					time.AfterFunc(time.Second, func() { cancel(errCause) })
				}
				if err := test.wait(ctx, client); !errors.Is(err, test.want) || err.Error() != test.text {
					t.Errorf("the wait ends with\n%v\nwant\n%s", err, test.text)
				}
			})
		})
	}
}
