package office

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// Marks in the text of a repaired document, from the private use area of Unicode.
const (
	pageBreak  = '\uE00C' // a new page begins here
	pageBefore = '\uE00D' // a new page begins with this line
)

// maxPart bounds what is unpacked of a document.
const maxPart = 64 << 20

// documentPart is where a .docx has its text.
const documentPart = "word/document.xml"

// repair copies the .docx at from into to, with its text as tabula reads it
// right. tabula v1.6.7 passes over what is inside a hyperlink, a content control
// or a tracked insertion, moves line breaks and tabs to the end of their run, lets
// tables slip behind paragraphs, and does not tell where pages begin.
func repair(from, to string) (err error) {
	in, err := zip.OpenReader(from)
	if err != nil {
		return fmt.Errorf("read document: %w", err)
	}
	defer func() { _ = in.Close() }()
	file, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	out := zip.NewWriter(file)
	for _, part := range in.File {
		if part.Name != documentPart {
			if err := out.Copy(part); err != nil {
				return fmt.Errorf("copy %s: %w", part.Name, err)
			}
			continue
		}
		if err := repairPart(out, part); err != nil {
			return fmt.Errorf("read %s: %w", part.Name, err)
		}
	}
	return out.Close()
}

func repairPart(out *zip.Writer, part *zip.File) error {
	r, err := part.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, maxPart+1))
	if err != nil {
		return err
	}
	if len(text) > maxPart {
		return errors.New("it is too large")
	}
	text, err = repairXML(text)
	if err != nil {
		return err
	}
	w, err := out.Create(documentPart)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// repairer copies XML token by token.
type repairer struct {
	out    bytes.Buffer
	open   []string // names of the elements around
	skip   int      // depth at which a left out element began; 0: none
	before bool     // the paragraph begins a page

	tables int // around; their rows become paragraphs
	cells  int // of the row so far
	inCell int // paragraphs of the cell so far
}

// repairXML copies WordprocessingML, byte by byte where nothing has to change.
func repairXML(in []byte) ([]byte, error) {
	r := &repairer{}
	d := xml.NewDecoder(bytes.NewReader(in))
	for {
		start := d.InputOffset()
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			return r.out.Bytes(), nil
		}
		if err != nil {
			return nil, err
		}
		raw := in[start:d.InputOffset()]
		switch t := token.(type) {
		case xml.StartElement:
			r.start(t, raw)
		case xml.EndElement:
			r.end(t, raw)
		default:
			r.copy(raw)
		}
	}
}

func (r *repairer) copy(raw []byte) {
	if r.skip == 0 {
		r.out.Write(raw)
	}
}

// start copies an element's start, or what stands for it.
func (r *repairer) start(t xml.StartElement, raw []byte) {
	name := t.Name.Local
	inRun := len(r.open) > 0 && r.open[len(r.open)-1] == "r"
	r.open = append(r.open, name)
	if r.skip > 0 {
		return
	}
	switch {
	case name == "tbl" || r.tables > 0 && slices.Contains([]string{"tr", "tc", "p"}, name):
		r.startTable(name)
	case r.tables > 0 && slices.Contains([]string{"tblPr", "tblPrEx", "tblGrid", "trPr", "tcPr", "pPr"}, name):
		r.skip = len(r.open)
	case unwrapped(name):
	case name == "sdtPr" || name == "sdtEndPr" || name == "softHyphen":
		r.skip = len(r.open)
	case name == "pageBreakBefore":
		r.before = on(t)
		r.out.Write(raw)
	case inRun && name == "br" && value(t, "type") == "page", inRun && name == "lastRenderedPageBreak":
		r.text(string(pageBreak))
	case inRun && (name == "br" || name == "cr"):
		r.text("\n")
	case inRun && name == "tab":
		r.text("\t")
	case inRun && name == "noBreakHyphen":
		r.text("-")
	default:
		r.out.Write(raw)
	}
}

// startTable turns a row into a paragraph of its cells, with tabs between them.
func (r *repairer) startTable(name string) {
	outer := r.tables == 1
	switch {
	case name == "tbl":
		r.tables++
	case name == "tr" && outer:
		r.out.WriteString("<w:p>")
		r.cells = 0
	case name == "tc" && outer:
		if r.cells > 0 {
			r.out.WriteString("<w:r>" + textOf("\t") + "</w:r>")
		}
		r.cells++
		r.inCell = 0
	case name == "p":
		if r.inCell > 0 {
			r.out.WriteString("<w:r>" + textOf(" ") + "</w:r>")
		}
		r.inCell++
	}
}

// text writes s in place of the element that was just opened, and leaves that out.
func (r *repairer) text(s string) {
	r.out.WriteString(textOf(s))
	r.skip = len(r.open)
}

func textOf(s string) string { return `<w:t xml:space="preserve">` + s + `</w:t>` }

// end copies an element's end. Of <a/>, raw is empty.
func (r *repairer) end(t xml.EndElement, raw []byte) {
	if n := len(r.open); n > 0 {
		r.open = r.open[:n-1]
		if r.skip == n {
			r.skip = 0
			return
		}
	}
	name := t.Name.Local
	switch {
	case r.skip > 0 || unwrapped(name):
	case name == "tbl":
		r.tables--
	case r.tables == 1 && name == "tr":
		r.out.WriteString("</w:p>")
	case r.tables > 0 && slices.Contains([]string{"tr", "tc", "p"}, name):
	case name == "pPr" && r.before:
		r.before = false
		r.out.Write(raw)
		r.out.WriteString("<w:r>" + textOf(string(pageBefore)) + "</w:r>")
	default:
		r.out.Write(raw)
	}
}

// unwrapped reports whether the content of an element is read in its place.
func unwrapped(name string) bool {
	return slices.Contains([]string{"hyperlink", "ins", "moveTo", "smartTag", "fldSimple", "sdt", "sdtContent"}, name)
}

func value(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// on reads a switch, which is on unless it says otherwise.
func on(t xml.StartElement) bool {
	return !slices.Contains([]string{"0", "false", "off"}, value(t, "val"))
}
