package office_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
	"github.com/weboffice-go/weboffice/examples/internal/office"
	"github.com/weboffice-go/weboffice/examples/internal/office/officetest"
)

// service is the engine behind a server, and the address of the documents in testdata.
func service(t *testing.T, e *office.Engine, maxWait time.Duration) (*convert.Client, string) {
	t.Helper()
	documents := httptest.NewServer(http.FileServer(http.Dir("testdata")))
	t.Cleanup(documents.Close)
	s := converttest.NewServer(&converttest.Options{Converter: e.Converter(maxWait), Sources: documents.Client()})
	t.Cleanup(s.Close)
	cfg := s.Config()
	cfg.Backoff = convert.Backoff{Min: 10 * time.Millisecond, Max: 50 * time.Millisecond}
	client, err := convert.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return client, documents.URL + "/"
}

// TestThroughTheService: parameters, progress and failures as a client sees them.
func TestThroughTheService(t *testing.T) {
	t.Parallel()
	client, documents := service(t, shared(t), 0)
	dir := t.TempDir()
	submit := func(request convert.TextRequest) (string, []float64, error) {
		task, err := client.SubmitText(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		var shares []float64
		paths, err := client.Save(t.Context(), task, dir, &convert.SaveOptions{Progress: func(s *convert.Status) { shares = append(shares, s.Progress) }})
		text := ""
		for _, path := range paths {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			text += filepath.Base(path) + ": " + string(b) + "\n"
		}
		return text, shares, err
	}
	text, shares, err := submit(convert.TextRequest{URL: documents + "sheet.xls", Filename: "sheet.xls", Pages: convert.Ranges{convert.Page(1), convert.Page(3)}})
	if err != nil || !strings.Contains(text, "München") || !strings.Contains(text, "Third sheet") || strings.Contains(text, "Second sheet") {
		t.Errorf("text %q, %v, want pages 1 and 3", text, err)
	}
	if len(shares) == 0 || shares[len(shares)-1] != 100 || !slices.IsSorted(shares) {
		t.Errorf("progress %v, want it to grow to 100", shares)
	}
	_, _, err = submit(convert.TextRequest{URL: documents + "locked.docx", Filename: "locked.docx"})
	refused(t, err, "the document needs a password")
	_, _, err = submit(convert.TextRequest{URL: documents + "none.docx", Filename: "none.docx"})
	refused(t, err, "404")
}

// TestResultsAreFiles, which stay for an hour, or until the engine is closed.
func TestResultsAreFiles(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	e := closed(t, office.Config{Plain: true})
	client, documents := service(t, e, 0)
	convertOne := func() convert.File {
		task, err := client.SubmitText(t.Context(), convert.TextRequest{URL: documents + "words.docx", Filename: "words.docx", MergePages: true})
		if err != nil {
			t.Fatal(err)
		}
		done, err := client.Wait(t.Context(), task)
		if err != nil || len(done.Files) != 1 {
			t.Fatal(done, err)
		}
		return done.Files[0]
	}
	left := func() []string {
		found, err := filepath.Glob(filepath.Join(temp, "*", "task-*", "*"))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	first := convertOne()
	if found := left(); len(found) != 1 || filepath.Base(found[0]) != "result.txt" {
		t.Fatalf("files %q, want the result, and not the document", found)
	}
	if err := client.Download(t.Context(), first, io.Discard); err != nil {
		t.Error(err)
	}
	old := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(filepath.Dir(left()[0]), old, old); err != nil {
		t.Fatal(err)
	}
	convertOne()
	if found := left(); len(found) != 1 {
		t.Errorf("files %q, want only the second result", found)
	}
	if err := client.Download(t.Context(), first, io.Discard); err == nil {
		t.Error("the first result after two hours: no error, want one")
	}
}

// TestProgress: a client that asks now and then may miss what is between the ends.
func TestProgress(t *testing.T) {
	t.Parallel()
	var shares []float64
	job := office.Job{Path: "testdata/sheet.xls", Target: convert.PDF, Dir: t.TempDir(), Progress: func(share float64) { shares = append(shares, share) }}
	if _, err := shared(t).Convert(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(shares) || !slices.ContainsFunc(shares, func(share float64) bool { return share > 0 && share < 1 }) {
		t.Errorf("shares %v, want them to grow between 0 and 1", shares)
	}
}

// TestMaxWaitEndsTheWork, that of documents which wait for an instance too.
func TestMaxWaitEndsTheWork(t *testing.T) {
	t.Parallel()
	e := officetest.Engine(t, office.Config{Instances: 1})
	client, documents := service(t, e, 20*time.Millisecond)
	task, err := client.SubmitText(t.Context(), convert.TextRequest{URL: documents + "words.docx", Filename: "words.docx"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Wait(t.Context(), task)
	refused(t, err, "took longer than 20ms")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Convert(ctx, office.Job{Path: "testdata/words.docx", Target: convert.PDF, Dir: t.TempDir()}); err == nil {
		t.Error("a context that has ended: no error, want one")
	}
}
