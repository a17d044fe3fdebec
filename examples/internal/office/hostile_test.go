package office_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/zlib"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/examples/internal/office"
	"github.com/weboffice-go/weboffice/examples/internal/office/officetest"
)

// TestRefused: content decides, not the name, with LibreOffice and without.
func TestRefused(t *testing.T) {
	t.Parallel()
	good, err := os.ReadFile("testdata/words.docx")
	if err != nil {
		t.Fatal(err)
	}
	bomb := strings.Repeat(" ", 40<<20)
	for name, tt := range map[string]struct{ path, want string }{
		"html":          {write(t, "a.docx", []byte("<html><body><img src='http://127.0.0.1:1/x.png'></body></html>")), "not a document"},
		"text":          {write(t, "a.xlsx", []byte("just text\n")), "not a document"},
		"flat odf":      {write(t, "a.doc", []byte(`<?xml version="1.0"?><office:document/>`)), "not a document"},
		"empty":         {write(t, "a.pptx", nil), "not a document"},
		"cut off":       {write(t, "a.docx", good[:len(good)/2]), "damaged"},
		"other package": {pack(t, "a.docx", "x.xml", "application/xml", parts{"x.xml": "<x/>"}), "not a document"},
		"no directory":  {write(t, "a.doc", append([]byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"), make([]byte, 2000)...)), "damaged"},
		"pdf":           {write(t, "a.pdf", []byte("%PDF-1.7\nnothing else")), "damaged"},
		"bomb in docx":  {word(t, "<w:p/>", parts{"word/styles.xml": bomb}), "unpacked, has more than"},
		"bomb in xlsx":  {pack(t, "a.xlsx", "xl/workbook.xml", sheetType, parts{"xl/workbook.xml": "<workbook/>", "xl/sharedStrings.xml": bomb}), "unpacked, has more than"},
		"bomb in pptx":  {pack(t, "a.pptx", "ppt/presentation.xml", slideType, parts{"ppt/presentation.xml": "<p/>", "ppt/slides/slide1.xml": bomb}), "unpacked, has more than"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := result(t, shared(t), office.Job{Path: tt.path})
			refused(t, err, tt.want)
		})
	}
}

// TestEndlessPDF ends at a limit.
func TestEndlessPDF(t *testing.T) {
	t.Parallel()
	e := officetest.Engine(t, office.Config{Timeout: time.Second, Instances: 1})
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	for range 80 {
		fmt.Fprint(w, strings.Repeat("BT /F 1 Tf 1 0 0 1 5 5 Tm (endless text) Tj ET\n", 20_000))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var pdf bytes.Buffer
	var offsets []int
	object := func(body string) {
		offsets = append(offsets, pdf.Len())
		fmt.Fprintf(&pdf, "%d 0 obj\n%s\nendobj\n", len(offsets), body)
	}
	pdf.WriteString("%PDF-1.4\n")
	object("<</Type/Catalog/Pages 2 0 R>>")
	object("<</Type/Pages/Kids[3 0 R]/Count 1>>")
	object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>")
	object(fmt.Sprintf("<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream", packed.Len(), packed.String()))
	start := pdf.Len()
	fmt.Fprintf(&pdf, "xref\n0 5\n0000000000 65535 f \n")
	for _, offset := range offsets {
		fmt.Fprintf(&pdf, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&pdf, "trailer<</Size 5/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", start)
	_, err := result(t, e, office.Job{Path: write(t, "endless.pdf", pdf.Bytes())})
	var limit *office.LimitError
	if !errors.As(err, &limit) {
		t.Errorf("error %v, want a LimitError", err)
	}
}

// TestSparseSheets: a few cells take the pages that they are on, not those between them.
func TestSparseSheets(t *testing.T) {
	t.Parallel()
	cells := func(last string) string {
		rows := `<row r="1"><c r="A1" t="b"><v>1</v></c>`
		if last == "XFD1" {
			return rows + `<c r="XFD1" t="b"><v>0</v></c></row>`
		}
		return rows + `</row><row r="1048576"><c r="` + last + `" t="b"><v>0</v></c></row>`
	}
	for _, last := range []string{"XFD1", "A1048576"} {
		got, err := result(t, shared(t), office.Job{Path: sheet(t, "", cells(last))})
		if want := []string{"TRUE", "FALSE"}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", last, got, err, want)
		}
	}
}

// TestSheetsThatAreNotLaidOut: their text has a page for each sheet, and the log says why.
// What asks for pages is refused.
func TestSheetsThatAreNotLaidOut(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	cfg := office.Config{Instances: 1, Logger: slog.New(slog.NewTextHandler(&log, nil))}
	patient := officetest.Engine(t, cfg)
	cfg.Timeout, cfg.Instances = 4*time.Second, 2
	e := officetest.Engine(t, cfg)
	sparse := officetest.Endless(t)
	half := strings.Repeat(" ", 17<<20) // Other sheets, which the workbook does not show.
	large := packWhole(t, "xlsx", parts{"xl/worksheets/b.xml": half, "xl/worksheets/c.xml": half})
	for _, tt := range []struct {
		e                  *office.Engine
		path, want, reason string
	}{
		{e, sparse, "TRUE FALSE", "took longer than 2 s"},
		{patient, large, "seen 2", "more than 32 MB"},
	} {
		log.Reset()
		got, err := result(t, tt.e, office.Job{Path: tt.path, Name: "budget.xlsx"})
		if err != nil || !slices.Equal(got, []string{tt.want}) {
			t.Errorf("got %q, %v, want %q", got, err, tt.want)
		}
		if !strings.Contains(log.String(), tt.reason) || !strings.Contains(log.String(), "budget.xlsx") {
			t.Errorf("log %q, want %q", &log, tt.reason)
		}
	}
	var wg sync.WaitGroup
	for _, job := range []office.Job{{Path: sparse, Target: convert.PDF}, {Path: sparse, Pages: convert.Span{From: 2}}} {
		wg.Go(func() {
			_, err := result(t, e, job)
			refused(t, err, "took longer than 4 s")
		})
	}
	wg.Wait()
}

// TestFalseSizes: an archive that says less than a part unpacks to gets no further with
// it.
func TestFalseSizes(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		fmt.Fprint(w, strings.Repeat(" ", 1<<20))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	good, err := zip.OpenReader(word(t, para("seen"), nil))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = good.Close() }()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, file := range good.File {
		if file.Name != "word/document.xml" {
			if err := z.Copy(file); err != nil {
				t.Fatal(err)
			}
		}
	}
	part, err := z.CreateRaw(&zip.FileHeader{Name: "word/document.xml", Method: zip.Deflate, CompressedSize64: uint64(packed.Len()), UncompressedSize64: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write(packed.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	small := officetest.Engine(t, office.Config{Instances: 1, Memory: 400 << 20})
	for _, e := range []*office.Engine{small, plain(t)} {
		_, err := result(t, e, office.Job{Path: write(t, "a.docx", b.Bytes())})
		refused(t, err, "damaged")
	}
}
