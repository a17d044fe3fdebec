package office

import "encoding/xml"

// readSlides reads a pptx, a page for each slide that is shown: its text, its tables,
// its diagrams, and the notes of the speaker.
func readSlides(p *plain, found document) error {
	slides := map[string]string{}
	for _, r := range p.parts.relations(found.main) {
		slides[r.id] = r.target
	}
	var order []string
	p.parts.elements(found.main, func(s xml.StartElement) {
		if s.Name.Local == "sldId" {
			for _, a := range s.Attr { // There is another id, without a prefix.
				if a.Name.Local == "id" && a.Name.Space != "" && slides[a.Value] != "" {
					order = append(order, slides[a.Value])
				}
			}
		}
	})
	for _, slide := range order {
		hidden := false
		p.parts.elements(slide, func(s xml.StartElement) {
			hidden = hidden || s.Name.Local == "sld" && (attribute(s, "show") == "0" || attribute(s, "show") == "false")
		})
		if hidden {
			continue
		}
		if err := readSlide(p, slide); err != nil {
			return err
		}
		for _, r := range p.parts.relations(slide) {
			if r.kind == "diagramDrawing" || r.kind == "notesSlide" {
				if err := readSlide(p, r.target); err != nil {
					return err
				}
			}
		}
		p.endLine()
		p.breakPage()
	}
	return nil
}

// readSlide reads one part with shapes.
func readSlide(p *plain, part string) error {
	inText, inRow, cells := false, false, 0
	return p.walk(part, visitor{
		skip: func(s xml.StartElement) bool {
			return s.Name.Local == "Fallback" || s.Name.Local == "fld" && attribute(s, "type") == "slidenum"
		},
		start: func(s xml.StartElement) {
			switch s.Name.Local {
			case "t":
				inText = true
			case "br":
				p.endLine()
			case "tr":
				inRow, cells = true, 0
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
			case "p":
				if inRow {
					p.text(" ")
					return
				}
				p.endLine()
			case "tr":
				inRow = false
				p.endLine()
			}
		},
		text: func(s string) {
			if inText {
				p.text(s)
			}
		},
	})
}
