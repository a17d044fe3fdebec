package office_test

import (
	"archive/zip"
	"bytes"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/examples/internal/office"
)

// TestManyParts: the list of an archive is read into memory, so it is short.
func TestManyParts(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := range 100_000 {
		if _, err := w.CreateRaw(&zip.FileHeader{Name: strconv.Itoa(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := result(t, plain(t), office.Job{Path: write(t, "a.docx", b.Bytes())})
	refused(t, err, "the list of the document's parts has more than 4 MB")
}

// TestMissingSlides: the time ends also for a list of slides that are not there.
func TestMissingSlides(t *testing.T) {
	t.Parallel()
	e := closed(t, office.Config{Plain: true, Timeout: time.Second})
	_, err := result(t, e, office.Job{Path: packWhole(t, "pptx", parts{
		"ppt/presentation.xml":            `<p:presentation xmlns:p="` + presentation + `" xmlns:r="` + relations + `"><p:sldIdLst>` + strings.Repeat(`<p:sldId r:id="r1"/>`, 100_000) + `</p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels": relationships("slides/none.xml", "slide"),
		"ppt/slides/_rels/none.xml.rels":  `<Relationships>` + strings.Repeat(`<Relationship Id="a" Type="b" Target="c"/>`, 50_000) + `</Relationships>`,
	})})
	refused(t, err, "took longer than 1 s")
}

// TestBombsOfSheets: what a cell or its format has is limited.
func TestBombsOfSheets(t *testing.T) {
	t.Parallel()
	e := plain(t)
	long := strings.Repeat("0", 2<<20)
	got, err := result(t, e, office.Job{Path: packWhole(t, "xlsx", parts{
		"xl/styles.xml": `<styleSheet xmlns="` + spreadsheet + `"><numFmts><numFmt numFmtId="164" formatCode="` + long + `"/></numFmts><cellXfs>` + strings.Repeat(`<xf numFmtId="164"/>`, 100_000) + `</cellXfs></styleSheet>`,
	})})
	if err != nil || got[0] != "seen 2" {
		t.Errorf("a long format: %.99q, %v", got, err)
	}
	_, err = result(t, e, office.Job{Path: packWhole(t, "xlsx", parts{
		"xl/worksheets/a.xml": `<worksheet xmlns="` + spreadsheet + `"><sheetData><row><c t="inlineStr"><is>` + strings.Repeat(`<t>`+strings.Repeat("word", 256)+`</t>`, 1<<10+1) + `</is></c></row></sheetData></worksheet>`,
	})})
	refused(t, err, "a cell of the document has more than 1 MB")
}
