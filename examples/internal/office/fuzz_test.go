package office_test

import (
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/examples/internal/office"
)

// FuzzPlain: no bytes make it panic, or leave a file behind an error.
func FuzzPlain(f *testing.F) {
	e, err := office.New(office.Config{Plain: true})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = e.Close() })
	for _, name := range []string{"words.docx", "sheet.xlsx", "slides.pptx", "words.doc", "sheet.xls", "locked.docx", "locked.xls"} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		_, err := result(t, e, office.Job{Path: write(t, "a", b), Target: convert.Text})
		if err != nil && err.Error() == "" {
			t.Error("an error without words")
		}
	})
}

// FuzzNumberFormat: no code makes it panic, or write what is not text.
func FuzzNumberFormat(f *testing.F) {
	for _, code := range []string{"", "General", "0.00%", `[$€-407] #,##0.00;[Red]-0`, `yyyy"年"m\-d h:mm:ss.0 AM/PM`, "[h]:mm", `"open`, "[", `\`, "_"} {
		f.Add(code, 43132.75)
	}
	f.Fuzz(func(t *testing.T, code string, n float64) {
		if text := office.FormatNumber(code, n); utf8.ValidString(code) && !utf8.ValidString(text) {
			t.Errorf("%q of %v is %q, which is not UTF-8", code, n, text)
		}
	})
}
