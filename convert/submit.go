package convert

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/internal/redact"
)

// submitter is a Request that can be submitted.
type submitter interface{ submission() submission }

// submission is a request as it is sent, and what is wrong with it.
type submission struct {
	target *target
	body   requestBody
	found  problems
}

// requestBody has the fields of protocol 2.1, of all targets.
type requestBody struct {
	URL            string `json:"url"`
	Filename       string `json:"filename"`
	Password       string `json:"password,omitempty"`
	FromPage       int    `json:"from_page,omitempty"`
	ToPage         int    `json:"to_page,omitempty"`
	Ranges         string `json:"ranges,omitempty"`
	MergePages     bool   `json:"long_txt,omitempty"`
	KeepLineBreaks bool   `json:"hold_line_feed,omitempty"`
	ShowComments   int    `json:"show_comments,omitempty"` // declared as an integer
}

func (r TextRequest) submission() submission {
	s := newSubmission(Text, r.URL, r.Filename, r.Password.Reveal())
	s.body.MergePages, s.body.KeepLineBreaks = r.MergePages, r.KeepLineBreaks
	switch pages := r.Pages.(type) {
	case nil:
	case Span:
		s.span(pages)
	case Ranges:
		s.ranges(pages)
	default:
		s.found.add("Pages", fmt.Sprintf("must be a Span or Ranges, not a %T", pages))
	}
	return s
}

func (r PDFRequest) submission() submission {
	s := newSubmission(PDF, r.URL, r.Filename, r.Password.Reveal())
	s.span(r.Pages)
	if r.ShowComments {
		s.body.ShowComments = 1
	}
	return s
}

// newSubmission applies the rules of protocol 2.1 that all targets share.
func newSubmission(t Target, source, filename, password string) submission {
	s := submission{target: t.row(), body: requestBody{URL: source, Filename: filename, Password: password}}
	if source == "" {
		s.found.add("URL", "is required (protocol 2.1)")
	} else if u, err := url.Parse(source); err != nil || !absolute(u) || !utf8.ValidString(source) {
		s.found.add("URL", "must be an absolute http or https URL (protocol 2.1)")
	}
	ext := path.Ext(filename)
	switch {
	case filename == "":
		s.found.add("Filename", "is required (protocol 2.1)")
	case !utf8.ValidString(filename):
		s.found.add("Filename", "must be UTF-8")
	case ext == "" || ext == "." || path.Base(filename) == ext:
		s.found.add("Filename", "must have a name and an extension (protocol 2.1)")
	case !Supports(t, filename):
		s.found.add("Filename", fmt.Sprintf("has the extension %.20q, which cannot be converted to %s (protocol 2.1)", ext, t))
	}
	s.found.when(!utf8.ValidString(password), "Password", "must be UTF-8")
	return s
}

func (s *submission) span(pages Span) {
	s.body.FromPage, s.body.ToPage = pages.From, pages.To
	const counted = "must be counted from 1, or zero to leave it out (protocol 2.1)"
	s.found.when(pages.From < 0, "Pages.From", counted)
	s.found.when(pages.To < 0, "Pages.To", counted)
	s.found.when(pages.From > 0 && pages.To > 0 && pages.To <= pages.From,
		"Pages.To", "must be greater than Pages.From (protocol 2.1): a single page can be named by Ranges only, for text")
}

func (s *submission) ranges(pages Ranges) {
	s.body.Ranges = pages.String()
	s.found.when(len(pages) == 0, "Pages", "has no range: nil is all pages (protocol 2.1)")
	for i, span := range pages {
		if span.From < 1 || span.To < span.From {
			s.found.add("Pages["+strconv.Itoa(i)+"]", "must have both ends, counted from 1, and not end before it starts (protocol 2.1)")
		}
	}
}

// SubmitText starts a conversion to text. The error joins a [*FieldError] for each
// broken rule of protocol 2.1.
func (c *Client) SubmitText(ctx context.Context, req TextRequest) (Task, error) {
	return c.submit(ctx, req.submission(), 0)
}

// SubmitPDF is [Client.SubmitText] for a conversion to PDF.
func (c *Client) SubmitPDF(ctx context.Context, req PDFRequest) (Task, error) {
	return c.submit(ctx, req.submission(), 0)
}

// secrets returns what no error may repeat of a body.
func (b requestBody) secrets() []string {
	secrets := redact.InURL(b.URL)
	if len(b.Password) > 1 { // one letter is in every text
		secrets = append(secrets, b.Password)
	}
	return secrets
}

// submit sends s. If ctx ends while it is on the wire, it waits for the answer as long
// as linger, since the service may have made a task.
func (c *Client) submit(ctx context.Context, s submission, linger time.Duration) (Task, error) {
	row := s.target
	if err := s.found.join(row.op); err != nil {
		return Task{}, err
	}
	encoded, _ := json.Marshal(s.body) //nolint:gosec // The service needs the password. Texts and numbers always encode.
	task := Task{Target: row.name}
	e := &exchange{
		op: row.op, name: row.operation, method: "POST", url: c.base + row.path,
		body: encoded, secrets: s.body.secrets, linger: linger,
	}
	err := c.exchange(ctx, e, func(a *attempt) error {
		var data struct {
			TaskID taskID `json:"task_id"`
		}
		if err := a.decode(&data); err != nil {
			return err
		}
		if !validID(string(data.TaskID)) {
			return a.fail(errors.New("no task id (protocol 2.2)"))
		}
		task.ID = string(data.TaskID)
		return nil
	})
	if err != nil {
		return Task{}, err
	}
	return task, nil
}

// taskID is a string or an integer. Everything else is as if it were not there.
type taskID word

// UnmarshalJSON reads what can be an id.
func (id *taskID) UnmarshalJSON(b []byte) error {
	if b[0] != '"' {
		if _, err := strconv.ParseInt(string(b), 10, 64); err != nil {
			return nil
		}
	}
	return (*word)(id).UnmarshalJSON(b)
}

// validID reports whether an answer can mean id: it becomes a segment of a path.
func validID(id string) bool {
	return id != "" && id != "." && id != ".." && !strings.ContainsFunc(id, unicode.IsControl)
}
