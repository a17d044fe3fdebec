package convert_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/convert"
)

// factory plays a service whose tasks are named after their documents: each takes
// three queries, and a document named "bad…" fails. It knows how many are under way.
type factory struct {
	mu      sync.Mutex
	queries map[string]int
	submits int
	most    int // submitted and not done, at once
	open    map[string]bool
}

func (f *factory) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.queries == nil {
		f.queries, f.open = map[string]int{}, map[string]bool{}
	}
	name := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	switch {
	case r.Host == "files.example":
		_, _ = io.WriteString(w, "hello")
	case r.Method == http.MethodPost:
		f.submits++
		body, _ := io.ReadAll(r.Body)
		_, name, _ := strings.Cut(string(body), `"filename":"`)
		name, _, _ = strings.Cut(name, ".docx")
		f.open[name] = true
		f.most = max(f.most, len(f.open))
		_, _ = io.WriteString(w, `{"code":0,"data":{"task_id":"`+name+`"}}`)
	case f.queries[name] < 2:
		f.queries[name]++
		_, _ = io.WriteString(w, running("50"))
	case strings.HasPrefix(name, "bad"):
		delete(f.open, name)
		_, _ = io.WriteString(w, broken("bad password"))
	default:
		delete(f.open, name)
		_, _ = io.WriteString(w, done("https://files.example/"+name+"?sig=abcdefgh"))
	}
}

// documents yields n requests under the keys 0 to n-1; every tenth fails.
func documents(n int) iter.Seq2[int, convert.Request] {
	return func(yield func(int, convert.Request) bool) {
		for i := range n {
			name := "doc"
			if i%10 == 3 {
				name = "bad"
			}
			if !yield(i, convert.TextRequest{URL: "https://src.example/" + strconv.Itoa(i), Filename: name + strconv.Itoa(i) + ".docx"}) {
				return
			}
		}
	}
}

func TestBatchGivesEveryDocumentItsOutcome(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		f := &factory{}
		client := newClient(t, f, nil)
		seen := map[int]bool{}
		var stored []string
		progress := 0
		for key, outcome := range convert.Batch(t.Context(), client, documents(100), &convert.BatchOptions[int]{
			Concurrency: 7, Dir: dir,
			Name:      func(key, i, n int, _ convert.File) string { return fmt.Sprintf("%03d-%d-%d.txt", key, i, n) },
			Submitted: func(key int, task convert.Task) error { stored = append(stored, task.ID); return nil },
			Progress:  func(int, *convert.Status) { progress++ },
		}) {
			if seen[key] {
				t.Errorf("document %d is yielded twice", key)
			}
			seen[key] = true
			if key%10 == 3 {
				if !errors.Is(outcome.Err, convert.ErrFailed) || outcome.Result != nil || outcome.Task.ID != fmt.Sprintf("bad%d", key) {
					t.Errorf("document %d ended as %+v, want ErrFailed", key, outcome)
				}
				continue
			}
			want := []string{filepath.Join(dir, fmt.Sprintf("%03d-0-1.txt", key))}
			if outcome.Err != nil || !slices.Equal(outcome.Paths, want) || len(outcome.Result.Files) != 1 {
				t.Errorf("document %d ended as %+v, want %v", key, outcome, want)
			}
		}
		if len(seen) != 100 || len(stored) != 100 || len(tree(t, dir)) != 90 || progress != 300 {
			t.Errorf("%d outcomes, %d stored, %d files, %d statuses, want 100, 100, 90, 300", len(seen), len(stored), len(tree(t, dir)), progress)
		}
		if f.most != 7 {
			t.Errorf("%d documents were under way at once, want 7", f.most)
		}
	})
}

func TestBatchWithoutOptions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &factory{}
		requests := map[string]convert.Request{
			"a": text(), "b": pdf(), "c": convert.Task{ID: "doc-stored"},
			"d": convert.PDFRequest{}, "e": nil, "f": &convert.TextRequest{},
		}
		got := map[string]string{}
		for key, outcome := range convert.Batch(t.Context(), newClient(t, f, nil), maps.All(requests), nil) {
			switch {
			case outcome.Err != nil:
				got[key] = strings.Join(fields(outcome.Err), " ")
			case outcome.Paths != nil:
				t.Errorf("%s was saved: %v", key, outcome.Paths)
			default:
				got[key] = outcome.Task.ID + " " + outcome.Result.Files[0].URL[:30]
			}
		}
		want := map[string]string{
			"a": "report https://files.example/report?s", "b": "report https://files.example/report?s",
			"c": "doc-stored https://files.example/doc-stor",
			"d": "URL Filename", "e": "Request", "f": "Request",
		}
		if diff := cmp.Diff(want, got); diff != "" || f.submits != 2 {
			t.Errorf("%d submits, want 2; outcomes (-want +got):\n%s", f.submits, diff)
		}
	})
}

func TestBatchOfNothing(t *testing.T) {
	t.Parallel()
	none := func(func(int, convert.Request) bool) {}
	for key, outcome := range convert.Batch(t.Context(), newClient(t, &factory{}, nil), none, nil) {
		t.Errorf("Batch of nothing yields %v, %v", key, outcome)
	}
}

func TestNothingOfABatchRunsAfterABreak(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		f := &factory{}
		read := 0
		requests := func(yield func(int, convert.Request) bool) {
			for key, req := range documents(1000) {
				if read++; !yield(key, req) {
					return
				}
			}
		}
		var left time.Time
		for range convert.Batch(t.Context(), newClient(t, f, nil), requests, &convert.BatchOptions[int]{Dir: dir, Concurrency: 5}) {
			left = time.Now()
			break
		}
		if took := time.Since(left); took != 0 {
			t.Errorf("leaving the loop took %v: what was under way is not cancelled", took)
		}
		f.mu.Lock()
		submits := f.submits
		f.mu.Unlock()
		time.Sleep(time.Hour) // a goroutine that is left keeps the bubble from ending
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.submits != submits || f.submits > 6 || read > 6 {
			t.Errorf("%d submits, then %d, of %d read requests", submits, f.submits, read)
		}
		for name := range tree(t, dir) {
			if strings.HasPrefix(name, ".") {
				t.Errorf("the batch left %s", name)
			}
		}
	})
}

// lingering is a Limiter that takes a second to notice the end of a context.
type lingering struct{ active atomic.Int32 }

func (l *lingering) Wait(ctx context.Context) error {
	l.active.Add(1)
	defer l.active.Add(-1)
	<-ctx.Done()
	time.Sleep(time.Second)
	return ctx.Err()
}

func TestLeavingABatchWaitsForWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limiter := &lingering{}
		client := newClient(t, &factory{}, func(cfg *convert.Config) { cfg.Limiter = limiter })
		requests := slices.All([]convert.Request{task, task, task, nil}) // the last ends at once
		for range convert.Batch(t.Context(), client, requests, nil) {
			break
		}
		if n := limiter.active.Load(); n != 0 {
			t.Errorf("%d calls go on after the loop", n)
		}
	})
}

func TestBatchEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(1500*time.Millisecond, cancel)
		cut, keys := 0, map[int]bool{}
		for key, outcome := range convert.Batch(ctx, newClient(t, &factory{}, nil), documents(1000), &convert.BatchOptions[int]{Concurrency: 5}) {
			keys[key] = true
			if errors.Is(outcome.Err, context.Canceled) {
				if cut++; outcome.Task.ID == "" {
					t.Errorf("document %d was submitted, and its task is lost: %+v", key, outcome)
				}
			}
		}
		if cut != 5 || len(keys) > 10 {
			t.Errorf("%d documents were cut off of %d, want 5", cut, len(keys))
		}
	})
}

func TestPanicInTheLoopLeavesNothingRunning(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		defer func() {
			if recover() != "mine" {
				t.Error("the panic of a function of the caller is lost")
			}
		}()
		for range convert.Batch(t.Context(), newClient(t, &factory{}, nil), documents(100), &convert.BatchOptions[int]{
			Progress: func(int, *convert.Status) { panic("mine") },
		}) {
			t.Error("an outcome after a panic")
		}
	})
}

func TestBatchSubmittedMayRefuse(t *testing.T) {
	t.Parallel()
	errStore := errors.New("the database is down")
	f := &factory{}
	for key, outcome := range convert.Batch(t.Context(), newClient(t, f, nil), documents(3), &convert.BatchOptions[int]{
		Submitted: func(int, convert.Task) error { return errStore },
	}) {
		if !errors.Is(outcome.Err, errStore) || outcome.Task.ID == "" {
			t.Errorf("document %d ended as %+v, want the error and the task", key, outcome)
		}
	}
	if len(f.queries) != 0 {
		t.Errorf("%d tasks were queried, want none", len(f.queries))
	}
}

func TestBatchSharesNoNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		good, refused := 0, 0
		for _, outcome := range convert.Batch(t.Context(), newClient(t, &factory{}, nil), documents(3), &convert.BatchOptions[int]{
			Dir: dir, Name: func(int, int, int, convert.File) string { return "same.txt" },
		}) {
			if outcome.Err == nil {
				good++
			} else if slices.Equal(fields(outcome.Err), []string{"Name"}) {
				refused++
			}
		}
		if good != 1 || refused != 2 {
			t.Errorf("%d documents were saved under one name and %d refused, want 1 and 2", good, refused)
		}
	})
}

func TestBatchChecksTheFolderBeforeItSubmits(t *testing.T) {
	t.Parallel()
	f := &factory{}
	for _, outcome := range convert.Batch(t.Context(), newClient(t, f, nil), documents(3), &convert.BatchOptions[int]{Dir: filepath.Join(t.TempDir(), "missing")}) {
		if outcome.Err == nil || !strings.HasPrefix(outcome.Err.Error(), "convert: batch: ") {
			t.Errorf("a document ended as %+v, want an error of the folder", outcome)
		}
	}
	if f.submits != 0 {
		t.Errorf("%d documents were submitted", f.submits)
	}
}
