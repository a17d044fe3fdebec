package convert

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/internal/httpx"
	"github.com/weboffice-go/weboffice/internal/redact"
)

// Task is a conversion that the service accepted: plain data to store, for
// [Client.Wait], [Client.Save] or [Batch]. Its JSON form does not change.
type Task struct {
	ID     string `json:"id"`
	Target Target `json:"target"`
}

func (Task) request() {}

// StateSuccess is the only documented state (protocol 3).
const StateSuccess = "success"

// Status is the answer to a task query (protocol 2.3).
type Status struct {
	_         [0]func()
	State     string  // As received, such as StateSuccess; an integer as digits.
	Progress  float64 // As received, to 100.
	Message   string  // Why it failed, if the service says so. Queries of URLs are hidden.
	RequestID string  // X-Request-Id of the answer.
	Result    *Result // nil until there is one.
	Raw       []byte  // The complete answer.
}

// Format prints s without the queries of URLs.
func (s Status) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "{%q %g%% %q", s.State, s.Progress, s.Message)
	if s.Result != nil {
		_, _ = fmt.Fprintf(f, " %v", *s.Result)
	}
	_, _ = fmt.Fprint(f, "}")
}

// LogValue returns what Format prints.
func (s Status) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(s)) }

// Phase says whether a wait continues after a [Status].
type Phase int

// The phases.
const (
	Running Phase = iota // Ask again. The zero Phase.
	Done                 // The task succeeded.
	Failed               // The task ended without a result.
)

// The states that clients of the service know (public reference 1.1). The numbers are
// those of a second family of tasks.
var phases = map[string]Phase{
	StateSuccess: Done, "1": Done,

	"pending": Running, "waiting": Running, "queued": Running, "queueing": Running, "processing": Running, "running": Running,
	"2": Running, "5": Running,

	"fail": Failed, "failed": Failed, "failure": Failed, "error": Failed, "errored": Failed,
	"abort": Failed, "aborted": Failed, "cancel": Failed, "canceled": Failed, "cancelled": Failed, "interrupted": Failed,
	"rejected": Failed, "timeout": Failed, "expired": Failed, "3": Failed, "4": Failed,
}

// DefaultClassify returns Done for [StateSuccess], Failed for words such as "failed",
// Running for words such as "queued", and of the numbers of public reference 1.1 Done
// for 1, Running for 2 and 5, Failed for 3 and 4. An unknown state is Failed if there
// is a message, else Running.
func DefaultClassify(s *Status) Phase {
	phase, known := phases[strings.ToLower(s.State)]
	if !known && s.Message != "" {
		return Failed
	}
	return phase
}

// taskPath is where a task is queried (public reference 1.1).
const taskPath = "/api/developer/v1/tasks/"

// defaultTaskQuery keeps the ":" of an id, as url.PathEscape does: the service signs what
// it sees.
func defaultTaskQuery(t Task) Call {
	return Call{Path: taskPath + url.PathEscape(t.ID)}
}

// Status asks for the state of t. A task that failed is a Status, not an error: see
// [DefaultClassify].
func (c *Client) Status(ctx context.Context, t Task) (*Status, error) {
	const op = "status"
	if t.ID == "" || t.ID == "." || t.ID == ".." {
		return nil, wrap(op, &FieldError{Field: "ID", Reason: "must be that of a submitted task (protocol 2.2)"})
	}
	call := c.cfg.TaskQuery(t)
	if call.Op == "" {
		call.Op = op
	}
	call.Repeatable = true
	e, err := c.prepare(call, nil)
	if err != nil {
		return nil, err
	}
	e.name, e.task = "convert.status", t.ID
	var status *Status
	err = c.exchange(ctx, e, func(a *answer) error {
		var data statusData
		if err := a.decode(&data); err != nil {
			return err
		}
		if data.Status == "" && data.message() == "" {
			return a.fail(errNoState)
		}
		decoded, err := data.status(c.cfg.Now())
		if err != nil {
			return a.fail(err)
		}
		status = decoded
		status.RequestID, status.Raw = requestID(a.response.Header, nil), a.response.Body
		return nil
	})
	return status, err
}

var (
	errNoState = errors.New("no status (protocol 2.3)")
	errBadFile = errors.New("a file of the result has no url or an impossible size (protocol 2.3)")
)

// Result is the output of a conversion.
type Result struct {
	_ [0]func()

	// The txts or pdfs of the answer, in its order; without them its images or its one
	// URL (public reference 1.1). It may be empty (protocol 2.3).
	Files []File

	Elapsed      float64 // Duration, in milliseconds by public reference 1.1.
	ResourceSize float64 // Size of the source, in bytes by public reference 1.1.
}

// Format prints r without the queries of URLs.
func (r Result) Format(s fmt.State, _ rune) {
	_, _ = fmt.Fprintf(s, "{%v elapsed:%g resource_size:%g}", r.Files, r.Elapsed, r.ResourceSize)
}

// LogValue returns what Format prints.
func (r Result) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(r)) }

// File is one result of a conversion. Its JSON form is complete.
type File struct {
	URL       string    `json:"url"`        // Works until ExpiresAt.
	Size      int64     `json:"size"`       // In bytes; Download checks it. -1: not reported.
	ExpiresAt time.Time `json:"expires_at"` // In UTC. Zero: not known.
}

// Format prints f without the query of its URL, which gives access.
func (f File) Format(s fmt.State, _ rune) {
	_, _ = fmt.Fprintf(s, "{%s %d %s}", redact.URL(f.URL), f.Size, f.ExpiresAt.Format(time.RFC3339))
}

// LogValue returns what Format prints.
func (f File) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(f)) }

// statusData is the data of protocol 2.3, together with what public reference 1.1
// has beside it.
type statusData struct {
	Status   word          `json:"status"`
	Progress number        `json:"progress"`
	Message  word          `json:"message"`
	Result   *statusResult `json:"result"`

	// The second family of tasks.
	ErrorMessages word   `json:"errMsgs"`
	DownloadURL   string `json:"download_url"`
	Duration      number `json:"duration"` // seconds
}

type statusResult struct {
	Task struct {
		Elapsed      number `json:"elapsed"`
		ResourceSize number `json:"resource_size"`
	} `json:"task"`
	Texts  []fileItem `json:"txts"`
	PDFs   []fileItem `json:"pdfs"`
	Images []fileItem `json:"images"`
	fileItem
}

type fileItem struct {
	URL  string `json:"url"`
	Size number `json:"size"`
}

func (d *statusData) message() string { return string(cmp.Or(d.Message, d.ErrorMessages)) }

// items returns the files of the first list that has any, or the flat one.
func (d *statusData) items() []fileItem {
	r := d.Result
	if r == nil {
		r = &statusResult{fileItem: fileItem{URL: d.DownloadURL}}
	}
	for _, t := range targets {
		if items := t.files(r); len(items) > 0 {
			return items
		}
	}
	switch {
	case len(r.Images) > 0:
		return r.Images
	case r.URL != "":
		return []fileItem{r.fileItem}
	default:
		return nil
	}
}

// largestSize is the largest integer that every JSON number keeps.
const largestSize = 1 << 53

// status returns the exported form of d.
func (d *statusData) status(now time.Time) (*Status, error) {
	s := &Status{
		State:    string(d.Status),
		Progress: d.Progress.value,
		Message:  clean(d.message(), nil),
	}
	switch r := d.Result; {
	case r != nil:
		s.Result = &Result{Elapsed: r.Task.Elapsed.value, ResourceSize: r.Task.ResourceSize.value}
	case d.DownloadURL != "":
		s.Result = &Result{Elapsed: 1000 * d.Duration.value}
	default:
		return s, nil
	}
	if items := d.items(); len(items) > 0 {
		s.Result.Files = make([]File, len(items))
		expires := now.Add(URLLifetime).Round(0).UTC() // as it is after JSON: a File can be compared
		for i, item := range items {
			if item.URL == "" || item.Size.value < 0 || item.Size.value > largestSize {
				return nil, errBadFile
			}
			f := File{URL: item.URL, Size: -1, ExpiresAt: expires}
			if item.Size.present {
				f.Size = int64(item.Size.value)
			}
			s.Result.Files[i] = f
		}
	}
	return s, nil
}

// Watch queries t immediately, then after the pauses of Config.Backoff, and yields
// every Status until one is Done. Any other end is a [*TaskError], with the last Status
// if the task failed. Each range over the result is a new wait, and nothing runs after
// a break. If a query fails Config.Attempts times, the wait ends; the task goes on.
func (c *Client) Watch(ctx context.Context, t Task) iter.Seq2[*Status, error] {
	return func(yield func(*Status, error) bool) {
		bounded, cancel := c.bound(ctx)
		defer cancel()
		c.watch(ctx, bounded, t, yield)
	}
}

// watch is Watch with bounded, which is ctx with a limit.
func (c *Client) watch(ctx, bounded context.Context, t Task, yield func(*Status, error) bool) {
	var last *Status
	end := func(s *Status, err error) { yield(s, &TaskError{Task: t, Last: last, Err: err}) }
	for n := 0; ; n++ {
		status, err := c.Status(bounded, t)
		if err != nil {
			end(nil, waitError(ctx, bounded, err))
			return
		}
		last = status
		switch phase := c.cfg.Classify(status); {
		case phase == Done && status.Result == nil:
			end(nil, ErrNoResult)
			return
		case phase == Failed:
			end(status, ErrFailed)
			return
		case !yield(status, nil) || phase == Done:
			return
		}
		if err := httpx.Sleep(bounded, c.cfg.Backoff.pace().Pause(n, 0)); err != nil {
			end(nil, waitError(ctx, bounded, err))
			return
		}
	}
}

// Wait follows t and returns the result. The error is a [*TaskError]; unless it is
// [ErrFailed], the task may be waited for again.
func (c *Client) Wait(ctx context.Context, t Task) (*Result, error) {
	s := &saving{c: c, task: t}
	bounded, cancel := c.bound(ctx)
	defer cancel()
	err := s.await(ctx, bounded)
	return s.result, err
}

// bound ends ctx after Config.MaxWait.
func (c *Client) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.cfg.MaxWait < 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, c.cfg.MaxWait, ErrWaitLimit)
}

// limit is bound with a clock that stops while pause runs a function.
func (c *Client) limit(ctx context.Context) (bounded context.Context, pause func(func()), cancel func()) {
	bounded, end := context.WithCancelCause(ctx)
	if c.cfg.MaxWait < 0 {
		return bounded, func(f func()) { f() }, func() { end(nil) }
	}
	deadline := time.Now().Add(c.cfg.MaxWait)
	timer := time.AfterFunc(c.cfg.MaxWait, func() { end(ErrWaitLimit) })
	pause = func(f func()) {
		if start := time.Now(); timer.Stop() {
			defer func() {
				deadline = deadline.Add(time.Since(start))
				timer.Reset(time.Until(deadline))
			}()
		}
		f()
	}
	return bounded, pause, func() { timer.Stop(); end(nil) }
}

// waitError says why a wait ended: the caller's context, MaxWait, or err itself. A query
// that says that the task's work failed is the end of the task.
func waitError(ctx, bounded context.Context, err error) error {
	var answer *APIError
	answered := errors.As(err, &answer)
	switch {
	case ctx.Err() != nil && !answered:
		return httpx.Ended(ctx)
	case errors.Is(context.Cause(bounded), ErrWaitLimit):
		if answered {
			return fmt.Errorf("%w: %w", ErrWaitLimit, answer)
		}
		return ErrWaitLimit
	case answered && answer.Code == codeExecuteFailed:
		return fmt.Errorf("%w: %w", ErrFailed, answer)
	default:
		return err
	}
}
