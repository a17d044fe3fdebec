package convert

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

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
	Message   string  // Why it failed, if the service says so. Queries of URLs are hidden here and in State.
	RequestID string  // X-Request-Id of the answer.
	Result    *Result // nil until there is one.
	Raw       []byte  // The complete answer.
}

// Format hides secrets.
func (s Status) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "{%q %g%% %q", s.State, s.Progress, s.Message)
	if s.Result != nil {
		_, _ = fmt.Fprintf(f, " %v", *s.Result)
	}
	_, _ = fmt.Fprint(f, "}")
}

// LogValue hides secrets.
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

// DefaultClassify returns Done for [StateSuccess] and 1, Failed for words such as "failed"
// and for 3 and 4, Running for words such as "queued" and for 2 and 5 (public reference
// 1.1). An unknown state is Failed if there is a message, else Running.
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

// Status asks for the state of t. A task that failed is a Status, not an error.
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
	err = c.exchange(ctx, e, func(a *attempt) error {
		var data statusData
		if err := a.decode(&data); err != nil {
			return err
		}
		if data.Status == "" && data.message() == "" {
			return a.fail(errors.New("no status (protocol 2.3)"))
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

// Result is the output of a conversion.
type Result struct {
	_ [0]func()

	// The txts or pdfs of the answer, in its order; without them its images or its one
	// URL (public reference 1.1). It may be empty (protocol 2.3).
	Files []File

	Elapsed      float64 // Duration, in milliseconds by public reference 1.1.
	ResourceSize float64 // Size of the source, in bytes by public reference 1.1.
}

// Format hides secrets.
func (r Result) Format(s fmt.State, _ rune) {
	_, _ = fmt.Fprintf(s, "{%v elapsed:%g resource_size:%g}", r.Files, r.Elapsed, r.ResourceSize)
}

// LogValue hides secrets.
func (r Result) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(r)) }

// File is one result of a conversion. Its JSON form is complete.
type File struct {
	URL       string    `json:"url"`        // Works until ExpiresAt.
	Size      int64     `json:"size"`       // In bytes; Download checks it. -1: not reported.
	ExpiresAt time.Time `json:"expires_at"` // In UTC. Zero: not known.
}

// Format hides secrets.
func (f File) Format(s fmt.State, _ rune) {
	_, _ = fmt.Fprintf(s, "{%s %d %s}", redact.URL(f.URL), f.Size, f.ExpiresAt.Format(time.RFC3339))
}

// LogValue hides secrets.
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
func (r *statusResult) items() []fileItem {
	for _, t := range targets {
		if items := t.files(r); len(items) > 0 {
			return items
		}
	}
	if len(r.Images) == 0 && r.URL != "" {
		return []fileItem{r.fileItem}
	}
	return r.Images
}

// largestSize is the largest integer that every JSON number keeps.
const largestSize = 1 << 53

// status returns the exported form of d.
func (d *statusData) status(now time.Time) (*Status, error) {
	s := &Status{
		State:    clean(string(d.Status), nil),
		Progress: d.Progress.value,
		Message:  clean(d.message(), nil),
	}
	r := d.Result
	if r == nil {
		if d.DownloadURL == "" {
			return s, nil
		}
		r = &statusResult{fileItem: fileItem{URL: d.DownloadURL}}
		r.Task.Elapsed.value = 1000 * d.Duration.value
	}
	s.Result = &Result{Elapsed: r.Task.Elapsed.value, ResourceSize: r.Task.ResourceSize.value}
	items := r.items()
	if len(items) > 0 {
		s.Result.Files = make([]File, 0, len(items))
	}
	expires := now.Add(URLLifetime).Round(0).UTC() // as it is after JSON: a File can be compared
	for _, item := range items {
		if item.URL == "" || item.Size.value < 0 || item.Size.value > largestSize {
			return nil, errors.New("a file of the result has no url or an impossible size (protocol 2.3)")
		}
		f := File{URL: item.URL, Size: -1, ExpiresAt: expires}
		if item.Size.present {
			f.Size = int64(item.Size.value)
		}
		s.Result.Files = append(s.Result.Files, f)
	}
	return s, nil
}
