package convert

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"path"
	"slices"
	"strconv"
	"strings"

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
	URL            string         // Required. Absolute, http or https: there the service downloads the document.
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
	if len(v.Pages) == 0 { // not there
		return nil
	}
	var span *Span
	var ranges Ranges // from a list or null
	if json.Unmarshal(v.Pages, &ranges) != nil {
		if err := json.Unmarshal(v.Pages, &span); err != nil {
			return fmt.Errorf("convert: read a TextRequest: %w", err)
		}
	}
	switch {
	case span != nil:
		r.Pages = *span
	case ranges != nil:
		r.Pages = ranges
	default:
		r.Pages = nil
	}
	return nil
}

// Format hides secrets.
func (r TextRequest) Format(s fmt.State, _ rune) {
	_, _ = fmt.Fprintf(s, "{txt %s %q pages:%v merge:%t breaks:%t}", redact.URL(r.URL), r.Filename, r.Pages, r.MergePages, r.KeepLineBreaks)
}

// Format hides secrets.
func (r PDFRequest) Format(s fmt.State, _ rune) {
	_, _ = fmt.Fprintf(s, "{pdf %s %q pages:%v comments:%t}", redact.URL(r.URL), r.Filename, r.Pages, r.ShowComments)
}

// LogValue hides secrets.
func (r TextRequest) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(r)) }

// LogValue hides secrets.
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
// error joins up to ten [*FieldError].
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
	n, err := strconv.Atoi(s)
	return n, err == nil && n > 0 && strconv.Itoa(n) == s
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
