package office_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// greedyText are a docx, a pptx or RTF that wants more time or memory than there is.
var greedyText = map[string]func(*testing.T) string{
	"word/deep sdt": func(t *testing.T) string {
		t.Helper()
		return word(t, strings.Repeat("<w:sdt>", 100000)+strings.Repeat("</w:sdt>", 100000), nil)
	},
	"word/deep table": func(t *testing.T) string {
		t.Helper()
		return word(t, strings.Repeat("<w:tbl><w:tr><w:tc>", 3000)+para("x")+strings.Repeat("</w:tc></w:tr></w:tbl>", 3000), nil)
	},
	"word/deep250 table": func(t *testing.T) string {
		t.Helper()
		return word(t, strings.Repeat("<w:tbl><w:tr><w:tc>", 200)+para("x")+strings.Repeat("</w:tc></w:tr></w:tbl>", 200), nil)
	},
	"word/wide table": func(t *testing.T) string {
		t.Helper()
		return word(t, "<w:tbl><w:tr>"+strings.Repeat("<w:tc>"+para("x")+"</w:tc>", 20000)+"</w:tr></w:tbl>", nil)
	},
	"word/entities": func(t *testing.T) string {
		t.Helper()
		var b strings.Builder
		b.WriteString(`<!DOCTYPE w [<!ENTITY a "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa">`)
		for c := 'b'; c < 'k'; c++ {
			fmt.Fprintf(&b, `<!ENTITY %c "%s">`, c, strings.Repeat("&"+string(c-1)+";", 10))
		}
		b.WriteString(`]>`)
		return word(t, "", parts{"word/document.xml": b.String() + `<w:document ` + wordNamespace + `><w:body>` + para("&j;") + `</w:body></w:document>`})
	},
	"word/external entity": func(t *testing.T) string {
		t.Helper()
		return word(t, "", parts{"word/document.xml": `<!DOCTYPE w [<!ENTITY a SYSTEM "file:///etc/passwd">]><w:document ` + wordNamespace + `><w:body>` + para("x&a;y") + `</w:body></w:document>`})
	},
	"word/attributes": func(t *testing.T) string {
		t.Helper()
		return word(t, `<w:p `+strings.Repeat(`a="" `, 3_000_000)+`/>`, nil)
	},
	"word/ruby": func(t *testing.T) string {
		t.Helper()
		return word(t, `<w:p><w:r><w:ruby><w:rt>`+strings.Repeat(`<w:t>abcd</w:t>`, 2_000_000)+`</w:rt></w:ruby></w:r></w:p>`, nil)
	},
	"word/one paragraph 30MB": func(t *testing.T) string {
		t.Helper()
		return word(t, `<w:p>`+strings.Repeat(`<w:r><w:t>some words of it </w:t></w:r>`, 800_000)+`</w:p>`, nil)
	},
	"word/page breaks": func(t *testing.T) string {
		t.Helper()
		return word(t, strings.Repeat(`<w:p><w:r><w:br w:type="page"/></w:r></w:p>`, 700_000), nil)
	},
	"word/fields": func(t *testing.T) string {
		t.Helper()
		return word(t, strings.Repeat(`<w:p><w:fldSimple w:instr="TOC \o"><w:r><w:t>x</w:t></w:r></w:fldSimple></w:p>`, 20_000), nil)
	},
	"word/headers": func(t *testing.T) string {
		t.Helper()
		pairs := []string{}
		for range 50_000 {
			pairs = append(pairs, "h.xml", "header")
		}
		return word(t, para("seen"), parts{"word/_rels/document.xml.rels": relationships(pairs...), "word/h.xml": `<w:hdr ` + wordNamespace + `>` + strings.Repeat(para("head"), 100_000) + `</w:hdr>`})
	},
	"pptx/deep groups": func(t *testing.T) string {
		t.Helper()
		return slidesWith(t, strings.Repeat(`<p:grpSp><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>`, 20_000)+strings.Repeat(`</p:grpSp>`, 20_000))
	},
	"pptx/deep200 groups": func(t *testing.T) string {
		t.Helper()
		return slidesWith(t, strings.Repeat(`<p:grpSp><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>`, 200)+strings.Repeat(`</p:grpSp>`, 200))
	},
	"pptx/slides": func(t *testing.T) string {
		t.Helper()
		return packWhole(t, "pptx", parts{"ppt/presentation.xml": `<p:presentation xmlns:p="` + presentation + `" xmlns:a="` + drawing + `" xmlns:r="` + relations + `"><p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="r1"/></p:sldMasterIdLst><p:sldIdLst>` + strings.Repeat(`<p:sldId id="256" r:id="r2"/>`, 100_000) + `</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/></p:presentation>`})
	},
	"pptx/slides that are not there": func(t *testing.T) string {
		t.Helper()
		return packWhole(t, "pptx", parts{
			"ppt/presentation.xml":            `<p:presentation xmlns:p="` + presentation + `" xmlns:a="` + drawing + `" xmlns:r="` + relations + `"><p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="r1"/></p:sldMasterIdLst><p:sldIdLst>` + strings.Repeat(`<p:sldId id="256" r:id="r2"/>`, 100_000) + `</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/></p:presentation>`,
			"ppt/slides/slide1.xml":           "",
			"ppt/slides/none.xml":             "",
			"ppt/_rels/presentation.xml.rels": relationships("slideMasters/slideMaster1.xml", "slideMaster", "slides/none2.xml", "slide"),
			"ppt/slides/_rels/none2.xml.rels": swell(relationships("a", "b"), 4<<20),
		})
	},
	"pptx/huge size": func(t *testing.T) string {
		t.Helper()
		return packWhole(t, "pptx", parts{"ppt/presentation.xml": `<p:presentation xmlns:p="` + presentation + `" xmlns:a="` + drawing + `" xmlns:r="` + relations + `"><p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="r1"/></p:sldMasterIdLst><p:sldIdLst><p:sldId id="256" r:id="r2"/></p:sldIdLst><p:sldSz cx="2147483647" cy="2147483647"/></p:presentation>`})
	},
	"docx/picture 30000": func(t *testing.T) string {
		t.Helper()
		return packWhole(t, "docx", parts{"word/media/image1.png": picture(t, 30000, 30000)})
	},
	"docx/many pictures 9000": func(t *testing.T) string {
		t.Helper()
		return packWhole(t, "docx", parts{"word/media/image1.png": picture(t, 9000, 9000), "word/document.xml": `<w:document ` + wordNamespace + `><w:body>` + strings.Repeat(inlined(`<a:blip r:embed="r13"/>`), 200) + `</w:body></w:document>`})
	},
	"docx/nested zips": func(t *testing.T) string {
		t.Helper()
		inner := packNested(t)
		for range 30 {
			var b bytes.Buffer
			files := wholeWord(t)
			files["word/embeddings/nested.docx"] = inner
			writePackage(t, &b, "word/document.xml", wordType, files)
			inner = b.String()
		}
		return packWhole(t, "docx", parts{"word/embeddings/nested.docx": inner})
	},
	"docx/nested bomb": func(t *testing.T) string {
		t.Helper()
		var b bytes.Buffer
		files := wholeWord(t)
		files["word/styles.xml"] = `<w:styles ` + wordNamespace + `>` + strings.Repeat(`<w:style w:type="paragraph" w:styleId="s"/>`, 20_000_000) + `</w:styles>`
		writePackage(t, &b, "word/document.xml", wordType, files)
		return packWhole(t, "docx", parts{"word/embeddings/nested.docx": b.String()})
	},
	"docx/svg bomb": func(t *testing.T) string {
		t.Helper()
		svg := `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="100" height="100"><defs><g id="a0"><rect width="1" height="1"/></g>`
		for i := range 9 {
			svg += fmt.Sprintf(`<g id="a%d">`, i+1) + strings.Repeat(fmt.Sprintf(`<use xlink:href="#a%d"/>`, i), 10) + `</g>`
		}
		svg += `</defs><use xlink:href="#a9"/></svg>`
		return packWhole(t, "docx", parts{"word/media/image3.svg": svg, "word/_rels/document.xml.rels": relationships("media/image3.svg", "image"), "word/document.xml": `<w:document ` + wordNamespace + `><w:body>` + inlined(`<a:blip r:embed="r1"/>`) + para("seen") + `</w:body></w:document>`})
	},
	"rtf/deep": func(t *testing.T) string {
		t.Helper()
		return write(t, "a.doc", []byte(`{\rtf1 `+strings.Repeat("{", 5_000_000)+"x"+strings.Repeat("}", 5_000_000)+"}"))
	},
	"rtf/bin": func(t *testing.T) string {
		t.Helper()
		return write(t, "a.doc", []byte(`{\rtf1 seen{\*\x \bin2147483647 abc}}`))
	},
	"rtf/pict": func(t *testing.T) string {
		t.Helper()
		return write(t, "a.doc", []byte(`{\rtf1 seen{\pict\wmetafile8\picw2147483647\pich2147483647\picscalex100000 `+strings.Repeat("00", 10_000_000)+`}}`))
	},
	"rtf/tables": func(t *testing.T) string {
		t.Helper()
		return write(t, "a.doc", []byte(`{\rtf1 `+strings.Repeat(`\trowd`+strings.Repeat(`\cellx100`, 1000)+strings.Repeat(`\intbl x\cell`, 1000)+`\row`, 500)+`}`))
	},
}

// slidesWith is a whole pptx with that on its slide.
func slidesWith(t *testing.T, body string) string {
	t.Helper()
	return packWhole(t, "pptx", parts{"ppt/slides/slide1.xml": `<p:sld xmlns:p="` + presentation + `" xmlns:a="` + drawing + `" xmlns:r="` + relations + `">` + emptyTree + body + `</p:spTree></p:cSld></p:sld>`})
}
