package office

import "encoding/xml"

// readWord reads the body of a docx, its headers before it, and its footers and notes
// after it. Text boxes are where they are anchored.
func readWord(p *plain, found document) error {
	relations := p.parts.relations(found.main)
	read := func(kinds ...string) error {
		for _, kind := range kinds {
			for _, r := range relations {
				if r.kind != kind {
					continue
				}
				if err := readStory(p, r.target); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if err := read("header"); err != nil {
		return err
	}
	if err := readStory(p, found.main); err != nil {
		return err
	}
	return read("footnotes", "endnotes", "footer")
}

// readStory reads a part that has paragraphs.
func readStory(p *plain, part string) error {
	var (
		inText, inRuby bool
		ruby           string // What stands above the text, and is written after it.
		cells          int    // Of the row.
	)
	return p.walk(part, visitor{
		skip: func(s xml.StartElement) bool {
			switch s.Name.Local {
			case "Fallback", "moveFrom", "del", "instrText", "pPrChange", "rPrChange", "posOffset", "rubyPr":
				return true // Alternatives, what was deleted, and numbers that are not text.
			case "footnote", "endnote":
				return attribute(s, "type") != "" && attribute(s, "type") != "normal" // The line above the notes.
			}
			return false
		},
		start: func(s xml.StartElement) {
			switch s.Name.Local {
			case "t":
				inText = true
			case "tab", "ptab":
				if s.Name.Space == "w" && attribute(s, "val") == "" { // Those with a value are tab stops.
					p.text("\t")
				}
			case "noBreakHyphen":
				p.text("-")
			case "br", "cr":
				if attribute(s, "type") == "page" {
					p.endPage()
					return
				}
				p.endLine()
			case "lastRenderedPageBreak":
				p.endPage()
			case "pageBreakBefore":
				if v := attribute(s, "val"); v != "0" && v != "false" && v != "off" {
					p.endPage()
				}
			case "rt":
				inRuby = true
			case "txbxContent":
				p.endLine()
			case "tr":
				cells = 0
			case "tc":
				if cells++; cells > 1 {
					p.text("\t")
				}
			}
		},
		end: func(name string) {
			switch name {
			case "t":
				inText = false
			case "p", "tr", "txbxContent":
				if name == "p" && cells > 0 {
					p.text(" ") // Paragraphs of a cell stay in its row.
					return
				}
				cells = 0
				p.endLine()
			case "rt":
				inRuby = false
			case "ruby":
				p.text(ruby)
				ruby = ""
			}
		},
		text: func(s string) {
			switch {
			case inText && inRuby:
				ruby += s
			case inText:
				p.text(s)
			}
		},
	})
}
