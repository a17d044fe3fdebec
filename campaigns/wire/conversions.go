package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
)

// source is the URL of document i, and content is what it is converted to.
func source(i int) string { return fmt.Sprintf("https://files.example/%d.docx", i) }

func content(url string) []byte { return []byte("the text of " + url) }

// contents is a Converter whose results name their document.
type contents struct{}

func (contents) Start(ctx context.Context, s converttest.Submission) (converttest.Job, error) {
	return converttest.Script{converttest.Pending(40), converttest.Success(content(s.URL))}.Start(ctx, s)
}

// unlimited is a Limiter that never waits.
type unlimited struct{}

func (unlimited) Wait(context.Context) error { return nil }

// convertAll converts n documents in one batch, goes on with the tasks that failed on
// the way, and compares what the client says with what the service did.
func convertAll(ctx context.Context, w *wire, n int) (*tally, error) {
	service := converttest.NewServer(&converttest.Options{Converter: contents{}})
	defer service.Close()
	front := w.over(service)
	defer front.Close()
	dir, err := os.MkdirTemp("", "weboffice-wire-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	cfg := service.Config()
	cfg.BaseURL, cfg.Limiter = front.URL, unlimited{}
	cfg.HTTPClient = &http.Client{Timeout: timeout}
	cfg.Backoff = convert.Backoff{Min: 5 * time.Millisecond, Max: 50 * time.Millisecond}
	client, err := convert.New(cfg)
	if err != nil {
		return nil, err
	}
	defer client.CloseIdleConnections()

	seen, outcomes := map[int]int{}, map[int]convert.Outcome{}
	options := &convert.BatchOptions[int]{Dir: dir, Concurrency: 100}
	pending, resumed := requests(n), 0
	for round := 0; len(pending) > 0 && round < 10; round++ {
		resume := map[int]convert.Request{}
		for i, outcome := range convert.Batch(ctx, client, maps.All(pending), options) {
			seen[i]++
			outcomes[i] = outcome
			if outcome.Err != nil && outcome.Task.ID != "" && !errors.Is(outcome.Err, convert.ErrFailed) {
				resume[i] = outcome.Task
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		resumed += len(resume)
		for i := range resume {
			seen[i]--
		}
		pending = resume
	}
	return judgeConversions(w, service, dir, n, seen, outcomes, resumed), nil
}

func requests(n int) map[int]convert.Request {
	out := map[int]convert.Request{}
	for i := range n {
		out[i] = convert.TextRequest{URL: source(i), Filename: "a.docx", MergePages: true}
	}
	return out
}

// verdict is what a run of conversions is judged by.
type verdict struct {
	once, ok, notMade, wrong, foreign, failed, failedMade, lied int
}

func judgeConversions(w *wire, service *converttest.Server, dir string, n int, seen map[int]int, outcomes map[int]convert.Outcome, resumed int) *tally {
	made, byTask, repeated, byWire := map[string]int{}, map[string]string{}, 0, 0
	for _, s := range service.Submissions() {
		byTask[s.Task.ID] = s.URL
		if made[s.URL]++; made[s.URL] > 1 {
			repeated++
			byWire += w.twice(s.Body)
		}
	}
	var v verdict
	for i := range n {
		if seen[i] == 1 {
			v.once++
		}
		if o := outcomes[i]; o.Task.ID != "" && byTask[o.Task.ID] != source(i) {
			v.foreign++
		}
		v.add(i, outcomes[i], made[source(i)] > 0)
	}
	t := &tally{}
	t.zero("not yielded exactly once", n-v.once)
	t.count("succeeded", v.ok)
	t.count("went on with their task in a later batch", resumed)
	t.zero("succeeded but were never made", v.notMade)
	t.zero("succeeded with the content of another document", v.wrong)
	t.zero("with the task of another document", v.foreign)
	t.count("failed to be submitted", v.failed)
	t.count("  of these made by the service all the same", v.failedMade)
	t.zero("ErrNotAccepted although the service made the task", v.lied)
	t.count("made twice, by the wire's own repetition", repeated)
	t.zero("made twice by the client", max(repeated-byWire, 0))
	t.zero("temporary files left", temporary(dir))
	return t
}

// add judges the outcome of document i, of which the service has made a task or not.
func (v *verdict) add(i int, o convert.Outcome, made bool) {
	if o.Err != nil {
		v.failed++
		if made {
			v.failedMade++
			if errors.Is(o.Err, convert.ErrNotAccepted) {
				v.lied++
			}
		}
		return
	}
	v.ok++
	if !made {
		v.notMade++
	}
	if got, err := os.ReadFile(o.Paths[0]); err != nil || string(got) != string(content(source(i))) {
		v.wrong++
	}
}

// temporary counts the files that are not results.
func temporary(dir string) (left int) {
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, _ error) error {
		if !d.IsDir() && !strings.HasSuffix(path, ".txt") {
			left++
		}
		return nil
	})
	return left
}
