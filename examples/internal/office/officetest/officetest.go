// Package officetest gives engines to tests.
package officetest

import (
	"archive/zip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/examples/internal/office"
)

// Require is the environment variable with what must not be missing, separated by
// commas. If "libreoffice" is in it, a test that needs LibreOffice fails without it; it
// is skipped otherwise.
const Require = "WEBOFFICE_REQUIRE"

// Engine starts an engine that makes PDFs, and closes it after the test. Without
// LibreOffice or poppler, the test is skipped or fails.
func Engine(tb testing.TB, cfg office.Config) *office.Engine {
	tb.Helper()
	engine, err := office.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := engine.Close(); err != nil {
			tb.Error(err)
		}
	})
	Need(tb, engine)
	return engine
}

// Need skips the test, or fails it, if the engine lacks LibreOffice or poppler.
func Need(tb testing.TB, engine *office.Engine) {
	tb.Helper()
	err := errors.Join(engine.CanPDF(), engine.CanReadPDF())
	if err == nil {
		return
	}
	if slices.Contains(strings.Split(os.Getenv(Require), ","), "libreoffice") {
		tb.Fatalf("%s has libreoffice, and %v", Require, err)
	}
	tb.Skip(err)
}

// Endless writes an .xlsx that LibreOffice loads and, within any limit, does not lay out:
// TRUE is in its first cell, FALSE in its last. It gives the path.
func Endless(tb testing.TB) string {
	tb.Helper()
	const namespace = "http://schemas.openxmlformats.org/"
	relationship := func(kind, target string) string {
		return `<Relationships xmlns="` + namespace + `package/2006/relationships"><Relationship Id="r1" Type="` + namespace + `officeDocument/2006/relationships/` + kind + `" Target="` + target + `"/></Relationships>`
	}
	path := filepath.Join(tb.TempDir(), "endless.xlsx")
	file, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	w := zip.NewWriter(file)
	for part, text := range map[string]string{
		"[Content_Types].xml":        `<Types xmlns="` + namespace + `package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`,
		"_rels/.rels":                relationship("officeDocument", "xl/workbook.xml"),
		"xl/workbook.xml":            `<workbook xmlns="` + namespace + `spreadsheetml/2006/main" xmlns:r="` + namespace + `officeDocument/2006/relationships"><sheets><sheet name="a" sheetId="1" r:id="r1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": relationship("worksheet", "a.xml"),
		"xl/a.xml":                   `<worksheet xmlns="` + namespace + `spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1" t="b"><v>1</v></c></row><row r="1048576"><c r="XFD1048576" t="b"><v>0</v></c></row></sheetData></worksheet>`,
	} {
		f, err := w.Create(part)
		if err == nil {
			_, err = io.WriteString(f, text)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), file.Close()); err != nil {
		tb.Fatal(err)
	}
	return path
}
