package office

import (
	"encoding/xml"
	"strings"
)

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
	s := &story{plain: p}
	return p.walk(part, visitor{skip: s.skip, start: s.start, end: s.end, text: s.text})
}

// story is such a part while it is read.
type story struct {
	*plain
	inText, inRuby bool
	ruby           strings.Builder // What stands above the text, and is written after it.
	cells          int             // Of the row.
}

// skip leaves out alternatives, what was deleted, and numbers that are not text.
func (s *story) skip(e xml.StartElement) bool {
	switch e.Name.Local {
	case "Fallback", "moveFrom", "del", "instrText", "pPrChange", "rPrChange", "posOffset", "rubyPr":
		return true
	case "footnote", "endnote":
		return attribute(e, "type") != "" && attribute(e, "type") != "normal" // The line above the notes.
	}
	return false
}

func (s *story) start(e xml.StartElement) {
	switch e.Name.Local {
	case "t":
		s.inText = true
	case "tab", "ptab":
		if e.Name.Space == "w" && attribute(e, "val") == "" { // Those with a value are tab stops.
			s.plain.text("\t")
		}
	case "noBreakHyphen":
		s.plain.text("-")
	case "br", "cr":
		if attribute(e, "type") == "page" {
			s.endPage()
			return
		}
		s.endLine()
	case "lastRenderedPageBreak":
		s.endPage()
	case "pageBreakBefore":
		if v := attribute(e, "val"); v != "0" && v != "false" && v != "off" {
			s.endPage()
		}
	case "rt":
		s.inRuby = true
	case "txbxContent":
		s.endLine()
	case "tr":
		s.cells = 0
	case "tc":
		if s.cells++; s.cells > 1 {
			s.plain.text("\t")
		}
	}
}

func (s *story) end(name string) {
	switch name {
	case "t":
		s.inText = false
	case "p", "tr", "txbxContent":
		if name == "p" && s.cells > 0 {
			s.plain.text(" ") // Paragraphs of a cell stay in its row.
			return
		}
		s.cells = 0
		s.endLine()
	case "rt":
		s.inRuby = false
	case "ruby":
		s.plain.text(s.ruby.String())
		s.ruby.Reset()
	}
}

func (s *story) text(text string) {
	switch {
	case s.inText && s.inRuby:
		s.ruby.WriteString(text)
	case s.inText:
		s.plain.text(text)
	}
}
