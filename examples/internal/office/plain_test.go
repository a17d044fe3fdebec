package office_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/examples/internal/office"
	"github.com/weboffice-go/weboffice/examples/internal/office/officetest"
)

// plain is an engine without any program.
func plain(t *testing.T) *office.Engine {
	t.Helper()
	e, err := office.New(office.Config{Plain: true})
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

func para(text string) string { return `<w:p><w:r><w:t>` + text + `</w:t></w:r></w:p>` }

// structures are parts of a docx whose words are easily lost.
var structures = map[string]struct{ body, want string }{
	"direction":  {`<w:p><w:bdo w:val="ltr"><w:r><w:t>forced</w:t></w:r></w:bdo><w:dir w:val="ltr"><w:r><w:t xml:space="preserve"> embedded</w:t></w:r></w:dir></w:p>`, "forced embedded"},
	"custom XML": {`<w:customXml w:element="x"><w:p><w:customXml w:element="y"><w:r><w:t>inside</w:t></w:r></w:customXml></w:p></w:customXml>`, "inside"},
	"control":    {`<w:sdt><w:sdtContent>` + para("filled in") + `</w:sdtContent></w:sdt>`, "filled in"},
	"ruby":       {`<w:p><w:r><w:ruby><w:rubyPr><w:hps w:val="10"/></w:rubyPr><w:rt><w:r><w:t>かんじ</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>漢字</w:t></w:r></w:rubyBase></w:ruby></w:r><w:r><w:t>です</w:t></w:r></w:p>`, "漢字かんじです"},
	"table":      {`<w:tbl><w:tr><w:tc>` + para("one") + `</w:tc><w:tc>` + para("two") + `</w:tc></w:tr></w:tbl>`, "one two"},
	"text box":   {`<w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline><wp:extent cx="2000000" cy="900000"/><wp:docPr id="1" name="b"/><a:graphic><a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp><wps:cNvSpPr txBox="1"/><wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="2000000" cy="900000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></wps:spPr><wps:txbx><w:txbxContent>` + para("boxed") + `</w:txbxContent></wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing></mc:Choice><mc:Fallback><w:t>twice</w:t></mc:Fallback></mc:AlternateContent></w:r></w:p>`, "boxed"},
	"footnote":   {`<w:p><w:r><w:t>Ouch</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>`, "fell on it"},
}

func structure(t *testing.T, body string) string {
	t.Helper()
	return word(t, body, parts{
		"word/_rels/document.xml.rels": relationships("footnotes.xml", "footnotes"),
		"word/footnotes.xml":           `<w:footnotes ` + wordNamespace + `><w:footnote w:type="separator" w:id="0"><w:p/></w:footnote><w:footnote w:id="2">` + para("fell on it") + `</w:footnote></w:footnotes>`,
		"overrides":                    `<Override PartName="/word/footnotes.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"/>`,
	})
}

// TestStructures: with LibreOffice.
func TestStructures(t *testing.T) {
	t.Parallel()
	for name, tt := range structures {
		got, err := result(t, shared(t), office.Job{Path: structure(t, tt.body), MergePages: true})
		if name == "ruby" { // What stands above the text comes before it in a PDF.
			tt.want = "漢字"
		}
		if err != nil || !strings.Contains(got[0], tt.want) || strings.Contains(got[0], "twice") {
			t.Errorf("%s: %q, %v, want %q", name, got, err, tt.want)
		}
	}
}

// TestBeyondTheEdge: a table wider than the page loses no word.
func TestBeyondTheEdge(t *testing.T) {
	t.Parallel()
	cell := `<w:tc><w:tcPr><w:tcW w:w="6000" w:type="dxa"/></w:tcPr>` + para("left") + `</w:tc>`
	body := `<w:tbl><w:tblPr><w:tblW w:w="18000" w:type="dxa"/><w:tblLayout w:type="fixed"/></w:tblPr><w:tblGrid><w:gridCol w:w="6000"/><w:gridCol w:w="6000"/></w:tblGrid><w:tr>` + cell + strings.Replace(cell, "left", "in the middle a long line that goes on beyond the edge of the page", 1) + `</w:tr></w:tbl><w:p/>`
	got, err := result(t, shared(t), office.Job{Path: word(t, body, nil)})
	if err != nil || !strings.Contains(got[0], "line that goes on beyond the edge of the page") {
		t.Errorf("got %q, %v, want the whole line", got, err)
	}
}

// TestBelowTheSlide: a box that goes on there loses no word either.
func TestBelowTheSlide(t *testing.T) {
	t.Parallel()
	box := `<p:sp><p:nvSpPr><p:cNvPr id="2" name="b"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="300000" y="6000000"/><a:ext cx="3000000" cy="600000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr><p:txBody><a:bodyPr/>` + strings.Repeat(`<a:p><a:r><a:t>more</a:t></a:r></a:p>`, 9) + `<a:p><a:r><a:t>far below</a:t></a:r></a:p></p:txBody></p:sp>`
	path := deck(t, box)
	got, err := result(t, shared(t), office.Job{Path: path})
	if err != nil || !strings.Contains(got[0], "far below") {
		t.Errorf("got %q, %v, want what is below the slide", got, err)
	}
}

// TestPagesOfASheet: cells that shrink leave their rows as high as they are, so text and
// PDF have the same pages, and those that LibreOffice makes by itself.
func TestPagesOfASheet(t *testing.T) {
	t.Parallel()
	row := `<row><c s="0"><v>123456789</v></c><c s="0" t="inlineStr"><is><t>words that are long</t></is></c><c><v>1</v></c></row>`
	path := pack(t, "a.xlsx", "xl/workbook.xml", sheetType, parts{
		"xl/workbook.xml":            `<workbook xmlns="` + spreadsheet + `" xmlns:r="` + relations + `"><sheets><sheet name="a" sheetId="1" r:id="r1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": relationships("worksheets/a.xml", "worksheet", "styles.xml", "styles"),
		"xl/styles.xml":              `<styleSheet xmlns="` + spreadsheet + `"><fonts><font><sz val="40"/></font></fonts><fills><fill/></fills><borders><border/></borders><cellStyleXfs><xf/></cellStyleXfs><cellXfs><xf fontId="0" applyFont="1"/></cellXfs></styleSheet>`,
		"xl/worksheets/a.xml":        `<worksheet xmlns="` + spreadsheet + `"><sheetData>` + strings.Repeat(row, 60) + `</sheetData></worksheet>`,
		"overrides":                  `<Override PartName="/xl/worksheets/a.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/>`,
	})
	text, err := result(t, shared(t), office.Job{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []*office.Engine{shared(t), officetest.Engine(t, office.Config{OneShot: true, Instances: 1})} {
		checkPDF(t, e, office.Job{Path: path, Target: convert.PDF}, len(text))
	}
}

// TestPlainStructures: and without.
func TestPlainStructures(t *testing.T) {
	t.Parallel()
	e := plain(t)
	for name, tt := range structures {
		got, err := result(t, e, office.Job{Path: structure(t, tt.body), MergePages: true})
		if err != nil || !strings.Contains(got[0], tt.want) || strings.Contains(got[0], "twice") {
			t.Errorf("%s: %q, %v, want %q", name, got, err, tt.want)
		}
	}
	other := pack(t, "a.docx", "word/other.xml", wordType, parts{"word/other.xml": `<w:document ` + wordNamespace + `><w:body>` + para("Hello") + `</w:body></w:document>`})
	if got, err := result(t, e, office.Job{Path: other}); err != nil || !slices.Equal(got, []string{"Hello"}) {
		t.Errorf("main part of another name: %q, %v", got, err)
	}
	if got, err := result(t, e, office.Job{Path: word(t, "<w:p/>", nil)}); err != nil || !slices.Equal(got, []string{""}) {
		t.Errorf("no text: %q, %v, want an empty page", got, err)
	}
}

func TestPlainPages(t *testing.T) {
	t.Parallel()
	e := plain(t)
	body := para("first") + `<w:p><w:r><w:br w:type="page"/><w:lastRenderedPageBreak/><w:t>second</w:t></w:r></w:p><w:p><w:pPr><w:pageBreakBefore/></w:pPr><w:r><w:t>third</w:t><w:br/><w:t>line</w:t></w:r></w:p>`
	path := word(t, body, nil)
	for _, tt := range []struct {
		job  office.Job
		want []string
	}{
		{office.Job{}, []string{"first", "second", "third line"}},
		{office.Job{KeepLineBreaks: true, Pages: convert.Span{From: 3}}, []string{"third\nline\n"}},
		{office.Job{MergePages: true, Pages: convert.Ranges{convert.Page(1), convert.Page(3)}}, []string{"first third line"}},
	} {
		tt.job.Path = path
		if got, err := result(t, e, tt.job); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("got %q, %v, want %q", got, err, tt.want)
		}
	}
	_, err := result(t, e, office.Job{Path: path, Pages: convert.Span{From: 2, To: 4}})
	refused(t, err, "page 4 of 3")
}

// TestPlainRefuses what only a program can do, and says how to get it.
func TestPlainRefuses(t *testing.T) {
	t.Parallel()
	e := plain(t)
	for name, want := range map[string]string{
		"words.doc": "the text of a .doc needs LibreOffice", "sheet.xls": "LibreOffice", "slides.ppt": "LibreOffice",
		"words.pdf": "the text of a PDF needs pdftotext of poppler", "locked.docx": "needs a password",
	} {
		_, err := result(t, e, office.Job{Path: "testdata/" + name})
		refused(t, err, want)
		if !strings.Contains(want, "password") {
			refused(t, err, "install it with: ")
		}
	}
	_, err := result(t, e, office.Job{Path: "testdata/words.docx", Target: convert.PDF})
	refused(t, err, "a PDF needs LibreOffice, which is not installed; install it with: ")
}

func TestPlainSlides(t *testing.T) {
	t.Parallel()
	e := plain(t)
	slide := func(attributes, shapes string) string {
		return `<p:sld xmlns:p="p" xmlns:a="a"` + attributes + `><p:cSld><p:spTree>` + shapes + `</p:spTree></p:cSld></p:sld>`
	}
	path := pack(t, "a.pptx", "ppt/presentation.xml", slideType, parts{
		"ppt/presentation.xml":             `<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId id="256" r:id="r2"/><p:sldId id="257" r:id="r1"/><p:sldId id="258" r:id="r3"/></p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels":  relationships("slides/slide1.xml", "slide", "slides/slide2.xml", "slide", "slides/slide3.xml", "slide"),
		"ppt/slides/slide1.xml":            slide("", `<a:p><a:r><a:t>second</a:t></a:r></a:p>`),
		"ppt/slides/slide2.xml":            slide("", `<a:p><a:r><a:t>العلــمي</a:t></a:r><a:br/><a:r><a:t>Ministère</a:t></a:r></a:p><a:tbl><a:tr><a:tc><a:p><a:r><a:t>ColA</a:t></a:r></a:p></a:tc><a:tc><a:p><a:r><a:t>ColB</a:t></a:r></a:p></a:tc></a:tr></a:tbl>`),
		"ppt/slides/_rels/slide2.xml.rels": relationships("../notesSlides/n.xml", "notesSlide"),
		"ppt/notesSlides/n.xml":            slide("", `<a:p><a:r><a:t>say hello</a:t></a:r></a:p><a:p><a:fld type="slidenum"><a:t>1</a:t></a:fld></a:p>`),
		"ppt/slides/slide3.xml":            slide(` show="0"`, `<a:p><a:r><a:t>hidden</a:t></a:r></a:p>`),
	})
	got, err := result(t, e, office.Job{Path: path})
	if want := []string{"العلــمي Ministère ColA ColB say hello", "second"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// sheet packs an xlsx with the cells of one sheet, and number formats from 100 on, which
// are the styles from 0 on.
func sheet(t *testing.T, workbook, rows string, formats ...string) string {
	t.Helper()
	var codes, styles strings.Builder
	for i, code := range formats {
		fmt.Fprintf(&codes, `<numFmt numFmtId="%d" formatCode="%s"/>`, 100+i, strings.ReplaceAll(code, `"`, "&quot;"))
		fmt.Fprintf(&styles, `<xf numFmtId="%d"/>`, 100+i)
	}
	return pack(t, "a.xlsx", "xl/workbook.xml", sheetType, parts{
		"xl/workbook.xml":            `<workbook xmlns="` + spreadsheet + `" xmlns:r="` + relations + `">` + workbook + `<sheets><sheet name="a" r:id="r1"/><sheet name="b" state="hidden" r:id="r2"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": relationships("worksheets/a.xml", "worksheet", "worksheets/b.xml", "worksheet", "styles.xml", "styles", "sharedStrings.xml", "sharedStrings"),
		"xl/styles.xml":              `<styleSheet xmlns="` + spreadsheet + `"><numFmts>` + codes.String() + `</numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs>` + styles.String() + `</cellXfs></styleSheet>`,
		"xl/sharedStrings.xml":       `<sst xmlns="` + spreadsheet + `"><si><t>shared</t></si><si><r><t>rich </t></r><r><t>text</t></r><rPh><t>no</t></rPh></si></sst>`,
		"xl/worksheets/a.xml":        `<worksheet xmlns="` + spreadsheet + `"><sheetData>` + rows + `</sheetData></worksheet>`,
		"xl/worksheets/b.xml":        `<worksheet xmlns="` + spreadsheet + `"><sheetData><row><c><v>666</v></c></row></sheetData></worksheet>`,
	})
}

// TestPlainSheet: what a person sees, at the size of what is there.
func TestPlainSheet(t *testing.T) {
	t.Parallel()
	e := plain(t)
	path := sheet(t, "", `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="AMJ1" t="s"><v>1</v></c></row><row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>far</t></is></c><c t="b"><v>1</v></c><c t="e"><v>#DIV/0!</v></c><c t="str"><f>A1</f><v>made</v></c><c><f>A2</f><v>2.5</v></c><c t="s"><v>99</v></c></row>`)
	got, err := result(t, e, office.Job{Path: path, KeepLineBreaks: true})
	if want := []string{"shared rich text\nfar TRUE #DIV/0! made 2.5\n"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestPlainNumbers(t *testing.T) {
	t.Parallel()
	e := plain(t)
	for _, tt := range []struct{ code, value, want string }{
		{"General", "0.1", "0.1"},
		{"0%", "0.125", "12%"},
		{"0.00%", "0.125", "12.50%"},
		{"#,##0.00", "-1234567.891", "-1,234,567.89"},
		{`[$€-407] #,##0`, "1234", "€ 1,234"},
		{`0" kg"`, "3", "3 kg"},
		{"yyyy-mm-dd", "43132", "2018-02-01"},
		{"dd/mm/yyyy", "43132", "01/02/2018"},
		{`yyyy"年"m"月"d"日"`, "43132", "2018年2月1日"},
		{"d-mmm-yy;@", "43132", "1-Feb-18"},
		{"h:mm AM/PM", "0.75", "6:00 PM"},
		{"hh:mm:ss", "0.5000231481", "12:00:02"},
		{"[h]:mm", "1.5", "36:00"},
		{"yyyy-mm-dd", "1", "1900-01-01"},
		{"0.00E+00", "12345", "12345"},
		{"yyyy", "-1", "-1"},
	} {
		got, err := result(t, e, office.Job{Path: sheet(t, "", `<row><c s="0"><v>`+tt.value+`</v></c></row>`, tt.code)})
		if err != nil || len(got) != 1 || got[0] != tt.want {
			t.Errorf("%s as %s: %q, %v, want %q", tt.value, tt.code, got, err, tt.want)
		}
	}
	got, err := result(t, e, office.Job{Path: sheet(t, `<workbookPr date1904="1"/>`, `<row><c s="0"><v>41670</v></c></row>`, "yyyy-mm-dd")})
	if err != nil || got[0] != "2018-02-01" {
		t.Errorf("from 1904: %q, %v", got, err)
	}
}

// TestPlainLimits: a deep part, a long token.
func TestPlainLimits(t *testing.T) {
	t.Parallel()
	e := plain(t)
	_, err := result(t, e, office.Job{Path: word(t, strings.Repeat("<w:sdt>", 2000)+strings.Repeat("</w:sdt>", 2000), nil)})
	refused(t, err, "too deeply")
	_, err = result(t, e, office.Job{Path: word(t, para(strings.Repeat("x", 20<<20)), nil)})
	refused(t, err, "has more than")
	_, err = result(t, e, office.Job{Path: word(t, "<w:p><w:p", nil)})
	refused(t, err, "damaged")
}
