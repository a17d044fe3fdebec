package desk

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
)

// States of a conversion.
const (
	taskWaiting   = "waiting"
	taskRunning   = "running"
	taskSuccess   = "success"
	taskFailed    = "failed"
	taskCancelled = "cancelled"
	taskRefused   = "refused"
)

// Conversion is a task, or a submit that was refused.
type Conversion struct {
	ID         string       `json:"id"`
	TaskID     string       `json:"task_id,omitempty"`
	At         time.Time    `json:"at"`
	Target     string       `json:"target"`
	Name       string       `json:"name"`
	URL        string       `json:"url,omitempty"`
	AppID      string       `json:"app_id"`
	State      string       `json:"state"`
	Progress   float64      `json:"progress"`
	Took       float64      `json:"took"` // Milliseconds.
	Message    string       `json:"message,omitempty"`
	Sent       []Parameter  `json:"sent"`
	Understood []Understood `json:"understood"`
	Results    []Result     `json:"results"`
	Exchange   string       `json:"exchange,omitempty"`

	Files  [][]byte `json:"-"`
	cancel func()
}

// Parameter is a field of the submit as it came.
type Parameter struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Unknown bool   `json:"unknown,omitempty"`
}

// Understood is what the service makes of a field.
type Understood struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Default bool   `json:"default,omitempty"`
}

// Result is a file that a conversion made.
type Result struct {
	N    int    `json:"n"`
	Size int    `json:"size"`
	Type string `json:"type"` // text or pdf
	Kept bool   `json:"kept"`
}

// ended reports whether nothing will change any more.
func (c Conversion) ended() bool { return c.State != taskWaiting && c.State != taskRunning }

// size is about what a conversion takes of the memory.
func (c Conversion) size() int {
	n := 2000
	for _, f := range c.Files {
		n += len(f)
	}
	return n
}

// step takes over what the engine says.
func (c *Conversion) step(s converttest.Step) {
	switch {
	case s.State == convert.StateSuccess:
		c.State, c.Progress, c.Files = taskSuccess, 100, s.Files
		c.Results = resultsOf(c.Target, s)
	case s.Progress <= 0 && s.Message == "" && s.Code == 0:
		c.State = taskWaiting
	default:
		c.State, c.Progress = taskRunning, s.Progress
	}
	if failure := converttest.Failure("").State; s.State == failure {
		c.State, c.Message = taskFailed, s.Message
	}
}

func resultsOf(target string, s converttest.Step) []Result {
	kind := "text"
	if target == string(convert.PDF) {
		kind = "pdf"
	}
	results := []Result{}
	for i, f := range s.Files {
		results = append(results, Result{i + 1, len(f), kind, true})
	}
	for i, path := range s.Paths { // Too large to be kept.
		size := 0
		if info, err := os.Stat(path); err == nil {
			size = int(info.Size())
		}
		results = append(results, Result{i + 1, size, kind, false})
	}
	return results
}

// sentParameters are the members of a submit as they came.
func sentParameters(target string, body []byte) (sent []Parameter, name, address string) {
	sent = []Parameter{}
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return sent, "", ""
	}
	for _, key := range slices.Sorted(maps.Keys(members)) {
		value := cut(string(members[key]), 2000)
		switch {
		case secretName.MatchString(key):
			value = `"` + hidden + `"`
		case key == "url":
			_ = json.Unmarshal(members[key], &address)
			address = withoutQuery(address)
			value = quoteJSON(address)
		case key == "filename":
			_ = json.Unmarshal(members[key], &name)
		}
		sent = append(sent, Parameter{cut(key, 200), value, !slices.Contains(fieldsOf(target), key)})
	}
	return sent, cut(name, 1000), address
}

// fieldsOf are the fields of a submit (protocol 2.1).
func fieldsOf(target string) []string {
	fields := []string{"url", "filename", "password", "from_page", "to_page"}
	if target == string(convert.PDF) {
		return append(fields, "show_comments")
	}
	return append(fields, "long_txt", "hold_line_feed", "ranges")
}

// understood says what the service makes of the submission.
func understood(s converttest.Submission, sent []Parameter) []Understood {
	given := func(names ...string) bool {
		return slices.ContainsFunc(sent, func(p Parameter) bool { return slices.Contains(names, p.Name) })
	}
	pages := "all pages"
	switch p := s.Pages.(type) {
	case convert.Span:
		pages = spanText(p)
	case convert.Ranges:
		pages = "pages " + p.String() + ", in this order"
	}
	all := []Understood{{"pages", pages, !given("from_page", "to_page", "ranges")}}
	password := "none"
	if !s.Password.IsZero() {
		password = "given"
	}
	all = append(all, Understood{"password", password, !given("password")})
	if s.Task.Target == convert.PDF {
		return append(all, Understood{"show_comments", choice(s.ShowComments, "comments are shown as notes", "comments are not shown"), !given("show_comments")})
	}
	return append(all,
		Understood{"long_txt", choice(s.MergePages, "one text for all pages", "a text for each page"), !given("long_txt")},
		Understood{"hold_line_feed", choice(s.KeepLineBreaks, "line breaks are kept", "no line breaks"), !given("hold_line_feed")},
	)
}

func choice(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}

func spanText(s convert.Span) string {
	switch {
	case s.To == 0:
		return fmt.Sprintf("from page %d to the last", max(s.From, 1))
	case s.From == 0:
		return fmt.Sprintf("pages 1 to %d", s.To)
	case s.From == s.To:
		return fmt.Sprintf("page %d", s.From)
	default:
		return fmt.Sprintf("pages %d to %d", s.From, s.To)
	}
}

// withoutQuery is a URL without what may be secret in it.
func withoutQuery(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		s, _, _ = strings.Cut(s, "?")
		return s
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// quoteJSON is s as a string of JSON, without the escapes for HTML.
func quoteJSON(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // A string always encodes.
	return strings.TrimSuffix(b.String(), "\n")
}
