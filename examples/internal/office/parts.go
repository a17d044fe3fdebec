package office

import (
	"archive/zip"
	"encoding/xml"
	"io"
	"math"
	"path"
	"strings"
)

// largestDirectory is how long the directory of an archive may be, in bytes. It is read
// into memory: 30,000 parts or more fit in.
const largestDirectory = 4 << 20

// openArchive reads the directory of a zip archive.
func openArchive(r io.ReaderAt, size int64) (*zip.Reader, error) {
	d := &directory{r, largestDirectory}
	archive, err := zip.NewReader(d, size)
	d.left = math.MaxInt64
	return archive, err
}

// directory limits what is read of an archive.
type directory struct {
	io.ReaderAt
	left int64
}

func (d *directory) ReadAt(b []byte, at int64) (int, error) {
	if d.left -= int64(len(b)); d.left < 0 {
		return 0, tooLarge("the list of the document's parts", largestDirectory)
	}
	return d.ReaderAt.ReadAt(b, at)
}

// parts are those of a package by name.
type parts map[string]*zip.File

func newParts(archive *zip.Reader) parts {
	p := parts{}
	for _, file := range archive.File {
		name := partName(file.Name)
		if p[name] == nil {
			p[name] = file
		}
	}
	return p
}

// partName is the name of a part, which archives write in several ways.
func partName(name string) string {
	return strings.ToLower(strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "/"))
}

// find gives the part of that name.
func (p parts) find(name string) *zip.File { return p[partName(name)] }

// largestIndex is how long a list of parts may be, in bytes.
const largestIndex = 4 << 20

// elements calls each for every start tag of a small part.
func (p parts) elements(name string, each func(xml.StartElement)) {
	file := p.find(name)
	if file == nil {
		return
	}
	r, err := file.Open()
	if err != nil {
		return
	}
	defer func() { _ = r.Close() }()
	d := newDecoder(io.LimitReader(r, largestIndex))
	for {
		t, err := d.RawToken()
		if err != nil {
			return
		}
		if s, ok := t.(xml.StartElement); ok {
			each(s)
		}
	}
}

// relation is a line of a .rels part.
type relation struct{ id, kind, target string }

// relations are those of a part; "" is the package.
func (p parts) relations(part string) (all []relation) {
	dir, name := path.Split(part)
	p.elements(dir+"_rels/"+name+".rels", func(s xml.StartElement) {
		if s.Name.Local != "Relationship" || attribute(s, "TargetMode") == "External" {
			return
		}
		target := attribute(s, "Target")
		if absolute, ok := strings.CutPrefix(target, "/"); ok {
			target = absolute
		} else {
			target = path.Join(dir, target)
		}
		all = append(all, relation{attribute(s, "Id"), path.Base(attribute(s, "Type")), target})
	})
	return all
}

// related is the first part of a kind that a part refers to.
func (p parts) related(part, kind string) string {
	for _, r := range p.relations(part) {
		if r.kind == kind {
			return r.target
		}
	}
	return ""
}

func (p parts) contentType(part string) (found string) {
	byExtension := ""
	p.elements("[Content_Types].xml", func(s xml.StartElement) {
		switch {
		case s.Name.Local == "Override" && strings.EqualFold(strings.TrimPrefix(attribute(s, "PartName"), "/"), part):
			found = attribute(s, "ContentType")
		case s.Name.Local == "Default" && strings.EqualFold("."+attribute(s, "Extension"), path.Ext(part)):
			byExtension = attribute(s, "ContentType")
		}
	})
	if found == "" {
		found = byExtension
	}
	return found
}

// attribute gives the value of an attribute by its local name.
func attribute(s xml.StartElement, name string) string {
	for _, a := range s.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// newDecoder reads the XML of a document, in UTF-8 or UTF-16.
func newDecoder(r io.Reader) *xml.Decoder {
	d := xml.NewDecoder(r)
	d.Strict = false
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	return d
}
