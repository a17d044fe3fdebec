package convert

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"path"
	"slices"
	"strings"
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

// Supports reports whether a document of that name can be converted to t. Its extension
// decides, in upper or lower case (protocol 2.1): .pptx, .ppt, .docx, .doc, .xlsx and
// .xls can be converted to both targets, .pdf to text only.
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

// Request is a conversion for [Batch]: a [TextRequest], a [PDFRequest], or a [Task] that
// was submitted before.
type Request interface{ request() }

// submission is a Request that can be submitted.
type submission interface {
	Request
	target() Target
	check() problems
	body() (document documentBody, whole any)
}

// TextRequest is a conversion to text (protocol 2.1). Printed, it shows neither its
// password nor the query of its URL. It can be stored as JSON, except for its password.
type TextRequest struct {
	_              [0]func()
	URL            string         // Required. The URL from which the service downloads the document: absolute, http or https.
	Filename       string         // Required. Name of the document. Its extension decides the format, not that of the URL.
	Password       signing.Secret // Opens an encrypted document. Its JSON form is "[secret]": see signing.Secret.
	Pages          Pages          // A Span or Ranges. nil: all pages.
	MergePages     bool           // One long text (long_txt), not one per page.
	KeepLineBreaks bool           // Keep the line breaks of the document (hold_line_feed).
}

// PDFRequest is a conversion to PDF (protocol 2.1). Printed, it shows neither its
// password nor the query of its URL. It can be stored as JSON, except for its password.
type PDFRequest struct {
	_            [0]func()
	URL          string         // Required. The URL from which the service downloads the document: absolute, http or https.
	Filename     string         // Required. Name of the document. Its extension decides the format, not that of the URL.
	Password     signing.Secret // Opens an encrypted document. Its JSON form is "[secret]": see signing.Secret.
	Pages        Span           // Zero: all pages.
	ShowComments bool           // Show annotations (show_comments, sent as 1 or left out).
}

func (TextRequest) request() {}
func (PDFRequest) request()  {}

func (TextRequest) target() Target { return Text }
func (PDFRequest) target() Target  { return PDF }

// UnmarshalJSON reads the form that encoding/json writes. Pages is a list for [Ranges],
// and an object for a [Span].
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
	var err error
	switch pages := bytes.TrimSpace(v.Pages); {
	case len(pages) == 0: // not there
		return nil
	case pages[0] == '[':
		err = json.Unmarshal(pages, &ranges)
		r.Pages = ranges
	case pages[0] == '{':
		err = json.Unmarshal(pages, &span)
		r.Pages = span
	case string(pages) == "null":
		r.Pages = nil
	default:
		err = &FieldError{Field: "Pages", Reason: "must be an object, a list or null"}
	}
	if err != nil {
		return fmt.Errorf("convert: read a TextRequest: %w", err)
	}
	return nil
}

// Format prints r without its password and the query of its URL, for every verb.
func (r TextRequest) Format(s fmt.State, _ rune) {
	_, _ = fmt.Fprintf(s, "{txt %s %q pages:%v merge:%t breaks:%t}", redact.URL(r.URL), r.Filename, r.Pages, r.MergePages, r.KeepLineBreaks)
}

// Format prints r without its password and the query of its URL, for every verb.
func (r PDFRequest) Format(s fmt.State, _ rune) {
	_, _ = fmt.Fprintf(s, "{pdf %s %q pages:%v comments:%t}", redact.URL(r.URL), r.Filename, r.Pages, r.ShowComments)
}

// LogValue returns what Format prints.
func (r TextRequest) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(r)) }

// LogValue returns what Format prints.
func (r PDFRequest) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(r)) }

func (r TextRequest) check() (found problems) {
	found.checkDocument(Text, r.URL, r.Filename, r.Password)
	switch pages := r.Pages.(type) {
	case nil:
	case Span:
		pages.check(&found)
	case Ranges:
		pages.check(&found)
	default:
		found.add("Pages", fmt.Sprintf("must be a Span or Ranges, not a %T", pages))
	}
	return found
}

func (r PDFRequest) check() (found problems) {
	found.checkDocument(PDF, r.URL, r.Filename, r.Password)
	r.Pages.check(&found)
	return found
}

// checkDocument applies the rules of protocol 2.1 that all targets share.
func (p *problems) checkDocument(t Target, source, filename string, password signing.Secret) {
	if source == "" {
		p.add("URL", "is required (protocol 2.1)")
	} else if u, err := url.Parse(source); err != nil || !absolute(u) || !utf8.ValidString(source) {
		p.add("URL", "must be an absolute http or https URL (protocol 2.1)")
	}
	ext := path.Ext(filename)
	switch {
	case filename == "":
		p.add("Filename", "is required (protocol 2.1)")
	case !utf8.ValidString(filename):
		p.add("Filename", "must be UTF-8")
	case ext == "" || ext == ".":
		p.add("Filename", "must have an extension (protocol 2.1)")
	case path.Base(filename) == ext:
		p.add("Filename", "must have a name before its extension")
	case !Supports(t, filename):
		p.add("Filename", fmt.Sprintf("has the extension %.20q, which cannot be converted to %s (protocol 2.1)", ext, t))
	}
	if !utf8.ValidString(password.Reveal()) {
		p.add("Password", "must be UTF-8")
	}
}
