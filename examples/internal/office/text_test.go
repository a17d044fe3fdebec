package office_test

import (
	"archive/zip"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/examples/internal/office"
)

// archive writes an office document of the given parts.
func archive(t *testing.T, name string, parts map[string]string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(file)
	for name, content := range parts {
		part, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

const wordNamespace = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`

// word writes a .docx with that body.
func word(t *testing.T, body string) string {
	t.Helper()
	return archive(t, "a.docx", map[string]string{
		"[Content_Types].xml": `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
		"word/document.xml":   `<?xml version="1.0"?><w:document ` + wordNamespace + `><w:body>` + body + `</w:body></w:document>`,
	})
}

func paragraph(runs string) string { return "<w:p>" + runs + "</w:p>" }

func run(content string) string { return "<w:r>" + content + "</w:r>" }

func text(s string) string { return `<w:t xml:space="preserve">` + s + `</w:t>` }

func cell(s string) string { return "<w:tc><w:tcPr/>" + paragraph(run(text(s))) + "</w:tc>" }

func TestTextOfWord(t *testing.T) {
	t.Parallel()
	a, b := paragraph(run(text("a"))), paragraph(run(text("b")))
	for name, tt := range map[string]struct {
		body string
		want []string
	}{
		"paragraphs":           {a + b, []string{"a\nb\n"}},
		"hyperlink":            {paragraph(run(text("see ")) + `<w:hyperlink>` + run(text("here")) + `</w:hyperlink>` + run(text("."))), []string{"see here.\n"}},
		"field":                {paragraph(`<w:fldSimple w:instr="DATE">` + run(text("today")) + `</w:fldSimple>`), []string{"today\n"}},
		"tracked insertion":    {paragraph(`<w:ins>` + run(text("new")) + `</w:ins><w:del>` + run(`<w:delText>old</w:delText>`) + `</w:del>`), []string{"new\n"}},
		"content control":      {`<w:sdt><w:sdtPr><w:text/></w:sdtPr><w:sdtContent>` + a + `</w:sdtContent></w:sdt>` + b, []string{"a\nb\n"}},
		"line break in a run":  {paragraph(run(text("a") + `<w:br/>` + text("b") + `<w:cr/>` + text("c"))), []string{"a\nb\nc\n"}},
		"tab in a run":         {paragraph(run(text("a") + `<w:tab/>` + text("b"))), []string{"a\tb\n"}},
		"tab stops":            {paragraph(`<w:pPr><w:tabs><w:tab w:val="left" w:pos="1"/></w:tabs></w:pPr>` + run(text("a"))), []string{"a\n"}},
		"hyphens":              {paragraph(run(text("a") + `<w:noBreakHyphen/>` + text("b") + `<w:softHyphen/>` + text("c"))), []string{"a-bc\n"}},
		"blanks at line end":   {paragraph(run(text("a  "))) + b, []string{"a\nb\n"}},
		"page break":           {paragraph(run(text("a")+`<w:br w:type="page"/>`+text("b"))) + b, []string{"a\n", "b\nb\n"}},
		"page break before":    {a + paragraph(`<w:pPr><w:pageBreakBefore/></w:pPr>`+run(text("b"))), []string{"a\n", "b\n"}},
		"no page break before": {a + paragraph(`<w:pPr><w:pageBreakBefore w:val="0"/></w:pPr>`+run(text("b"))), []string{"a\nb\n"}},
		"page as rendered":     {a + paragraph(run(`<w:br w:type="page"/>`)+run(`<w:lastRenderedPageBreak/>`+text("b"))), []string{"a\n", "b\n"}},
		"table":                {a + `<w:tbl><w:tblPr/><w:tblGrid/><w:tr>` + cell("1") + cell("2") + `</w:tr><w:tr>` + cell("3") + cell("4") + `</w:tr></w:tbl>` + b, []string{"a\n1\t2\n3\t4\nb\n"}},
		"paragraphs in a cell": {`<w:tbl><w:tr><w:tc>` + a + b + `</w:tc>` + cell("c") + `</w:tr></w:tbl>`, []string{"a b\tc\n"}},
		"table in a table":     {`<w:tbl><w:tr><w:tc>` + a + `<w:tbl><w:tr>` + cell("1") + cell("2") + `</w:tr></w:tbl>` + b + `</w:tc></w:tr></w:tbl>` + a, []string{"a 1 2 b\na\n"}},
		"two tables":           {`<w:tbl><w:tr>` + cell("1") + `</w:tr></w:tbl>` + a + `<w:tbl><w:tr>` + cell("2") + `</w:tr></w:tbl>` + b, []string{"1\na\n2\nb\n"}},
		"entities":             {paragraph(run(text("a &lt; b &amp; c"))), []string{"a < b & c\n"}},
		"scripts":              {paragraph(run(text("文档 Größe 𝄞 📚"))), []string{"文档 Größe 𝄞 📚\n"}},
		"nothing":              {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := office.Text(word(t, tt.body))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Text (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTextOfNoDocument(t *testing.T) {
	t.Parallel()
	plain := filepath.Join(t.TempDir(), "a.docx")
	if err := os.WriteFile(plain, []byte("no archive"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"missing":      filepath.Join(t.TempDir(), "b.docx"),
		"no archive":   plain,
		"no text part": archive(t, "c.docx", map[string]string{"x": "y"}),
		"broken XML":   word(t, "<w:p>"),
		"no slides":    archive(t, "d.pptx", map[string]string{"x": "y"}),
		"no sheets":    archive(t, "e.xlsx", map[string]string{"x": "y"}),
		"other type":   "f.odt",
	} {
		if got, err := office.Text(path); err == nil {
			t.Errorf("%s: Text = %q, want an error", name, got)
		}
	}
}
