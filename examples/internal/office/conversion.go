package office

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/signing"
)

// conversion is one job in progress.
type conversion struct {
	engine   *Engine
	job      Job
	instance *slot
	scratch  string
	files    []string
}

func (c *conversion) run(ctx context.Context) error {
	info, err := os.Stat(c.job.Path)
	if err != nil {
		return err
	}
	if info.Size() > c.engine.cfg.MaxDocument {
		return tooLarge("the document", c.engine.cfg.MaxDocument)
	}
	found, err := inspect(c.job.Path, c.engine.cfg.MaxDocument)
	if err != nil {
		return err
	}
	switch {
	case c.job.Target == convert.PDF:
		return c.pdf(ctx, found)
	case found.kind == kindPDF:
		return c.text(ctx, c.job.Path, false)
	case c.engine.programs.soffice == "" || c.engine.programs.pdftotext == "":
		return c.plainText(ctx, found)
	case found.kind == kindSheet && c.job.Pages == nil:
		return c.sheetText(ctx, found)
	default:
		return c.pagesText(ctx, ctx, found)
	}
}

// pagesText has LibreOffice lay the pages out, while layout lasts, and reads their text.
func (c *conversion) pagesText(ctx, layout context.Context, found document) error {
	path := filepath.Join(c.scratch, "pages.pdf")
	// Pages from the first on, so that their numbers stay.
	if err := c.export(layout, found, path, pageRange(convert.Span{From: min(lastPage(c.job.Pages), 1), To: lastPage(c.job.Pages)}), false); err != nil {
		return err
	}
	return c.text(ctx, path, true)
}

// mostLaidOut is how large the sheets of an xlsx may be for a layout, in bytes of XML: a
// million cells, which take LibreOffice 20 s.
const mostLaidOut = 32 << 20

// sheetText reads an xlsx page by page or, if its layout would take or takes too long or
// too much memory, sheet by sheet.
func (c *conversion) sheetText(ctx context.Context, found document) error {
	var limit *LimitError
	if found.sheets > mostLaidOut {
		limit = tooLarge("the XML of the sheets", mostLaidOut)
	} else {
		within := c.engine.cfg.Timeout / 2
		layout, stop := context.WithTimeoutCause(ctx, within, tooLong(within))
		defer stop()
		if err := c.pagesText(ctx, layout, found); ctx.Err() != nil || !errors.As(err, &limit) {
			return err
		}
		c.discard()
	}
	c.engine.cfg.Logger.InfoContext(ctx, "office: the text has a page for each sheet, which was not laid out", "document", c.job.Name, "reason", limit)
	return c.plainText(ctx, found)
}

// pdf makes the PDF of the pages that were selected.
func (c *conversion) pdf(ctx context.Context, found document) error {
	if found.kind == kindPDF {
		return ErrPDFToPDF
	}
	selection, err := spanOf(c.job.Pages)
	if err != nil {
		return err
	}
	// LibreOffice leaves temporary files beside it when it is killed.
	path := filepath.Join(c.scratch, "selected.pdf")
	err = c.export(ctx, found, path, pageRange(selection), c.job.ShowComments)
	if selection != (convert.Span{}) && ctx.Err() == nil && c.engine.programs.pdfinfo != "" {
		err = c.checkPages(ctx, found, path, selection, err)
	}
	if err != nil {
		return err
	}
	return move(path, c.file("pdf", 0, 1))
}

// checkPages explains what became of an export of some pages: past the end of a document
// it gives fewer pages, or an error.
func (c *conversion) checkPages(ctx context.Context, found document, path string, selection convert.Span, err error) error {
	from := max(selection.From, 1)
	switch {
	case err == nil && selection.To > 0:
		pages, err := c.countPages(ctx, path, signing.Secret{})
		if err == nil && pages < selection.To-from+1 {
			err = &PageError{selection.To, from + pages - 1}
		}
		return err
	case !errors.Is(err, errNoExport):
		return err
	}
	all := filepath.Join(c.scratch, "all.pdf")
	if err := c.export(ctx, found, all, "", false); err != nil {
		return err
	}
	pages, counted := c.countPages(ctx, all, signing.Secret{})
	if counted == nil && from > pages {
		return &PageError{from, pages}
	}
	return errors.Join(counted, err)
}

// spanOf is the one range of pages that a PDF has (protocol 2.1).
func spanOf(pages convert.Pages) (convert.Span, error) {
	switch p := pages.(type) {
	case nil:
		return convert.Span{}, nil
	case convert.Span:
		if p.From == 0 && p.To != 0 {
			p.From = 1
		}
		return p, nil
	default:
		return convert.Span{}, errors.New("a PDF takes one range of pages")
	}
}

// lastPage is the last page of a selection; 0 is the end of the document.
func lastPage(pages convert.Pages) (last int) {
	spans, _ := pages.(convert.Ranges)
	if span, ok := pages.(convert.Span); ok {
		spans = convert.Ranges{span}
	}
	for _, s := range spans {
		if s.To == 0 {
			return 0
		}
		last = max(last, s.To)
	}
	return last
}

// pageRange writes a span as LibreOffice reads it.
func pageRange(s convert.Span) string {
	switch {
	case s == convert.Span{}:
		return ""
	case s.To == 0:
		return fmt.Sprintf("%d-", s.From)
	default:
		return fmt.Sprintf("%d-%d", s.From, s.To)
	}
}

// file is the name of result i of n, and notes it.
func (c *conversion) file(extension string, i, n int) string {
	path := filepath.Join(c.job.Dir, fmt.Sprintf("result-%05d.%s", i+1, extension))
	if n == 1 {
		path = filepath.Join(c.job.Dir, "result."+extension)
	}
	c.files = append(c.files, path)
	return path
}

// discard removes what a job wrote that failed.
func (c *conversion) discard() {
	for _, path := range c.files {
		_ = os.Remove(path)
	}
	c.files = nil
}
