package office_test

import (
	"strings"
	"testing"
)

// field is a paragraph with a field that is out of date.
func field(instr string) string {
	return `<w:p><w:r><w:fldChar w:fldCharType="begin" w:dirty="true"/></w:r><w:r><w:instrText xml:space="preserve"> ` + instr + ` </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>kept</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`
}

// links are documents of every kind of link. Where it goes, u says for each type of file.
var links = map[string]func(t *testing.T, u func(extension string) string) string{
	"docx picture": func(t *testing.T, u func(string) string) string {
		t.Helper()

		return word(t, inlined(`<a:blip r:link="r1"/>`), parts{"word/_rels/document.xml.rels": relationships(u("png"), "image")})
	},
	"docx vml": func(t *testing.T, u func(string) string) string {
		t.Helper()

		return word(t, `<w:p><w:r><w:pict><v:shape style="width:50pt;height:50pt"><v:imagedata r:id="r1"/></v:shape></w:pict></w:r></w:p>`, parts{"word/_rels/document.xml.rels": relationships(u("png"), "image")})
	},
	"docx vml src": func(t *testing.T, u func(string) string) string {
		t.Helper()

		return word(t, `<w:p><w:r><w:pict><v:shape style="width:50pt;height:50pt"><v:imagedata src="`+u("png")+`"/></v:shape></w:pict></w:r></w:p>`, nil)
	},
	"docx includepicture": func(t *testing.T, u func(string) string) string {
		t.Helper()

		return word(t, field(`INCLUDEPICTURE "`+u("png")+`" \* MERGEFORMAT \d`), nil)
	},
	"docx includetext": func(t *testing.T, u func(string) string) string {
		t.Helper()

		return word(t, field(`INCLUDETEXT "`+u("txt")+`"`), nil)
	},
	"docx dde": func(t *testing.T, u func(string) string) string {
		t.Helper()

		return word(t, field(`DDEAUTO soffice "`+u("xlsx")+`" a.A1`), nil)
	},
	"docx database": func(t *testing.T, u func(string) string) string {
		t.Helper()

		return word(t, field(`DATABASE \d "`+u("txt")+`"`), nil)
	},
	"docx ole link": func(t *testing.T, u func(string) string) string {
		t.Helper()

		return word(t, `<w:p><w:r><w:object><v:shape id="o" style="width:50pt;height:50pt"/><o:OLEObject xmlns:o="urn:schemas-microsoft-com:office:office" Type="Link" ProgID="Excel.Sheet.12" ShapeID="o" DrawAspect="Content" ObjectID="_1" r:id="r1" UpdateMode="Always"/></w:object></w:r></w:p>`, parts{"word/_rels/document.xml.rels": relationships(u("xlsx"), "oleObject")})
	},
	"docx subdoc": func(t *testing.T, u func(string) string) string {
		t.Helper()

		return word(t, `<w:subDoc r:id="r1"/>`, parts{"word/_rels/document.xml.rels": relationships(u("docx"), "subDocument")})
	},
	"docx altchunk": func(t *testing.T, u func(string) string) string {
		t.Helper()

		return word(t, `<w:altChunk r:id="r1"/>`, parts{"word/_rels/document.xml.rels": relationships(u("htm"), "aFChunk")})
	},
	"docx altchunk html": func(t *testing.T, u func(string) string) string {
		t.Helper()

		return word(t, `<w:altChunk r:id="r1"/>`, parts{"word/_rels/document.xml.rels": relationships("c.htm", "aFChunk"), "word/c.htm": `<html><body>chunk<img src="` + u("png") + `"><iframe src="` + u("htm") + `"></iframe></body></html>`, "overrides": typed()})
	},
	"docx template": func(t *testing.T, u func(string) string) string {
		t.Helper()

		return word(t, para("x"), parts{"word/_rels/document.xml.rels": relationships("settings.xml", "settings"), "word/settings.xml": `<w:settings ` + wordNamespace + `><w:attachedTemplate r:id="r1"/><w:linkStyles/></w:settings>`, "word/_rels/settings.xml.rels": relationships(u("dotx"), "attachedTemplate"), "overrides": typed("word/settings.xml", "officedocument.wordprocessingml.settings")})
	},
	"docx frameset": func(t *testing.T, u func(string) string) string {
		t.Helper()

		return word(t, para("x"), parts{"word/_rels/document.xml.rels": relationships("webSettings.xml", "webSettings"), "word/webSettings.xml": `<w:webSettings ` + wordNamespace + `><w:frameset><w:frame><w:sourceFileName r:id="r1"/></w:frame></w:frameset></w:webSettings>`, "word/_rels/webSettings.xml.rels": relationships(u("htm"), "frame"), "overrides": typed("word/webSettings.xml", "officedocument.wordprocessingml.webSettings")})
	},
	"docx svg": func(t *testing.T, u func(string) string) string {
		t.Helper()

		return word(t, inlined(`<a:blip r:embed="r1"/>`), parts{"word/_rels/document.xml.rels": relationships("i.svg", "image"), "word/i.svg": svgWith(u), "overrides": typed()})
	},
	"docx svg blip": func(t *testing.T, u func(string) string) string {
		t.Helper()

		return word(t, inlined(`<a:blip r:embed="r2"><a:extLst><a:ext uri="{96DAC541-7B7A-43D3-8B79-37D633B846F1}"><asvg:svgBlip xmlns:asvg="http://schemas.microsoft.com/office/drawing/2016/SVG/main" r:embed="r1"/></a:ext></a:extLst></a:blip>`), parts{"word/_rels/document.xml.rels": relationships("i.svg", "image", "i.png", "image"), "word/i.svg": svgWith(u), "word/i.png": picture(t, 3, 3), "overrides": typed()})
	},
	"docx hyperlink": func(t *testing.T, u func(string) string) string {
		t.Helper()

		return word(t, `<w:p><w:hyperlink r:id="r1"><w:r><w:t>go</w:t></w:r></w:hyperlink></w:p>`, parts{"word/_rels/document.xml.rels": relationships(u("htm"), "hyperlink")})
	},
	"xlsx external": func(t *testing.T, u func(string) string) string {
		t.Helper()

		return packWhole(t, "xlsx", parts{
			"xl/externalLinks/externalLink1.xml":            `<externalLink xmlns="` + spreadsheet + `"><externalBook xmlns:r="` + relations + `" r:id="r1"><sheetNames><sheetName val="a"/></sheetNames></externalBook></externalLink>`,
			"xl/externalLinks/_rels/externalLink1.xml.rels": relationships(u("xlsx"), "externalLinkPath"),
			"xl/worksheets/a.xml":                           `<worksheet xmlns="` + spreadsheet + `"><sheetData><row r="1"><c r="A1"><f>[1]a!A1</f></c><c r="B1"><f>[1]a!$A$1&amp;"x"</f><v>2</v></c><c r="C1"><f>INDIRECT("'` + u("xlsx") + `'#$a.A1")</f></c></row></sheetData></worksheet>`,
		})
	},
	"xlsx webservice": func(t *testing.T, u func(string) string) string {
		t.Helper()

		return sheetRows(t, `<row r="1"><c r="A1"><f>_xlfn.WEBSERVICE("`+u("txt")+`")</f></c><c r="B1"><f>WEBSERVICE("`+u("txt")+`")</f></c></row>`)
	},
	"xlsx dde": func(t *testing.T, u func(string) string) string {
		t.Helper()

		return sheetRows(t, `<row r="1"><c r="A1"><f>DDE("soffice","`+u("xlsx")+`","a.A1")</f></c></row>`)
	},
	"xlsx file function": func(t *testing.T, u func(string) string) string {
		t.Helper()

		return sheetRows(t, `<row r="1"><c r="A1"><f>'`+u("xlsx")+`'#$a.A1</f></c><c r="B1"><f>HYPERLINK("`+u("htm")+`")</f></c></row>`)
	},
	"xlsx query": func(t *testing.T, u func(string) string) string {
		t.Helper()

		return packWhole(t, "xlsx", parts{
			"xl/connections.xml":             `<connections xmlns="` + spreadsheet + `"><connection id="1" name="c" type="4" refreshOnLoad="1" refreshedVersion="6" background="1" saveData="1"><webPr sourceData="1" parsePre="1" url="` + u("htm") + `" htmlTables="1"><tables count="1"><x v="1"/></tables></webPr></connection></connections>`,
			"xl/worksheets/_rels/a.xml.rels": relationships("../queryTables/q.xml", "queryTable"), "xl/queryTables/q.xml": `<queryTable xmlns="` + spreadsheet + `" name="n" connectionId="1" refreshOnLoad="1"/>`,
			"xl/worksheets/a.xml": `<worksheet xmlns="` + spreadsheet + `"><sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData></worksheet>`, "overrides": wholeSheet(t)["overrides"] + typed("xl/queryTables/q.xml", "officedocument.spreadsheetml.queryTable")[len(typed()):],
		})
	},
	"xlsx picture": func(t *testing.T, u func(string) string) string {
		t.Helper()

		return packWhole(t, "xlsx", parts{"xl/drawings/drawing1.xml": strings.Replace(wholeSheet(t)["xl/drawings/drawing1.xml"], `r:embed="r1"`, `r:link="r1"`, 1), "xl/drawings/_rels/drawing1.xml.rels": relationships(u("png"), "image")})
	},
	"pptx picture": func(t *testing.T, u func(string) string) string {
		t.Helper()

		s := wholeSlides(t)
		return packWhole(t, "pptx", parts{"ppt/slides/slide1.xml": strings.Replace(s["ppt/slides/slide1.xml"], `r:embed="r3"`, `r:link="r99"`, 1), "ppt/slides/_rels/slide1.xml.rels": strings.Replace(s["ppt/slides/_rels/slide1.xml.rels"], "</Relationships>", `<Relationship Id="r99" Type="`+relations+`/image" Target="`+u("png")+`" TargetMode="External"/></Relationships>`, 1)})
	},
	"pptx media": func(t *testing.T, u func(string) string) string {
		t.Helper()

		s := wholeSlides(t)
		return packWhole(t, "pptx", parts{"ppt/slides/slide1.xml": strings.Replace(s["ppt/slides/slide1.xml"], `<p:cNvPicPr/><p:nvPr/>`, `<p:cNvPicPr/><p:nvPr><a:videoFile r:link="r99"/></p:nvPr>`, 1), "ppt/slides/_rels/slide1.xml.rels": strings.Replace(s["ppt/slides/_rels/slide1.xml.rels"], "</Relationships>", `<Relationship Id="r99" Type="`+relations+`/video" Target="`+u("mp4")+`" TargetMode="External"/></Relationships>`, 1)})
	},
	"pptx OLE link": func(t *testing.T, u func(string) string) string {
		t.Helper()

		s := wholeSlides(t)
		return packWhole(t, "pptx", parts{"ppt/slides/slide1.xml": strings.Replace(s["ppt/slides/slide1.xml"], `</p:spTree>`, `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="9" name="o"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="0" y="0"/><a:ext cx="990000" cy="990000"/></p:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/presentationml/2006/ole"><p:oleObj name="o" r:id="r99" imgW="990000" imgH="990000" progId="Excel.Sheet.12"><p:link updateAutomatic="1"/></p:oleObj></a:graphicData></a:graphic></p:graphicFrame></p:spTree>`, 1), "ppt/slides/_rels/slide1.xml.rels": strings.Replace(s["ppt/slides/_rels/slide1.xml.rels"], "</Relationships>", `<Relationship Id="r99" Type="`+relations+`/oleObject" Target="`+u("xlsx")+`" TargetMode="External"/></Relationships>`, 1)})
	},
	"rtf picture": func(t *testing.T, u func(string) string) string {
		t.Helper()

		return write(t, "a.doc", []byte(`{\rtf1 {\field{\*\fldinst INCLUDEPICTURE "`+u("png")+`" \\d}{\fldrslt x}}}`))
	},
	"rtf text": func(t *testing.T, u func(string) string) string {
		t.Helper()

		return write(t, "a.doc", []byte(`{\rtf1 {\field{\*\fldinst INCLUDETEXT "`+u("txt")+`"}{\fldrslt x}}}`))
	},
	"rtf template": func(t *testing.T, u func(string) string) string {
		t.Helper()

		return write(t, "a.doc", []byte(`{\rtf1 {\*\template `+u("dotx")+`} x}`))
	},
	"rtf object": func(t *testing.T, u func(string) string) string {
		t.Helper()

		return write(t, "a.doc", []byte(`{\rtf1 {\object\objautlink\objupdate{\*\objclass Word.Document.8}{\*\objdata 0105000001000000}{\result x}}}`))
	},
	"rtf dde": func(t *testing.T, u func(string) string) string {
		t.Helper()

		return write(t, "a.doc", []byte(`{\rtf1 {\field{\*\fldinst DDEAUTO soffice "`+u("xlsx")+`" a.A1}{\fldrslt x}}}`))
	},
	"pdf": func(t *testing.T, u func(string) string) string {
		t.Helper()

		return write(t, "a.pdf", []byte("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction<</S/URI/URI("+u("htm")+")>>>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj 3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/AA<</O<</S/Launch/F("+u("htm")+")>>>>>>endobj trailer<</Root 1 0 R>>"))
	},
}

// sheetRows is a whole xlsx with those rows.
func sheetRows(t *testing.T, rows string) string {
	t.Helper()
	return packWhole(t, "xlsx", parts{"xl/worksheets/a.xml": `<worksheet xmlns="` + spreadsheet + `"><sheetData>` + rows + `</sheetData></worksheet>`})
}

// svgWith is a picture that refers to others.
func svgWith(u func(string) string) string {
	return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="100" height="100"><image xlink:href="` + u("png") + `" width="50" height="50"/><image href="` + u("svg") + `" width="50" height="50"/><style>@import url("` + u("css") + `");</style><use xlink:href="` + u("svg") + `#a"/></svg>`
}
