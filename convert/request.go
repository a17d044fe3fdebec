package convert

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/internal/redact"
	"github.com/weboffice-go/weboffice/signing"
)

// Target is the format that a document is converted to.
type Target string

// The targets that have a method of [Client] (protocol 2.1).
const (
	Text Target = "txt"
	PDF  Target = "pdf"
)

// target is a row of [targets].
type target struct {
	name       Target
	op         string // in errors and logs
	operation  string // for an Observer
	path       string // where it is submitted (protocol 4.1)
	extensions []string
	files      func(*statusResult) []fileItem // its list in a result (protocol 2.3)
}

var targets = []target{
	{
		Text, "submit text", "convert.submit_text", "/api/developer/v1/office/convert/to/txt",
		[]string{".pptx", ".ppt", ".docx", ".doc", ".xlsx", ".xls", ".pdf"},
		func(r *statusResult) []fileItem { return r.Texts },
	},
	{
		PDF, "submit pdf", "convert.submit_pdf", "/api/developer/v1/office/convert/to/pdf",
		[]string{".pptx", ".ppt", ".docx", ".doc", ".xlsx", ".xls"},
		func(r *statusResult) []fileItem { return r.PDFs },
	},
}

// Supports reports whether a document of that name can be converted to t: with .pptx,
// .ppt, .docx, .doc, .xlsx and .xls to both targets, with .pdf to text only (protocol
// 2.1).
func Supports(t Target, filename string) bool {
	row := t.row()
	return row != nil && slices.Contains(row.extensions, strings.ToLower(path.Ext(filename)))
}

func (t Target) row() *target {
	for i := range targets {
		if targets[i].name == t {
			return &targets[i]
		}
	}
	return nil
}

// Request is a [TextRequest], a [PDFRequest], or a [Task] that was submitted before.
type Request interface{ request() }

// TextRequest is a conversion to text (protocol 2.1). Its JSON form has all but the
// password.
type TextRequest struct {
	_              [0]func()
	URL            string         // Required. Absolute, http or https: from there the service downloads the document.
	Filename       string         // Required. Its extension decides the format, not that of the URL.
	Password       signing.Secret // Opens an encrypted document.
	Pages          Pages          // A Span or Ranges. nil: all pages.
	MergePages     bool           // One long text (long_txt), not one per page.
	KeepLineBreaks bool           // Keep the line breaks of the document (hold_line_feed).
}

// PDFRequest is a conversion to PDF, printed and stored like a [TextRequest].
type PDFRequest struct {
	_            [0]func()
	URL          string         // As in TextRequest.
	Filename     string         // As in TextRequest.
	Password     signing.Secret // As in TextRequest.
	Pages        Span           // Zero: all pages.
	ShowComments bool           // Show annotations (show_comments, sent as 1 or left out).
}

func (TextRequest) request() {}
func (PDFRequest) request()  {}

// UnmarshalJSON reads Pages from a list ([Ranges]) or an object ([Span]).
func (r *TextRequest) UnmarshalJSON(b []byte) error {
	type fields TextRequest // without methods
	v := struct {
		*fields
		Pages json.RawMessage
	}{fields: (*fields)(r)}
	if err := json.Unmarshal(b, &v); err != nil {
		return fmt.Errorf("convert: read a TextRequest: %w", err)
	}
	var span Span
	var ranges Ranges
	if len(v.Pages) == 0 { // not there
		return nil
	}
	if json.Unmarshal(v.Pages, &ranges) == nil { // a list or null
		r.Pages = nil
		if ranges != nil {
			r.Pages = ranges
		}
		return nil
	}
	if err := json.Unmarshal(v.Pages, &span); err != nil {
		return fmt.Errorf("convert: read a TextRequest: %w", err)
	}
	r.Pages = span
	return nil
}

// Format prints r without password and query.
func (r TextRequest) Format(s fmt.State, _ rune) {
	_, _ = fmt.Fprintf(s, "{txt %s %q pages:%v merge:%t breaks:%t}", redact.URL(r.URL), r.Filename, r.Pages, r.MergePages, r.KeepLineBreaks)
}

// Format prints r without password and query.
func (r PDFRequest) Format(s fmt.State, _ rune) {
	_, _ = fmt.Fprintf(s, "{pdf %s %q pages:%v comments:%t}", redact.URL(r.URL), r.Filename, r.Pages, r.ShowComments)
}

// LogValue returns what Format prints.
func (r TextRequest) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(r)) }

// LogValue returns what Format prints.
func (r PDFRequest) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(r)) }

// Pages is a [Span] or [Ranges].
type Pages interface{ pages() }

// Span is the pages From to To, counted from 1 and included. In a request zero leaves
// one out; with both, To must be greater than From (protocol 2.1).
type Span struct{ From, To int }

// Ranges is a list of pages and runs of pages, such as "1,3-5", in that order (protocol
// 2.1). Each Span has both its ends; if they are equal it is one page.
type Ranges []Span

func (Span) pages()   {}
func (Ranges) pages() {}

// Page returns page n as an item of [Ranges].
func Page(n int) Span { return Span{From: n, To: n} }

// maxRangeErrors is how many wrong items ParseRanges lists.
const maxRangeErrors = 10

// ParseRanges reads the form "1,3-5", without signs, spaces and leading zeros. Its
// error joins a [*FieldError] for each wrong item, up to ten.
func ParseRanges(s string) (Ranges, error) {
	var ranges Ranges
	var found problems
	for item := range strings.SplitSeq(s, ",") {
		first, last, isRun := strings.Cut(item, "-")
		if !isRun {
			last = first
		}
		from, ok1 := parsePage(first)
		to, ok2 := parsePage(last)
		field := "Ranges[" + strconv.Itoa(len(ranges)) + "]"
		switch {
		case !ok1 || !ok2:
			found.add(field, fmt.Sprintf("%.40q is neither a page from 1 nor a run such as 3-5 (protocol 2.1)", item))
		case to < from:
			found.add(field, fmt.Sprintf("%.40q ends before it starts (protocol 2.1)", item))
		}
		if len(found) == maxRangeErrors {
			break
		}
		ranges = append(ranges, Span{From: from, To: to})
	}
	if err := found.join("parse ranges"); err != nil {
		return nil, err
	}
	return ranges, nil
}

// parsePage is stricter than strconv.Atoi, which takes "+1" and "01".
func parsePage(s string) (int, bool) {
	if s == "" || s[0] < '1' || s[0] > '9' {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

// String writes the form that [ParseRanges] reads.
func (r Ranges) String() string {
	var b []byte
	for i, span := range r {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(span.From), 10)
		if span.To != span.From {
			b = append(b, '-')
			b = strconv.AppendInt(b, int64(span.To), 10)
		}
	}
	return string(b)
}

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
	if !utf8.ValidString(password) {
		s.found.add("Password", "must be UTF-8")
	}
	return s
}

func (s *submission) span(pages Span) {
	s.body.FromPage, s.body.ToPage = pages.From, pages.To
	if pages.From < 0 {
		s.found.add("Pages.From", "must be counted from 1, or zero to leave it out (protocol 2.1)")
	}
	if pages.To < 0 {
		s.found.add("Pages.To", "must be counted from 1, or zero to leave it out (protocol 2.1)")
	} else if pages.From > 0 && pages.To > 0 && pages.To <= pages.From {
		s.found.add("Pages.To", "must be greater than Pages.From (protocol 2.1): a single page can be named by Ranges only, for text")
	}
}

func (s *submission) ranges(pages Ranges) {
	s.body.Ranges = pages.String()
	if len(pages) == 0 {
		s.found.add("Pages", "has no range: nil is all pages (protocol 2.1)")
	}
	for i, span := range pages {
		if span.From < 1 || span.To < span.From {
			s.found.add("Pages["+strconv.Itoa(i)+"]", "must have both ends, counted from 1, and not end before it starts (protocol 2.1)")
		}
	}
}

// SubmitText starts a conversion to text. The error joins a [*FieldError] for each rule
// of protocol 2.1 that req breaks; unless it is [ErrNotAccepted], there may be a task.
func (c *Client) SubmitText(ctx context.Context, req TextRequest) (Task, error) {
	return c.submit(ctx, req.submission(), 0)
}

// SubmitPDF is [Client.SubmitText] for a conversion to PDF.
func (c *Client) SubmitPDF(ctx context.Context, req PDFRequest) (Task, error) {
	return c.submit(ctx, req.submission(), 0)
}

// secrets returns what no error may repeat of a body.
func (b requestBody) secrets() []string {
	secrets := sourceSecrets(b.URL)
	if len(b.Password) >= minSecret {
		secrets = append(secrets, b.Password)
	}
	return secrets
}

var errNoTaskID = errors.New("no task id (protocol 2.2)")

// submit sends s. If ctx ends while it is on the wire, it waits for the answer as long
// as linger, since the service may have made a task.
func (c *Client) submit(ctx context.Context, s submission, linger time.Duration) (Task, error) {
	row := s.target
	if err := s.found.join(row.op); err != nil {
		return Task{}, err
	}
	encoded, err := json.Marshal(s.body)
	if err != nil {
		return Task{}, wrap(row.op, err)
	}
	task := Task{Target: row.name}
	e := &exchange{
		op: row.op, name: row.operation, method: "POST", url: c.base + row.path,
		body: encoded, secrets: s.body.secrets, linger: linger,
	}
	err = c.exchange(ctx, e, func(a *answer) error {
		var data struct {
			TaskID taskID `json:"task_id"`
		}
		if err := a.decode(&data); err != nil {
			return err
		}
		if !validID(string(data.TaskID)) {
			return a.fail(errNoTaskID)
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
	if _, err := strconv.ParseInt(string(b), 10, 64); err != nil && b[0] != '"' {
		return nil
	}
	return (*word)(id).UnmarshalJSON(b)
}

// validID reports whether an answer can mean id: it becomes a segment of a path.
func validID(id string) bool {
	return id != "" && id != "." && id != ".." && !strings.ContainsFunc(id, unicode.IsControl)
}
