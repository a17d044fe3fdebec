package office_test

import (
	"encoding/binary"
	"fmt"
	"maps"
	"strings"
	"testing"
)

// greedySheets are such an xlsx.
var greedySheets = map[string]func(*testing.T) string{
	"xlsx/million cells": func(t *testing.T) string {
		t.Helper()
		return sheetWith(t, "", "", strings.Repeat(`<row>`+strings.Repeat(`<c><v>1</v></c>`, 1000)+`</row>`, 1000), "", nil)
	},
	"xlsx/dimension": func(t *testing.T) string {
		t.Helper()
		return sheetWith(t, "", `<dimension ref="A1:XFD1048576"/><cols><col min="1" max="16384" width="9" customWidth="1"/></cols>`, `<row r="1"><c r="A1"><v>1</v></c></row>`, "", nil)
	},
	"xlsx/merge all": func(t *testing.T) string {
		t.Helper()
		return sheetWith(t, "", "", `<row r="1"><c r="A1"><v>1</v></c></row>`, `<mergeCells count="1"><mergeCell ref="A1:XFD1048576"/></mergeCells>`, nil)
	},
	"xlsx/merge many": func(t *testing.T) string {
		t.Helper()
		return sheetWith(t, "", "", `<row r="1"><c r="A1"><v>1</v></c></row>`, `<mergeCells count="1">`+strings.Repeat(`<mergeCell ref="A1:XFD1048576"/>`, 500_000)+`</mergeCells>`, nil)
	},
	"xlsx/array all": func(t *testing.T) string {
		t.Helper()
		return sheetWith(t, "", "", `<row r="1"><c r="A1"><f t="array" ref="A1:XFD1048576">ROW(A1:XFD1048576)</f><v>1</v></c></row>`, "", nil)
	},
	"xlsx/shared all": func(t *testing.T) string {
		t.Helper()
		return sheetWith(t, "", "", `<row r="1"><c r="A1"><f t="shared" si="0" ref="A1:XFD1048576">A2+1</f><v>1</v></c></row>`, "", nil)
	},
	"xlsx/formula": func(t *testing.T) string {
		t.Helper()
		return sheetWith(t, `<calcPr fullCalcOnLoad="1"/>`, "", strings.Repeat(`<row><c><f>SUMPRODUCT(A1:XFD1048576*ROW(A1:XFD1048576))</f></c><c><f>REPT("x",32767)</f></c></row>`, 1000), "", nil)
	},
	"xlsx/repeat formula": func(t *testing.T) string {
		t.Helper()
		return sheetWith(t, `<calcPr fullCalcOnLoad="1"/>`, "", strings.Repeat(`<row>`+strings.Repeat(`<c><f>REPT("x",30000)</f></c>`, 100)+`</row>`, 1000), "", nil)
	},
	"xlsx/formats": func(t *testing.T) string {
		t.Helper()
		return sheetWith(t, "", "", `<row><c s="1"><v>1</v></c></row>`, "", parts{"xl/styles.xml": `<styleSheet xmlns="` + spreadsheet + `"><numFmts><numFmt numFmtId="164" formatCode="` + strings.Repeat("0", 2<<20) + `"/></numFmts><cellXfs>` + strings.Repeat(`<xf numFmtId="164"/>`, 100_000) + `</cellXfs></styleSheet>`})
	},
	"xlsx/empty strings": func(t *testing.T) string {
		t.Helper()
		return sheetWith(t, "", "", `<row><c><v>1</v></c></row>`, "", parts{"xl/sharedStrings.xml": varied(`<sst xmlns="`+spreadsheet+`">`, `<si/>`, `</sst>`, 450<<20)})
	},
	"xlsx/long cell": func(t *testing.T) string {
		t.Helper()
		return sheetWith(t, "", "", varied(`<row><c t="inlineStr"><is>`, `<t>some text of a cell</t>`, `</is></c></row>`, 450<<20), "", nil)
	},
	"xlsx/long shared string": func(t *testing.T) string {
		t.Helper()
		return sheetWith(t, "", "", strings.Repeat(`<row><c t="s"><v>0</v></c></row>`, 1000), "", parts{"xl/sharedStrings.xml": `<sst xmlns="` + spreadsheet + `"><si><t>` + strings.Repeat("long ", 3_000_000) + `</t></si></sst>`})
	},
	"xlsx/sheets": func(t *testing.T) string {
		t.Helper()
		return sheetWith(t, "", "", "", "", parts{"xl/workbook.xml": `<workbook xmlns="` + spreadsheet + `" xmlns:r="` + relations + `"><sheets>` + strings.Repeat(`<sheet name="a" sheetId="1" r:id="r1"/>`, 100_000) + `</sheets></workbook>`})
	},
	"xlsx/breaks": func(t *testing.T) string {
		t.Helper()
		var b strings.Builder
		for i := range 300_000 {
			fmt.Fprintf(&b, `<brk id="%d" man="1"/>`, i+1)
		}
		return sheetWith(t, "", "", `<row r="1"><c r="A1"><v>1</v></c></row><row r="300000"><c r="A300000"><v>1</v></c></row>`, `<rowBreaks>`+b.String()+`</rowBreaks>`, nil)
	},
	"xlsx/heights": func(t *testing.T) string {
		t.Helper()
		return sheetWith(t, "", `<sheetFormatPr defaultRowHeight="409" customHeight="1"/>`, strings.Repeat(`<row><c><v>1</v></c></row>`, 1_000_000), ``, nil)
	},
	"xlsx/conditions": func(t *testing.T) string {
		t.Helper()
		return sheetWith(t, "", "", `<row r="1"><c r="A1"><v>1</v></c></row>`, strings.Repeat(`<conditionalFormatting sqref="A1:XFD1048576"><cfRule type="expression" priority="1"><formula>SUM(A1:XFD1048576)&gt;1</formula></cfRule></conditionalFormatting>`, 10_000), nil)
	},
}

// sheetWith is a whole xlsx with that sheet.
func sheetWith(t *testing.T, workbook, before, rows, after string, more parts) string {
	t.Helper()
	changed := parts{"xl/worksheets/a.xml": `<worksheet xmlns="` + spreadsheet + `" xmlns:r="` + relations + `">` + before + `<sheetData>` + rows + `</sheetData>` + after + `</worksheet>`}
	if workbook != "" {
		changed["xl/workbook.xml"] = `<workbook xmlns="` + spreadsheet + `" xmlns:r="` + relations + `"><sheets><sheet name="a" sheetId="1" r:id="r1"/></sheets>` + workbook + `</workbook>`
	}
	maps.Copy(changed, more)
	return packWhole(t, "xlsx", changed)
}

// varied is text of n bytes that packs less well than a bomb.
func varied(before, unit, after string, n int) string {
	var b strings.Builder
	b.Grow(n + 1<<16)
	b.WriteString(before)
	seed := uint64(1)
	chunk := strings.Repeat(unit, 8192/len(unit))
	for b.Len() < n {
		b.WriteString(chunk)
		b.WriteString("<!--")
		var junk [16]byte
		for range 3 {
			seed = seed*6364136223846793005 + 1442695040888963407
			binary.LittleEndian.PutUint64(junk[:], seed)
			fmt.Fprintf(&b, "%x", junk[:8])
		}
		b.WriteString("-->")
	}
	b.WriteString(after)
	return b.String()
}
