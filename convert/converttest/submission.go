package converttest

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync/atomic"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/internal/redact"
	"github.com/weboffice-go/weboffice/signing"
)

// Submission is an accepted submit, with the values that were sent (protocol 2.1). Body
// has its secrets.
type Submission struct {
	_              [0]func()
	Task           convert.Task   // With its id.
	AppID          string         // Who signed.
	URL            string         // Of the document.
	Filename       string         // Of the document.
	Password       signing.Secret // Zero: none was sent.
	Pages          convert.Pages  // A convert.Span, convert.Ranges, or nil.
	MergePages     bool           // long_txt.
	KeepLineBreaks bool           // hold_line_feed.
	ShowComments   bool           // show_comments.
	Body           []byte         // As it arrived.

	sources *http.Client
	read    *atomic.Int64 // bytes of the source, for resource_size
}

// Open fetches the document with Options.Sources. The caller closes it. An error is a
// *convert.APIError with code 30009.
func (s Submission) Open(ctx context.Context) (io.ReadCloser, error) {
	if s.sources == nil {
		return nil, downloadFail("Options.Sources is nil, so that no source is fetched", nil)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL, http.NoBody)
	if err != nil {
		return nil, downloadFail("the url of the document cannot be read", redact.Error(err))
	}
	resp, err := s.sources.Do(req)
	if err != nil {
		return nil, downloadFail("the document cannot be fetched", redact.Error(err))
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close()
		return nil, downloadFail("the document's host answered "+resp.Status, nil)
	}
	s.read.Store(0)
	return &source{ReadCloser: resp.Body, read: s.read}, nil
}

func downloadFail(message string, cause error) error {
	return &convert.APIError{Op: "open source", Code: convert.CodeDownloadFail, Message: message, Err: cause}
}

// source counts what is read of a document.
type source struct {
	io.ReadCloser
	read *atomic.Int64
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	s.read.Add(int64(n))
	return n, err
}

// Format hides secrets.
func (s Submission) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "{%s to %s, app %s, %q, %s}", s.Task.ID, s.Task.Target, s.AppID, s.Filename, redact.URL(s.URL))
}

// LogValue hides secrets.
func (s Submission) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(s)) }

// submit accepts a conversion (protocol 2.1, 2.2).
func (s *Server) submit(w http.ResponseWriter, r *http.Request, c call) {
	body, _ := io.ReadAll(r.Body) // from memory: the verifier has read it
	if r.Header.Get("Content-Type") != signing.ContentType {
		s.refuseArgument(w, r, "protocol 5.1: Content-Type must be application/json")
		return
	}
	sub, err := readSubmission(body, c.target)
	if err != nil {
		s.refuseArgument(w, r, err.Error())
		return
	}
	sub.Task.Target, sub.AppID, sub.Body = c.target.name, c.app, body
	task, err := s.accept(r.Context(), sub)
	if err != nil {
		s.log(r, err.Error())
		refuseStart(w, err)
		return
	}
	answer(w, http.StatusOK, envelope{Data: map[string]string{"task_id": task.ID}, Result: "ok"})
}

func (s *Server) refuseArgument(w http.ResponseWriter, r *http.Request, why string) {
	s.log(r, why)
	refuse(w, http.StatusBadRequest, convert.CodeInvalidArgument, why)
}
