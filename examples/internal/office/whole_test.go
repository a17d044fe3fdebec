package office_test

import (
	"bytes"
	"encoding/hex"
	"image"
	"image/png"
	"maps"
	"strconv"
	"strings"
	"testing"
)

// whole are packages with a part of every usual kind, by their extension.
var whole = map[string]struct {
	main, contentType string
	files             func(testing.TB) parts
}{
	"docx": {"word/document.xml", wordType, wholeWord},
	"xlsx": {"xl/workbook.xml", sheetType, wholeSheet},
	"pptx": {"ppt/presentation.xml", slideType, wholeSlides},
}

// packWhole packs one of them with some parts changed.
func packWhole(tb testing.TB, kind string, changed parts) string {
	tb.Helper()
	files := whole[kind].files(tb)
	maps.Copy(files, changed)
	return pack(tb, "a."+kind, whole[kind].main, whole[kind].contentType, files)
}

const (
	drawing      = "http://schemas.openxmlformats.org/drawingml/2006/main"
	presentation = "http://schemas.openxmlformats.org/presentationml/2006/main"
	emptyTree    = `<p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>`
	theme        = `<a:theme xmlns:a="` + drawing + `" name="t"><a:themeElements><a:clrScheme name="c"><a:dk1><a:srgbClr val="000000"/></a:dk1><a:lt1><a:srgbClr val="FFFFFF"/></a:lt1><a:dk2><a:srgbClr val="000000"/></a:dk2><a:lt2><a:srgbClr val="FFFFFF"/></a:lt2><a:accent1><a:srgbClr val="000000"/></a:accent1><a:accent2><a:srgbClr val="000000"/></a:accent2><a:accent3><a:srgbClr val="000000"/></a:accent3><a:accent4><a:srgbClr val="000000"/></a:accent4><a:accent5><a:srgbClr val="000000"/></a:accent5><a:accent6><a:srgbClr val="000000"/></a:accent6><a:hlink><a:srgbClr val="000000"/></a:hlink><a:folHlink><a:srgbClr val="000000"/></a:folHlink></a:clrScheme><a:fontScheme name="f"><a:majorFont><a:latin typeface="Sans"/></a:majorFont><a:minorFont><a:latin typeface="Sans"/></a:minorFont></a:fontScheme></a:themeElements></a:theme>`
	coreXML      = `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>t</dc:title></cp:coreProperties>`
	appXML       = `<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"><Pages>1</Pages></Properties>`
)

// typed are the types of parts: pairs of a name and what is after the prefix of all.
func typed(pairs ...string) string {
	var b strings.Builder
	b.WriteString(`<Default Extension="png" ContentType="image/png"/><Default Extension="emf" ContentType="image/x-emf"/><Default Extension="svg" ContentType="image/svg+xml"/><Default Extension="bin" ContentType="application/vnd.openxmlformats-officedocument.oleObject"/><Default Extension="docx" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document"/><Default Extension="htm" ContentType="text/html"/><Default Extension="vml" ContentType="application/vnd.openxmlformats-officedocument.vmlDrawing"/>`)
	for i := 0; i < len(pairs); i += 2 {
		b.WriteString(`<Override PartName="/` + pairs[i] + `" ContentType="application/vnd.openxmlformats-` + pairs[i+1] + `+xml"/>`)
	}
	return b.String()
}

// picture is a PNG of that size.
func picture(tb testing.TB, width, height int) string {
	tb.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

// inlined is a drawing of a docx with a picture, whose blip has those attributes.
func inlined(blip string) string {
	return `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="990000" cy="990000"/><wp:docPr id="1" name="p"/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:nvPicPr><pic:cNvPr id="1" name="p"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill>` + blip + `<a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="990000" cy="990000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`
}

func wholeWord(tb testing.TB) parts {
	tb.Helper()
	story := func(root, inside string) string {
		return `<w:` + root + ` ` + wordNamespace + `>` + inside + `</w:` + root + `>`
	}
	nested := packNested(tb)
	pairs := []string{
		"styles.xml", "styles", "theme/theme1.xml", "theme", "settings.xml", "settings", "numbering.xml", "numbering", "fontTable.xml", "fontTable", "comments.xml", "comments",
		"footnotes.xml", "footnotes", "endnotes.xml", "endnotes", "header1.xml", "header", "footer1.xml", "footer", "webSettings.xml", "webSettings", "glossary/document.xml", "glossaryDocument",
		"media/image1.png", "image", "media/image2.emf", "image", "embeddings/ole.bin", "oleObject", "embeddings/nested.docx", "package", "chunk.htm", "aFChunk", "../customXml/item1.xml", "customXml",
	}
	id := func(target string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == target {
				return "r" + strconv.Itoa(i/2+1)
			}
		}
		tb.Fatal(target)
		return ""
	}
	return parts{
		"word/document.xml": story("document", `<w:body>`+para("seen")+`<w:p><w:pPr><w:pStyle w:val="s"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:footnoteReference w:id="2"/><w:endnoteReference w:id="2"/><w:commentReference w:id="1"/></w:r></w:p>`+
			inlined(`<a:blip r:embed="`+id("media/image1.png")+`"/>`)+inlined(`<a:blip r:embed="`+id("media/image2.emf")+`"/>`)+
			`<w:p><w:r><w:object><v:shape id="o" style="width:50pt;height:50pt"/><o:OLEObject xmlns:o="urn:schemas-microsoft-com:office:office" Type="Embed" ProgID="Package" ShapeID="o" DrawAspect="Content" ObjectID="_1" r:id="`+id("embeddings/ole.bin")+`"/></w:object></w:r></w:p>`+
			`<w:p><w:r><w:object><v:shape id="q" style="width:50pt;height:50pt"/><o:OLEObject xmlns:o="urn:schemas-microsoft-com:office:office" Type="Embed" ProgID="Word.Document.12" ShapeID="q" DrawAspect="Content" ObjectID="_2" r:id="`+id("embeddings/nested.docx")+`"/></w:object></w:r></w:p>`+
			`<w:altChunk r:id="`+id("chunk.htm")+`"/>`+
			`<w:sectPr><w:headerReference w:type="default" r:id="`+id("header1.xml")+`"/><w:footerReference w:type="default" r:id="`+id("footer1.xml")+`"/></w:sectPr></w:body>`),
		"word/_rels/document.xml.rels": relationships(pairs...),
		"word/styles.xml":              story("styles", `<w:style w:type="paragraph" w:styleId="s"><w:name w:val="s"/></w:style>`),
		"word/theme/theme1.xml":        theme,
		"word/settings.xml":            story("settings", ``),
		"word/numbering.xml":           story("numbering", `<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`),
		"word/fontTable.xml":           story("fonts", `<w:font w:name="Sans"/>`),
		"word/comments.xml":            story("comments", `<w:comment w:id="1" w:author="a">`+para("remark")+`</w:comment>`),
		"word/footnotes.xml":           story("footnotes", `<w:footnote w:id="2">`+para("note")+`</w:footnote>`),
		"word/endnotes.xml":            story("endnotes", `<w:endnote w:id="2">`+para("end")+`</w:endnote>`),
		"word/header1.xml":             story("hdr", para("head")),
		"word/footer1.xml":             story("ftr", para("foot")),
		"word/webSettings.xml":         story("webSettings", ``),
		"word/glossary/document.xml":   story("glossaryDocument", `<w:docParts/>`),
		"word/media/image1.png":        picture(tb, 10, 10),
		"word/media/image2.emf":        emf,
		"word/embeddings/ole.bin":      string(compoundMagic) + strings.Repeat("\x00", 2040),
		"word/embeddings/nested.docx":  nested,
		"word/chunk.htm":               `<html><body>chunk</body></html>`,
		"customXml/item1.xml":          `<x/>`,
		"docProps/core.xml":            coreXML,
		"docProps/app.xml":             appXML,
		"overrides": typed("word/styles.xml", "officedocument.wordprocessingml.styles", "word/theme/theme1.xml", "officedocument.theme", "word/settings.xml", "officedocument.wordprocessingml.settings",
			"word/numbering.xml", "officedocument.wordprocessingml.numbering", "word/fontTable.xml", "officedocument.wordprocessingml.fontTable", "word/comments.xml", "officedocument.wordprocessingml.comments",
			"word/footnotes.xml", "officedocument.wordprocessingml.footnotes", "word/endnotes.xml", "officedocument.wordprocessingml.endnotes", "word/header1.xml", "officedocument.wordprocessingml.header",
			"word/footer1.xml", "officedocument.wordprocessingml.footer", "word/webSettings.xml", "officedocument.wordprocessingml.webSettings", "word/glossary/document.xml", "officedocument.wordprocessingml.document.glossary",
			"docProps/core.xml", "package.core-properties", "docProps/app.xml", "officedocument.extended-properties"),
	}
}

// packNested is a small docx, as bytes.
func packNested(tb testing.TB) string {
	tb.Helper()
	var b bytes.Buffer
	writePackage(tb, &b, "word/document.xml", wordType, parts{"word/document.xml": `<w:document ` + wordNamespace + `><w:body>` + para("nested") + `</w:body></w:document>`})
	return b.String()
}

var compoundMagic = []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")

// emf is an empty picture: a header, and its end.
var emf = func() string {
	b, _ := hex.DecodeString("010000006c00000000000000000000000a0000000a00000000000000000000006400000064000000" + "20454d4600000100800000000200000001000000000000000000000000000000000400000003000040010000f0000000000000000000000000000000" + "00000000" + "0e0000001400000000000000100000001400000000")
	return string(b)
}()

func wholeSheet(tb testing.TB) parts {
	tb.Helper()
	return parts{
		"xl/workbook.xml":                         `<workbook xmlns="` + spreadsheet + `" xmlns:r="` + relations + `"><sheets><sheet name="a" sheetId="1" r:id="r1"/></sheets><externalReferences><externalReference r:id="r6"/></externalReferences><definedNames><definedName name="n">a!$A$1</definedName></definedNames></workbook>`,
		"xl/_rels/workbook.xml.rels":              relationships("worksheets/a.xml", "worksheet", "styles.xml", "styles", "sharedStrings.xml", "sharedStrings", "theme/theme1.xml", "theme", "calcChain.xml", "calcChain", "externalLinks/externalLink1.xml", "externalLink", "connections.xml", "connections", "pivotCache/pivotCacheDefinition1.xml", "pivotCacheDefinition"),
		"xl/worksheets/a.xml":                     `<worksheet xmlns="` + spreadsheet + `" xmlns:r="` + relations + `"><sheetData><row r="1"><c r="A1" t="s" s="0"><v>0</v></c><c r="B1"><f>1+1</f><v>2</v></c></row></sheetData><drawing r:id="r1"/><legacyDrawing r:id="r2"/><tableParts count="1"><tablePart r:id="r4"/></tableParts></worksheet>`,
		"xl/worksheets/_rels/a.xml.rels":          relationships("../drawings/drawing1.xml", "drawing", "../drawings/vml.vml", "vmlDrawing", "../comments1.xml", "comments", "../tables/table1.xml", "table"),
		"xl/styles.xml":                           `<styleSheet xmlns="` + spreadsheet + `"><fonts><font><sz val="11"/><name val="Sans"/></font></fonts><fills><fill/></fills><borders><border/></borders><cellStyleXfs><xf numFmtId="0"/></cellStyleXfs><cellXfs><xf numFmtId="0"/></cellXfs></styleSheet>`,
		"xl/sharedStrings.xml":                    `<sst xmlns="` + spreadsheet + `"><si><t>seen</t></si></sst>`,
		"xl/theme/theme1.xml":                     theme,
		"xl/calcChain.xml":                        `<calcChain xmlns="` + spreadsheet + `"><c r="B1" i="1"/></calcChain>`,
		"xl/externalLinks/externalLink1.xml":      `<externalLink xmlns="` + spreadsheet + `"/>`,
		"xl/connections.xml":                      `<connections xmlns="` + spreadsheet + `"/>`,
		"xl/pivotCache/pivotCacheDefinition1.xml": `<pivotCacheDefinition xmlns="` + spreadsheet + `"><cacheSource type="worksheet"><worksheetSource ref="A1:B1" sheet="a"/></cacheSource><cacheFields count="0"/></pivotCacheDefinition>`,
		"xl/comments1.xml":                        `<comments xmlns="` + spreadsheet + `"><authors><author>a</author></authors><commentList><comment ref="A1" authorId="0"><text><t>remark</t></text></comment></commentList></comments>`,
		"xl/drawings/vml.vml":                     `<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:x="urn:schemas-microsoft-com:office:excel"><v:shape id="s"><x:ClientData ObjectType="Note"><x:Row>0</x:Row><x:Column>0</x:Column></x:ClientData></v:shape></xml>`,
		"xl/tables/table1.xml":                    `<table xmlns="` + spreadsheet + `" id="1" name="t" displayName="t" ref="A1:B1"><tableColumns count="2"><tableColumn id="1" name="seen"/><tableColumn id="2" name="b"/></tableColumns></table>`,
		"xl/drawings/drawing1.xml":                `<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" xmlns:a="` + drawing + `" xmlns:r="` + relations + `"><xdr:oneCellAnchor><xdr:from><xdr:col>3</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>3</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:from><xdr:ext cx="99000" cy="99000"/><xdr:pic><xdr:nvPicPr><xdr:cNvPr id="1" name="p"/><xdr:cNvPicPr/></xdr:nvPicPr><xdr:blipFill><a:blip r:embed="r1"/><a:stretch/></xdr:blipFill><xdr:spPr><a:prstGeom prst="rect"/></xdr:spPr></xdr:pic><xdr:clientData/></xdr:oneCellAnchor></xdr:wsDr>`,
		"xl/drawings/_rels/drawing1.xml.rels":     relationships("../media/image1.png", "image"),
		"xl/media/image1.png":                     picture(tb, 10, 10),
		"docProps/core.xml":                       coreXML,
		"docProps/app.xml":                        appXML,
		"overrides": typed("xl/worksheets/a.xml", "officedocument.spreadsheetml.worksheet", "xl/styles.xml", "officedocument.spreadsheetml.styles", "xl/sharedStrings.xml", "officedocument.spreadsheetml.sharedStrings",
			"xl/theme/theme1.xml", "officedocument.theme", "xl/calcChain.xml", "officedocument.spreadsheetml.calcChain", "xl/externalLinks/externalLink1.xml", "officedocument.spreadsheetml.externalLink",
			"xl/connections.xml", "officedocument.spreadsheetml.connections", "xl/comments1.xml", "officedocument.spreadsheetml.comments", "xl/tables/table1.xml", "officedocument.spreadsheetml.table",
			"xl/drawings/drawing1.xml", "officedocument.drawing", "xl/pivotCache/pivotCacheDefinition1.xml", "officedocument.spreadsheetml.pivotCacheDefinition",
			"docProps/core.xml", "package.core-properties", "docProps/app.xml", "officedocument.extended-properties"),
	}
}

func wholeSlides(tb testing.TB) parts {
	tb.Helper()
	page := func(root, inside, after string) string {
		return `<p:` + root + ` xmlns:p="` + presentation + `" xmlns:a="` + drawing + `" xmlns:r="` + relations + `">` + emptyTree + inside + `</p:spTree></p:cSld>` + after + `</p:` + root + `>`
	}
	box := func(text string) string {
		return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="3000000" cy="900000"/></a:xfrm><a:prstGeom prst="rect"/></p:spPr><p:txBody><a:bodyPr/><a:p><a:r><a:t>` + text + `</a:t></a:r></a:p></p:txBody></p:sp>`
	}
	return parts{
		"ppt/presentation.xml":                         `<p:presentation xmlns:p="` + presentation + `" xmlns:a="` + drawing + `" xmlns:r="` + relations + `"><p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="r1"/></p:sldMasterIdLst><p:notesMasterIdLst><p:notesMasterId r:id="r3"/></p:notesMasterIdLst><p:sldIdLst><p:sldId id="256" r:id="r2"/></p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/></p:presentation>`,
		"ppt/_rels/presentation.xml.rels":              relationships("slideMasters/slideMaster1.xml", "slideMaster", "slides/slide1.xml", "slide", "notesMasters/notesMaster1.xml", "notesMaster", "theme/theme1.xml", "theme", "presProps.xml", "presProps", "tableStyles.xml", "tableStyles", "commentAuthors.xml", "commentAuthors", "viewProps.xml", "viewProps"),
		"ppt/slideMasters/slideMaster1.xml":            page("sldMaster", box("master"), `<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/><p:sldLayoutIdLst><p:sldLayoutId id="2147483649" r:id="r1"/></p:sldLayoutIdLst>`),
		"ppt/slideMasters/_rels/slideMaster1.xml.rels": relationships("../slideLayouts/slideLayout1.xml", "slideLayout", "../theme/theme1.xml", "theme"),
		"ppt/slideLayouts/slideLayout1.xml":            page("sldLayout", "", ""),
		"ppt/slideLayouts/_rels/slideLayout1.xml.rels": relationships("../slideMasters/slideMaster1.xml", "slideMaster"),
		"ppt/slides/slide1.xml":                        page("sld", box("seen")+`<p:pic><p:nvPicPr><p:cNvPr id="3" name="p"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill><a:blip r:embed="r3"/><a:stretch/></p:blipFill><p:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="990000" cy="990000"/></a:xfrm><a:prstGeom prst="rect"/></p:spPr></p:pic><p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" name="c"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="0" y="0"/><a:ext cx="990000" cy="990000"/></p:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" r:id="r5"/></a:graphicData></a:graphic></p:graphicFrame><p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="5" name="d"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="0" y="0"/><a:ext cx="990000" cy="990000"/></p:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/diagram"><dgm:relIds xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" r:dm="r6" r:lo="r7" r:qs="r7" r:cs="r7"/></a:graphicData></a:graphic></p:graphicFrame>`, ""),
		"ppt/slides/_rels/slide1.xml.rels":             relationships("../slideLayouts/slideLayout1.xml", "slideLayout", "../notesSlides/notesSlide1.xml", "notesSlide", "../media/image1.png", "image", "../comments/comment1.xml", "comments", "../charts/chart1.xml", "chart", "../diagrams/data1.xml", "diagramData", "../diagrams/layout1.xml", "diagramLayout", "../diagrams/drawing1.xml", "diagramDrawing"),
		"ppt/notesSlides/notesSlide1.xml":              page("notes", box("note"), ""),
		"ppt/notesSlides/_rels/notesSlide1.xml.rels":   relationships("../notesMasters/notesMaster1.xml", "notesMaster", "../slides/slide1.xml", "slide"),
		"ppt/notesMasters/notesMaster1.xml":            page("notesMaster", "", `<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/>`),
		"ppt/notesMasters/_rels/notesMaster1.xml.rels": relationships("../theme/theme1.xml", "theme"),
		"ppt/theme/theme1.xml":                         theme,
		"ppt/presProps.xml":                            `<p:presentationPr xmlns:p="` + presentation + `"/>`,
		"ppt/viewProps.xml":                            `<p:viewPr xmlns:p="` + presentation + `"/>`,
		"ppt/tableStyles.xml":                          `<a:tblStyleLst xmlns:a="` + drawing + `" def="{5C22544A-7EE6-4342-B048-85BDC9FD1C3A}"/>`,
		"ppt/commentAuthors.xml":                       `<p:cmAuthorLst xmlns:p="` + presentation + `"><p:cmAuthor id="0" name="a" initials="a" lastIdx="1" clrIdx="0"/></p:cmAuthorLst>`,
		"ppt/comments/comment1.xml":                    `<p:cmLst xmlns:p="` + presentation + `"><p:cm authorId="0" idx="1"><p:pos x="1" y="1"/><p:text>remark</p:text></p:cm></p:cmLst>`,
		"ppt/charts/chart1.xml":                        `<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:chart><c:plotArea><c:barChart><c:barDir val="col"/><c:ser><c:idx val="0"/><c:order val="0"/><c:val><c:numLit><c:ptCount val="1"/><c:pt idx="0"><c:v>1</c:v></c:pt></c:numLit></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>`,
		"ppt/diagrams/data1.xml":                       `<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"><dgm:ptLst/><dgm:cxnLst/></dgm:dataModel>`,
		"ppt/diagrams/layout1.xml":                     `<dgm:layoutDef xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"><dgm:layoutNode/></dgm:layoutDef>`,
		"ppt/diagrams/drawing1.xml":                    `<dsp:drawing xmlns:dsp="http://schemas.microsoft.com/office/drawing/2008/diagram"><dsp:spTree/></dsp:drawing>`,
		"ppt/media/image1.png":                         picture(tb, 10, 10),
		"docProps/core.xml":                            coreXML,
		"docProps/app.xml":                             appXML,
		"overrides": typed("ppt/slides/slide1.xml", "officedocument.presentationml.slide", "ppt/slideMasters/slideMaster1.xml", "officedocument.presentationml.slideMaster", "ppt/slideLayouts/slideLayout1.xml", "officedocument.presentationml.slideLayout",
			"ppt/notesSlides/notesSlide1.xml", "officedocument.presentationml.notesSlide", "ppt/notesMasters/notesMaster1.xml", "officedocument.presentationml.notesMaster", "ppt/theme/theme1.xml", "officedocument.theme",
			"ppt/presProps.xml", "officedocument.presentationml.presProps", "ppt/tableStyles.xml", "officedocument.presentationml.tableStyles", "ppt/commentAuthors.xml", "officedocument.presentationml.commentAuthors",
			"ppt/comments/comment1.xml", "officedocument.presentationml.comments", "ppt/charts/chart1.xml", "officedocument.drawingml.chart", "ppt/diagrams/data1.xml", "officedocument.drawingml.diagramData",
			"ppt/diagrams/layout1.xml", "officedocument.drawingml.diagramLayout", "docProps/core.xml", "package.core-properties", "docProps/app.xml", "officedocument.extended-properties"),
	}
}
