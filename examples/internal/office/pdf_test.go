package office_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/examples/internal/office"
	"github.com/weboffice-go/weboffice/examples/internal/office/officetest"
)

const handbook = "../../quickstart/document/handbook.docx"

func pages(t *testing.T, pdf []byte) int {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.pdf")
	if err := os.WriteFile(path, pdf, 0o600); err != nil {
		t.Fatal(err)
	}
	n, err := office.CountPages(path)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestPDF(t *testing.T) {
	t.Parallel()
	suite := officetest.Suite(t)
	for selection, want := range map[string]int{"": 3, "2-3": 2, "2-": 2} {
		pdf, err := suite.PDF(t.Context(), handbook, office.PDFOptions{Pages: selection, Comments: true})
		if err != nil {
			t.Fatalf("pages %q: %v", selection, err)
		}
		if got := pages(t, pdf); got != want || !bytes.HasPrefix(pdf, []byte("%PDF-")) {
			t.Errorf("pages %q: %d pages, want %d", selection, got, want)
		}
	}
}

// TestSpreadsheetAndSlides: LibreOffice finds as many pages as the text has.
func TestSpreadsheetAndSlides(t *testing.T) {
	t.Parallel()
	suite := officetest.Suite(t)
	for _, name := range []string{"sheet.xlsx", "slides.pptx"} {
		path := filepath.Join("testdata", name)
		text, err := office.Text(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(text, ""); !strings.Contains(got, "北京") || !strings.Contains(got, "12480") {
			t.Errorf("%s: text %q, want what is in it", name, got)
		}
		pdf, err := suite.PDF(t.Context(), path, office.PDFOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := pages(t, pdf); got != len(text) {
			t.Errorf("%s: %d pages in the PDF, %d in the text", name, got, len(text))
		}
	}
}

func TestPDFOfOtherTypes(t *testing.T) {
	t.Parallel()
	if _, err := new(office.Suite).PDF(t.Context(), "a.odt", office.PDFOptions{}); err == nil {
		t.Error("PDF of .odt: no error, want one")
	}
}

// fake gives a PATH that begins with a soffice which runs script.
func fake(t *testing.T, script string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the fake is a shell script")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "soffice"), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir + string(os.PathListSeparator) + os.Getenv("PATH")
}

// TestPDFEndsWithItsContext: also the processes that the program started end. Without
// that, it would wait for an hour.
func TestPDFEndsWithItsContext(t *testing.T) {
	t.Setenv("PATH", fake(t, "sleep 3600 & wait"))
	suite := officetest.Suite(t)
	cause := errors.New("enough")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, cause)
	defer cancel()
	if _, err := suite.PDF(ctx, handbook, office.PDFOptions{}); !errors.Is(err, cause) {
		t.Errorf("PDF = %v, want why its context ended", err)
	}
}

func TestPDFSaysWhatLibreOfficeSaid(t *testing.T) {
	t.Setenv("PATH", fake(t, "echo oh dear; exit 3"))
	checkSaid(t)
}

// TestNoPDF: it also ends with 0 where it could not.
func TestNoPDF(t *testing.T) {
	t.Setenv("PATH", fake(t, "echo oh dear >&2"))
	checkSaid(t)
}

func checkSaid(t *testing.T) {
	t.Helper()
	if _, err := officetest.Suite(t).PDF(t.Context(), handbook, office.PDFOptions{}); err == nil || !strings.Contains(err.Error(), "oh dear") {
		t.Errorf("PDF = %v, want what the program said", err)
	}
}

func TestWithoutLibreOffice(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := office.Find(); !errors.Is(err, office.ErrNoLibreOffice) {
		t.Errorf("Find = %v, want ErrNoLibreOffice", err)
	}
}
