package office_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/examples/internal/office"
	"github.com/weboffice-go/weboffice/examples/internal/office/officetest"
)

const (
	wordType  = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
	sheetType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
	slideType = "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"

	spreadsheet   = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	relations     = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	wordNamespace = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="` + relations + `" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" xmlns:v="urn:schemas-microsoft-com:vml"`
)

// engine is one for most tests: each instance takes seconds to start.
var engine = sync.OnceValues(func() (*office.Engine, error) { return office.New(office.Config{}) })

func TestMain(m *testing.M) {
	code := m.Run()
	if e, err := engine(); err == nil {
		if err := e.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// shared gives it, or skips the test without LibreOffice.
func shared(tb testing.TB) *office.Engine {
	tb.Helper()
	e, err := engine()
	if err != nil {
		tb.Fatal(err)
	}
	officetest.Need(tb, e)
	return e
}

// closed is an engine that the end of the test closes.
func closed(t *testing.T, cfg office.Config) *office.Engine {
	t.Helper()
	e, err := office.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// parts are those of a package by name, as text.
type parts map[string]string

// pack writes a package whose main part has that name and type.
func pack(tb testing.TB, name, main, contentType string, files parts) string {
	tb.Helper()
	var b bytes.Buffer
	writePackage(tb, &b, main, contentType, files)
	return write(tb, name, b.Bytes())
}

// writePackage packs to w.
func writePackage(tb testing.TB, to io.Writer, main, contentType string, files parts) {
	tb.Helper()
	w := zip.NewWriter(to)
	files["[Content_Types].xml"] = cmp.Or(files["[Content_Types].xml"], `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/`+main+`" ContentType="`+contentType+`"/>`+files["overrides"]+`</Types>`)
	delete(files, "overrides")
	if files["_rels/.rels"] == "" {
		files["_rels/.rels"] = relationships(main, "officeDocument")
	}
	for part, text := range files {
		f, err := w.Create(part)
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := io.WriteString(f, text); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
}

// relationships are those of one part: pairs of a target and a kind, with the ids r1,
// r2 and so on. A target with a colon is outside of the package.
func relationships(pairs ...string) string {
	var b strings.Builder
	b.WriteString(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`)
	for i := 0; i < len(pairs); i += 2 {
		mode := ""
		if strings.Contains(pairs[i], ":") {
			mode = ` TargetMode="External"`
		}
		b.WriteString(`<Relationship Id="r` + strconv.Itoa(i/2+1) + `" Type="` + relations + "/" + pairs[i+1] + `" Target="` + pairs[i] + `"` + mode + `/>`)
	}
	return b.String() + `</Relationships>`
}

// word packs a docx with that body.
func word(tb testing.TB, body string, more parts) string {
	tb.Helper()
	files := parts{"word/document.xml": `<w:document ` + wordNamespace + `><w:body>` + body + `</w:body></w:document>`}
	maps.Copy(files, more)
	return pack(tb, "a.docx", "word/document.xml", wordType, files)
}

// deck packs a pptx with a slide that has those shapes.
func deck(tb testing.TB, shapes string) string {
	tb.Helper()
	namespaces := `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="` + relations + `"`
	return pack(tb, "a.pptx", "ppt/presentation.xml", slideType, parts{
		"ppt/presentation.xml":            `<p:presentation ` + namespaces + `><p:sldIdLst><p:sldId id="256" r:id="r1"/></p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/></p:presentation>`,
		"ppt/_rels/presentation.xml.rels": relationships("slides/slide1.xml", "slide"),
		"ppt/slides/slide1.xml":           `<p:sld ` + namespaces + `><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>` + shapes + `</p:spTree></p:cSld></p:sld>`,
		"overrides":                       `<Override PartName="/ppt/slides/slide1.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.slide+xml"/>`,
	})
}

func write(tb testing.TB, name string, b []byte) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), name)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

// result converts, and gives the contents of the files.
func result(tb testing.TB, e *office.Engine, job office.Job) ([]string, error) {
	tb.Helper()
	if job.Target == "" {
		job.Target = convert.Text
	}
	job.Dir = tb.TempDir()
	paths, err := e.Convert(tb.Context(), job)
	var texts []string
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		texts = append(texts, string(b))
	}
	if left, _ := os.ReadDir(job.Dir); err != nil && len(left) > 0 {
		tb.Errorf("a conversion that failed left %d files", len(left))
	}
	return texts, err
}

// refused expects an error that says so, in words of ours.
func refused(tb testing.TB, err error, want string) {
	tb.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		tb.Errorf("error %v, want one that says %q", err, want)
		return
	}
	for _, noise := range []string{"SfxBaseModel", "signal", "0xc10", "javaldx", "com.sun.star", "Traceback", "/tmp"} {
		if strings.Contains(err.Error(), noise) {
			tb.Errorf("error %q has noise of LibreOffice", err)
		}
	}
	if errors.Is(err, os.ErrNotExist) {
		tb.Errorf("error %v: of our own files?", err)
	}
}
