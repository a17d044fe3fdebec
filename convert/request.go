package convert

import (
	"fmt"
	"log/slog"
	"net/url"
	"path"
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

// Supports reports whether a document of that name can be converted to t. Its
// extension decides, in upper or lower case (protocol 2.1): .pptx, .ppt, .docx,
// .doc, .xlsx and .xls go to both targets, .pdf to text only.
func Supports(t Target, filename string) bool {
	switch strings.ToLower(path.Ext(filename)) {
	case ".pptx", ".ppt", ".docx", ".doc", ".xlsx", ".xls":
		return t == Text || t == PDF
	case ".pdf":
		return t == Text
	default:
		return false
	}
}

// Request is a conversion that [Batch] carries to its end. Its members are
// [TextRequest], [PDFRequest], and [Task] for one that was submitted before.
type Request interface{ request() }

// TextRequest names a document and how its text is wanted (protocol 2.1).
// Printed, it shows neither its password nor the query of its URL.
type TextRequest struct {
	_              [0]func()
	URL            string         // Required. Where the service downloads the document: absolute, http or https.
	Filename       string         // Required. Name of the document. Its extension, not that of the URL, says what kind it is.
	Password       signing.Secret // Opens an encrypted document. Its JSON form is "[secret]": see signing.Secret.
	Pages          Pages          // nil: all pages. Else a Span or Ranges.
	MergePages     bool           // One long text (long_txt), not one per page.
	KeepLineBreaks bool           // Keep the line breaks of the document (hold_line_feed).
}

// PDFRequest names a document and how it becomes a PDF (protocol 2.1). Printed,
// it shows neither its password nor the query of its URL.
type PDFRequest struct {
	_            [0]func()
	URL          string         // Required. Where the service downloads the document: absolute, http or https.
	Filename     string         // Required. Name of the document. Its extension, not that of the URL, says what kind it is.
	Password     signing.Secret // Opens an encrypted document. Its JSON form is "[secret]": see signing.Secret.
	Pages        Span           // Zero: all pages.
	ShowComments bool           // Show annotations (show_comments, sent as 1 or left out).
}

func (TextRequest) request() {}
func (PDFRequest) request()  {}

// Format prints r without its password and the query of its URL, whatever the verb.
func (r TextRequest) Format(s fmt.State, _ rune) {
	_, _ = fmt.Fprintf(s, "{txt %s %q pages:%v merge:%t breaks:%t}", redact.URL(r.URL), r.Filename, r.Pages, r.MergePages, r.KeepLineBreaks)
}

// Format prints r without its password and the query of its URL, whatever the verb.
func (r PDFRequest) Format(s fmt.State, _ rune) {
	_, _ = fmt.Fprintf(s, "{pdf %s %q pages:%v comments:%t}", redact.URL(r.URL), r.Filename, r.Pages, r.ShowComments)
}

// LogValue logs what Format prints.
func (r TextRequest) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(r)) }

// LogValue logs what Format prints.
func (r PDFRequest) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(r)) }

func (r *TextRequest) check() (found problems) {
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

func (r *PDFRequest) check() (found problems) {
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
