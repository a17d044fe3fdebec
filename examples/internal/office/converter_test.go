package office_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
	"github.com/weboffice-go/weboffice/examples/internal/office"
	"github.com/weboffice-go/weboffice/examples/internal/office/officetest"
)

// client talks to a service with that suite, whose sources are the files of this
// package's tests.
func client(t *testing.T, suite *office.Suite) *convert.Client {
	t.Helper()
	sources := converttest.HTTPClient(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch name := path.Base(r.URL.Path); name {
		case "handbook.docx":
			http.ServeFile(w, r, handbook)
		case "encrypted.docx":
			_, _ = w.Write([]byte("\xD0\xCF\x11\xE0 and so on"))
		case "huge.docx":
			for range 101 {
				if _, err := w.Write(make([]byte, 1<<20)); err != nil {
					return
				}
			}
		default:
			http.NotFound(w, r)
		}
	}))
	s := converttest.NewServer(&converttest.Options{Converter: office.Converter(suite), Sources: sources})
	t.Cleanup(s.Close)
	cfg := s.Config()
	cfg.Backoff = convert.Backoff{Min: 5 * time.Millisecond, Max: 50 * time.Millisecond}
	cfg.Limiter = unlimited{}
	c, err := convert.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

type unlimited struct{}

func (unlimited) Wait(ctx context.Context) error { return ctx.Err() }

// texts submits, waits and downloads.
func texts(t *testing.T, c *convert.Client, req convert.TextRequest) ([]string, error) {
	t.Helper()
	req.URL = "https://files.example/" + req.Filename
	task, err := c.SubmitText(t.Context(), req)
	if err != nil {
		return nil, err
	}
	result, err := c.Wait(t.Context(), task)
	if err != nil {
		return nil, err
	}
	var got []string
	for _, f := range result.Files {
		var b bytes.Buffer
		if err := c.Download(t.Context(), f, &b); err != nil {
			return nil, err
		}
		got = append(got, b.String())
	}
	return got, nil
}

// TestTextFiles is protocol 2.1: a file per page or one, with line breaks or
// without, of all pages or some.
func TestTextFiles(t *testing.T) {
	t.Parallel()
	c := client(t, nil)
	first := []string{"Handbook of the reading room", "Names on the shelves", "If something goes wrong"}
	for name, tt := range map[string]struct {
		req  convert.TextRequest
		want []string // how the files begin
	}{
		"all":         {convert.TextRequest{}, first},
		"merged":      {convert.TextRequest{MergePages: true}, first[:1]},
		"from 2":      {convert.TextRequest{Pages: convert.Span{From: 2}}, first[1:]},
		"2 to 3":      {convert.TextRequest{Pages: convert.Span{From: 2, To: 3}}, first[1:]},
		"to 2":        {convert.TextRequest{Pages: convert.Span{To: 2}}, first[:2]},
		"ranges":      {convert.TextRequest{Pages: convert.Ranges{convert.Page(1), {From: 3, To: 9}}}, []string{first[0], first[2]}},
		"line breaks": {convert.TextRequest{KeepLineBreaks: true}, first},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.req.Filename = "handbook.docx"
			got, err := texts(t, c, tt.req)
			if err != nil || len(got) != len(tt.want) {
				t.Fatalf("%d files, %v, want %d", len(got), err, len(tt.want))
			}
			for i, file := range got {
				if !strings.HasPrefix(file, tt.want[i]) {
					t.Errorf("file %d begins %.30q, want %q", i, file, tt.want[i])
				}
				if strings.Contains(file, "\n") != tt.req.KeepLineBreaks {
					t.Errorf("file %d has line breaks: %t, want %t", i, !tt.req.KeepLineBreaks, tt.req.KeepLineBreaks)
				}
			}
		})
	}
}

func TestConversionsThatFail(t *testing.T) {
	t.Parallel()
	c := client(t, nil)
	for name, tt := range map[string]struct {
		req  convert.TextRequest
		want string
	}{
		"no such page": {convert.TextRequest{Filename: "handbook.docx", Pages: convert.Ranges{convert.Page(4)}}, "which has 3"},
		"not there":    {convert.TextRequest{Filename: "other.docx"}, "404"},
		"encrypted":    {convert.TextRequest{Filename: "encrypted.docx"}, "encrypted"},
		"too large":    {convert.TextRequest{Filename: "huge.docx"}, "more than"},
		"other type":   {convert.TextRequest{Filename: "handbook.pdf"}, "404"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := texts(t, c, tt.req); !errors.Is(err, convert.ErrFailed) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want a failed task that says %q", err, tt.want)
			}
		})
	}
}

func TestPDFThroughTheService(t *testing.T) {
	t.Parallel()
	req := convert.PDFRequest{URL: "https://files.example/handbook.docx", Filename: "handbook.docx", Pages: convert.Span{From: 1, To: 2}}
	without := client(t, nil)
	task, err := without.SubmitPDF(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := without.Wait(t.Context(), task); !errors.Is(err, convert.ErrFailed) || !strings.Contains(err.Error(), "LibreOffice") {
		t.Errorf("without LibreOffice: %v, want a failed task that says how to get it", err)
	}

	with := client(t, officetest.Suite(t))
	if task, err = with.SubmitPDF(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	paths, err := with.Save(t.Context(), task, t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	pdf, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	if got := pages(t, pdf); got != 2 {
		t.Errorf("%d pages, want 2", got)
	}
}
