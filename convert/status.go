package convert

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
)

// StateSuccess is the state of a task that ended well, and the only one that is
// known (protocol 3).
const StateSuccess = "success"

// Status is what a task query was answered (protocol 2.3). Printed, it lacks the
// queries of addresses.
type Status struct {
	_        [0]func()
	State    string  // As received, an integer in decimal digits. Only StateSuccess is known.
	Progress float64 // As received: 100 once the task has succeeded.
	Message  string  // The reason of a failure, if the service gave one (public reference 1.1). Queries of addresses are hidden.
	Result   *Result // nil until there is one.
	Raw      []byte  // The whole answer as received, with the addresses of its files.
}

// Format prints s without the queries of addresses, whatever the verb.
func (s Status) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "{%q %g%% %q", s.State, s.Progress, s.Message)
	if s.Result != nil {
		_, _ = fmt.Fprintf(f, " %v", *s.Result)
	}
	_, _ = fmt.Fprint(f, "}")
}

// LogValue logs what Format prints.
func (s Status) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(s)) }

// Phase says whether a wait goes on after a [Status].
type Phase int

// The phases.
const (
	Running Phase = iota // Ask again. The zero Phase.
	Done                 // The task ended well.
	Failed               // The task ended without a result.
)

// DefaultClassify takes [StateSuccess] for Done, a message or a word such as
// "failed" for Failed, and everything else, known or not, for Running. Of the
// numbers that a second family of tasks has for states (public reference 1.1), 1
// is Done, and 3 and 4 are Failed.
func DefaultClassify(s *Status) Phase {
	switch strings.ToLower(s.State) {
	case StateSuccess, "1":
		return Done
	case "fail", "failed", "failure", "error", "errored", "3", "4",
		"abort", "aborted", "cancel", "canceled", "cancelled", "interrupted",
		"rejected", "timeout", "expired":
		return Failed
	}
	if s.Message != "" {
		return Failed
	}
	return Running
}

// statusData is the data of protocol 2.3, together with what public reference 1.1
// has beside it.
type statusData struct {
	Status   word   `json:"status"`
	Progress number `json:"progress"`
	Message  word   `json:"message"`
	Result   *struct {
		Task struct {
			Elapsed      number `json:"elapsed"`
			ResourceSize number `json:"resource_size"`
		} `json:"task"`
		Texts  []fileItem `json:"txts"`
		PDFs   []fileItem `json:"pdfs"`
		Images []fileItem `json:"images"`
		fileItem
	} `json:"result"`

	// The second family of tasks.
	ErrorMessages word   `json:"errMsgs"`
	DownloadURL   string `json:"download_url"`
	Duration      number `json:"duration"` // seconds
}

type fileItem struct {
	URL  string `json:"url"`
	Size number `json:"size"`
}

func (d *statusData) message() string { return string(cmp.Or(d.Message, d.ErrorMessages)) }

// items gives the files of whatever list has any, or the flat one.
func (d *statusData) items() []fileItem {
	r := d.Result
	switch {
	case r == nil && d.DownloadURL != "":
		return []fileItem{{URL: d.DownloadURL}}
	case r == nil:
		return nil
	case len(r.Texts) > 0:
		return r.Texts
	case len(r.PDFs) > 0:
		return r.PDFs
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

// complete reports whether every file has what protocol 2.3 requires of it.
func (d *statusData) complete() bool {
	return !slices.ContainsFunc(d.items(), func(f fileItem) bool {
		return f.URL == "" || f.Size.value < 0 || f.Size.value > largestSize
	})
}

// status makes what is exported of d.
func (d *statusData) status(now time.Time) *Status {
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
		return s
	}
	if items := d.items(); len(items) > 0 {
		s.Result.Files = make([]File, len(items))
		for i, item := range items {
			f := File{URL: item.URL, Size: -1, ExpiresAt: now.Add(URLLifetime)}
			if item.Size.present {
				f.Size = int64(item.Size.value)
			}
			s.Result.Files[i] = f
		}
	}
	return s
}
