package convert_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/convert"
)

// However a batch ends, the caller learns of every task that the service made: of those
// whose answer was there, and of those whose submit was on the wire.
func TestLeavingABatchLosesNoTask(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(cancel func()) (more bool){
		"break":  func(func()) bool { return false },
		"cancel": func(cancel func()) bool { cancel(); return true },
		"panic":  func(func()) bool { panic("the body fails") },
	} {
		for _, slow := range []time.Duration{0, time.Second, time.Hour} {
			t.Run(fmt.Sprintf("%s, answers after %v", name, slow), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					var made atomic.Int32
					service := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						if r.Method != http.MethodPost {
							_, _ = io.WriteString(w, done())
							return
						}
						n := made.Add(1)
						if n > 1 {
							select {
							case <-time.After(slow):
							case <-r.Context().Done():
							}
						}
						_, _ = fmt.Fprintf(w, `{"code":0,"data":{"task_id":"t%d"}}`, n)
					})
					told := map[string]bool{}
					opts := &convert.BatchOptions[int]{Concurrency: 40, Submitted: func(_ int, task convert.Task) error {
						told[task.ID] = true
						return nil
					}}
					client := newClient(t, service, func(cfg *convert.Config) { cfg.Limiter = convert.NewLimiter(1000, time.Second) })
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					start := time.Now()
					func() {
						defer func() { _ = recover() }()
						for range convert.Batch(ctx, client, documents(40), opts) {
							if !end(cancel) {
								break
							}
						}
					}()
					took := time.Since(start)
					want := int(made.Load())
					if slow == time.Hour {
						want = 1 // the others are given up
					}
					if len(told) != want || took > 8*time.Second {
						t.Errorf("after %v the caller knows %d of %d tasks", took, len(told), made.Load())
					}
				})
			})
		}
	}
}

// An answer that belongs to another call would save its document twice.
func TestBatchRefusesATaskOfAnotherDocument(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				_, _ = io.WriteString(w, submitted)
				return
			}
			_, _ = io.WriteString(w, done("https://files.example/1"))
		})
		failed := 0
		for _, outcome := range convert.Batch(t.Context(), newClient(t, service, nil), documents(2), nil) {
			if outcome.Err != nil {
				failed++
				if outcome.Task.ID != "" || outcome.Result != nil {
					t.Errorf("the outcome of a foreign task is %v", outcome)
				}
			}
		}
		if failed != 1 {
			t.Errorf("%d of 2 documents with one task failed, want 1", failed)
		}
	})
}

func TestBatchFilesDoNotCollide(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tasks []string
		names func(key string, i, n int, f convert.File) string
	}{
		"a name with a number": {[]string{"a", "a-001"}, nil},
		"ids in upper case":    {[]string{"doc", "DOC"}, nil},
		"names in upper case": {[]string{"1", "2"}, func(key string, _, _ int, _ convert.File) string {
			return []string{"", "Ä.pdf", "ä.PDF"}[len(key)+int(key[0]-'1')]
		}},
		"names in another spelling": {[]string{"1", "2"}, func(key string, _, _ int, _ convert.File) string {
			return map[string]string{"1": "a/b", "2": "a//b"}[key]
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				mux := http.NewServeMux()
				mux.HandleFunc("files.example/", say(200, "hello"))
				mux.HandleFunc("office.example/", func(w http.ResponseWriter, r *http.Request) {
					urls := []string{"https://files.example/1"}
					if r.URL.Path[len(r.URL.Path)-2:] == "/a" {
						urls = append(urls, urls[0])
					}
					_, _ = io.WriteString(w, done(urls...))
				})
				requests := map[string]convert.Request{}
				for _, id := range test.tasks {
					requests[id] = convert.Task{ID: id}
				}
				failed := 0
				for _, outcome := range convert.Batch(t.Context(), newClient(t, mux, nil), maps.All(requests), &convert.BatchOptions[string]{Dir: dir, Name: test.names}) {
					if outcome.Err != nil {
						failed++
					}
				}
				if failed != 1 {
					t.Errorf("%d documents failed, want the later one; files %v", failed, slices.Sorted(maps.Keys(tree(t, dir))))
				}
			})
		})
	}
}

func TestClientsShareALimiter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limiter := convert.NewLimiter(2, time.Second)
		var starts []time.Duration
		begin := time.Now()
		service := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			starts = append(starts, time.Since(begin))
			_, _ = io.WriteString(w, running("1"))
		})
		for i := range 4 {
			client := newClient(t, service, func(cfg *convert.Config) { cfg.Limiter = limiter }) // as after a key was changed
			if _, err := client.Status(t.Context(), convert.Task{ID: strconv.Itoa(i)}); err != nil {
				t.Error(err)
			}
		}
		if want := []time.Duration{0, 0, 1100 * time.Millisecond, 1100 * time.Millisecond}; !slices.Equal(starts, want) {
			t.Errorf("calls started at %v, want %v", starts, want)
		}
	})
}

func TestWithWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		client := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			calls++
			_, _ = io.WriteString(w, running("1"))
		}), nil)
		patient := client.WithWait(convert.WaitOptions{Backoff: convert.Backoff{Min: time.Minute, Max: time.Minute}, MaxWait: 2 * time.Hour})
		for c, want := range map[*convert.Client]struct {
			took  time.Duration
			calls int
		}{patient: {2 * time.Hour, 120}, patient.WithWait(convert.WaitOptions{MaxWait: time.Minute}): {time.Minute, 1}} {
			calls = 0
			start := time.Now()
			_, err := c.Wait(t.Context(), task)
			if took := time.Since(start); err == nil || took != want.took || calls < want.calls || calls > want.calls+1 {
				t.Errorf("Wait = %v after %v and %d calls, want %+v", err, took, calls, want)
			}
		}
		start := time.Now()
		if _, err := client.Wait(t.Context(), task); err == nil || time.Since(start) != convert.DefaultMaxWait {
			t.Errorf("the client itself waits %v: %v", time.Since(start), err)
		}
	})
}
