package office

import (
	"archive/zip"
	"bufio"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Limits of what is read without LibreOffice.
const (
	longestToken = 16 << 20 // Bytes between two tags.
	deepest      = 1000     // Elements within elements.
	mostStrings  = 64 << 20 // Bytes of the shared strings of a spreadsheet.
)

// plainText reads a document without LibreOffice. Pages of a docx are those that its
// author separated, or that the program which wrote it noted; of a pptx its slides; of
// an xlsx its sheets. What is hidden is left out, as in a PDF.
func (c *conversion) plainText(ctx context.Context, found document) (err error) {
	readers := map[kind]func(*plain, document) error{kindWord: readWord, kindSlides: readSlides, kindSheet: readSheets}
	read := readers[found.kind]
	switch {
	case found.encrypted && c.job.Password.IsZero():
		return ErrPassword
	case read == nil && c.engine.programs.soffice == "":
		return &MissingError{"the text of " + c.what(found), libreOffice}
	case read == nil:
		return &MissingError{"the text of " + c.what(found), poppler}
	}
	archive, err := zip.OpenReader(c.job.Path)
	if err != nil {
		return ErrDamaged
	}
	defer func() { _ = archive.Close() }()
	path := filepath.Join(c.scratch, "plain")
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	p := &plain{ctx: ctx, parts: newParts(&archive.Reader), w: bufio.NewWriter(&limited{file, mostText})}
	err = read(p, found)
	p.endPage()
	if err := errors.Join(err, p.w.Flush(), file.Close()); err != nil {
		return err
	}
	selected, err := selectPages(c.job.Pages, max(p.pages, 1))
	if err != nil {
		return err
	}
	out := c.writer(len(selected))
	err = out.copyPages(ctx, path, "", 1, selected)
	return errors.Join(err, out.close())
}

// what names a document to its user.
func (c *conversion) what(found document) string {
	if found.kind == kindEncrypted {
		return "a document with a password"
	}
	return "a ." + string(found.kind)
}

// plain writes the text of a document, with a form feed after each page.
type plain struct {
	ctx   context.Context //nolint:containedctx // It lives as long as one call.
	parts parts
	w     *bufio.Writer
	pages int
	some  bool // The page has text.
	line  bool // The line has text.
}

// text writes words of a line.
func (p *plain) text(s string) {
	if s != "" {
		p.some, p.line = true, true
		_, _ = p.w.WriteString(strings.ReplaceAll(s, "\f", " ")) // The error stays with the writer.
	}
}

// endLine ends the line, if there is something in it.
func (p *plain) endLine() {
	if p.line {
		_ = p.w.WriteByte('\n')
	}
	p.line = false
}

// endPage ends the page, if there is something on it: a break that is noted twice is
// one.
func (p *plain) endPage() {
	p.endLine()
	if p.some {
		p.breakPage()
	}
}

// breakPage ends the page, even an empty one.
func (p *plain) breakPage() {
	_ = p.w.WriteByte('\f')
	p.pages++
	p.some, p.line = false, false
}

// visitor is told what is in a part.
type visitor struct {
	start func(s xml.StartElement)
	end   func(name string)
	text  func(s string)

	// Elements that are skipped with all that is in them.
	skip func(s xml.StartElement) bool
}

// walk reads a part. A part that is not there is empty.
func (p *plain) walk(name string, v visitor) error {
	if p.ctx.Err() != nil { // Lists name parts that are not there, too.
		return context.Cause(p.ctx)
	}
	file := p.parts.find(name)
	if file == nil {
		return nil
	}
	r, err := file.Open()
	if err != nil {
		return ErrDamaged
	}
	defer func() { _ = r.Close() }()
	meter := &meter{r: r}
	d := newDecoder(meter)
	depth, skipping := 0, 0
	for n := 0; ; n++ {
		if n%1024 == 1023 && p.ctx.Err() != nil {
			return context.Cause(p.ctx)
		}
		t, err := d.RawToken()
		meter.token = 0
		var limit *LimitError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &limit):
			return limit
		case err != nil:
			return ErrDamaged
		}
		switch t := t.(type) {
		case xml.StartElement:
			if depth++; depth > deepest {
				return &LimitError{what: "the document nests its parts too deeply"}
			}
			if skipping > 0 || v.skip != nil && v.skip(t) {
				skipping++
			} else {
				v.start(t)
			}
		case xml.EndElement:
			if depth--; skipping > 0 {
				skipping--
			} else {
				v.end(t.Name.Local)
			}
		case xml.CharData:
			if skipping == 0 {
				v.text(string(t))
			}
		}
	}
}

// meter limits what one token has. What a part unpacks to is known: archive/zip gives no
// more than the archive says.
type meter struct {
	r     io.Reader
	token int64
}

func (m *meter) Read(b []byte) (int, error) {
	n, err := m.r.Read(b)
	if m.token += int64(n); m.token > longestToken {
		return 0, tooLarge("a part of the document", longestToken)
	}
	return n, err
}
