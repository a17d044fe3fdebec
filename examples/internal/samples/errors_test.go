package samples_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

// later reports whether the same document may be converted later.
func later(logger *slog.Logger, err error) bool {
	var answer *convert.APIError
	if errors.As(err, &answer) {
		logger.Warn("the service did not accept it", "error", err, "doc", answer.DocURL())
	}
	switch {
	case errors.Is(err, convert.ErrRateLimited), errors.Is(err, convert.ErrWaitLimit):
		return true
	default: // such as convert.ErrFailed: it is the document
		return false
	}
}

func TestLater(t *testing.T) {
	t.Parallel()
	service := converttest.NewServer(nil)
	t.Cleanup(service.Close)
	cfg := service.Config()
	cfg.Attempts = 1
	client, err := convert.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for code, want := range map[int]bool{convert.CodeRateLimiter: true, convert.CodeNoImpl: false} {
		service.Fail(converttest.Submits, 1, converttest.Refused(code))
		_, err = client.SubmitPDF(t.Context(), convert.PDFRequest{URL: "https://files.example/a.docx", Filename: "a.docx"})
		var log strings.Builder
		if got := later(slog.New(slog.NewTextHandler(&log, nil)), err); got != want || !strings.Contains(log.String(), "errors.md#convert-3000") {
			t.Errorf("later(%v) = %t, want %t, and logs %q", err, got, want, log.String())
		}
	}
}

// scanned is a Store in which a new document has to be scanned first.
type scanned struct{ previewtest.MapStore }

func (s scanned) Permission(context.Context, preview.Request) (preview.Permission, error) {
	return preview.Permission{}, preview.Reply{
		Code:    preview.CodeMessage,
		Message: "The document is being scanned. Please try again in a minute.",
	}
}

func TestReply(t *testing.T) {
	t.Parallel()
	handler, err := preview.NewHandler(preview.Config{
		Store: scanned{previewtest.MapStore{"plan": {}}}, Auth: verifier(t).VerifyRequest, Logger: quiet(),
	})
	if err != nil {
		t.Fatal(err)
	}
	viewer, err := previewtest.NewViewer(previewtest.ViewerConfig{Handler: handler, Credentials: signingtest.Credentials()})
	if err != nil {
		t.Fatal(err)
	}
	var refusal *previewtest.AnswerError
	if _, err := viewer.Permission(t.Context(), "plan"); !errors.As(err, &refusal) || refusal.Code != preview.CodeMessage {
		t.Errorf("Permission = %v, want code %d", err, preview.CodeMessage)
	}
}
