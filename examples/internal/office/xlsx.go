package office

import (
	"encoding/xml"
	"strconv"
	"strings"
)

// readSheets reads an xlsx, a page for each sheet that is shown, a line for each row,
// and only cells that have something in them: a sheet may have one at its far end.
func readSheets(p *plain, found document) error {
	book := &workbook{plain: p}
	targets := map[string]string{}
	for _, r := range p.parts.relations(found.main) {
		targets[r.id] = r.target
		switch r.kind {
		case "styles":
			book.readStyles(r.target)
		case "sharedStrings":
			if err := book.readStrings(r.target); err != nil {
				return err
			}
		}
	}
	var sheets []string
	p.parts.elements(found.main, func(s xml.StartElement) {
		switch s.Name.Local {
		case "workbookPr":
			book.from1904 = attribute(s, "date1904") == "1" || attribute(s, "date1904") == "true"
		case "sheet":
			if state := attribute(s, "state"); state == "hidden" || state == "veryHidden" {
				return
			}
			for _, a := range s.Attr {
				if a.Name.Local == "id" && a.Name.Space != "" && targets[a.Value] != "" {
					sheets = append(sheets, targets[a.Value])
				}
			}
		}
	})
	for _, sheet := range sheets {
		if err := book.readSheet(sheet); err != nil {
			return err
		}
		p.breakPage()
	}
	return nil
}

// What one cell may have, in bytes. Excel allows 32,767 characters, and 255 in a format.
const (
	longestCell = 1 << 20
	longestCode = 1 << 10
)

// workbook is what the cells refer to.
type workbook struct {
	plain    *plain
	strings  []string
	formats  []numberFormat // By style.
	from1904 bool
}

func (b *workbook) readStyles(part string) {
	general, formats := parseFormat(""), map[int]numberFormat{} // There may be more styles than formats.
	for id, code := range builtInFormats {
		formats[id] = parseFormat(code)
	}
	inCells := false
	b.plain.parts.elements(part, func(s xml.StartElement) {
		switch s.Name.Local {
		case "numFmt":
			if id, err := strconv.Atoi(attribute(s, "numFmtId")); err == nil {
				code := attribute(s, "formatCode")
				formats[id] = parseFormat(code[:min(len(code), longestCode)])
			}
		case "cellXfs":
			inCells = true
		case "cellStyles", "dxfs":
			inCells = false
		case "xf":
			if inCells {
				id, _ := strconv.Atoi(attribute(s, "numFmtId"))
				format, ok := formats[id]
				if !ok {
					format = general
				}
				b.formats = append(b.formats, format)
			}
		}
	})
}

func (b *workbook) readStrings(part string) error {
	var item strings.Builder
	inText, sum := false, 0
	err := b.plain.walk(part, visitor{
		skip: func(s xml.StartElement) bool { return s.Name.Local == "rPh" }, // How it is pronounced.
		start: func(s xml.StartElement) {
			inText = s.Name.Local == "t"
		},
		end: func(name string) {
			inText = false
			if name == "si" {
				if sum += 16; sum <= mostStrings {
					b.strings = append(b.strings, item.String())
				}
				item.Reset()
			}
		},
		text: func(s string) {
			if inText {
				if sum += len(s); sum <= mostStrings {
					item.WriteString(s)
				}
			}
		},
	})
	if err == nil && sum > mostStrings {
		err = tooLarge("the text of the document", mostStrings)
	}
	return err
}

func (b *workbook) readSheet(part string) error {
	var value strings.Builder
	var kind string
	style, inValue, tooLong := 0, false, false
	err := b.plain.walk(part, visitor{
		skip: func(s xml.StartElement) bool {
			return s.Name.Local == "f" || s.Name.Local == "rPh" || s.Name.Local == "headerFooter" ||
				s.Name.Local == "row" && (attribute(s, "hidden") == "1" || attribute(s, "hidden") == "true")
		},
		start: func(s xml.StartElement) {
			switch s.Name.Local {
			case "c":
				kind = attribute(s, "t")
				style, _ = strconv.Atoi(attribute(s, "s"))
				value.Reset()
			case "v", "t":
				inValue = true
			}
		},
		end: func(name string) {
			switch name {
			case "v", "t":
				inValue = false
			case "c":
				if text := b.cell(kind, style, value.String()); text != "" {
					if b.plain.line {
						b.plain.text("\t")
					}
					b.plain.text(strings.ReplaceAll(text, "\n", " "))
				}
			case "row":
				b.plain.endLine()
			}
		},
		text: func(s string) {
			if tooLong = tooLong || inValue && value.Len()+len(s) > longestCell; inValue && !tooLong {
				value.WriteString(s)
			}
		},
	})
	if err == nil && tooLong {
		err = tooLarge("a cell of the document", longestCell)
	}
	return err
}

// cell writes a value as its reader sees it.
func (b *workbook) cell(kind string, style int, value string) string {
	switch kind {
	case "s":
		if n, err := strconv.Atoi(value); err == nil && n >= 0 && n < len(b.strings) {
			return b.strings[n]
		}
		return ""
	case "b":
		if value == "1" {
			return "TRUE"
		}
		return "FALSE"
	case "", "n":
		number, err := strconv.ParseFloat(value, 64)
		if err != nil || style < 0 || style >= len(b.formats) {
			return value
		}
		return b.formats[style].format(number, b.from1904)
	default:
		return value
	}
}
