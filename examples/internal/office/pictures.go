package office

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/weboffice-go/weboffice/signing"
)

// PageSize is that of a page of a PDF as it is shown, in points.
type PageSize struct{ Width, Height float64 }

// CanShow reports whether the engine can make pictures of pages; the error says why it
// cannot.
func (e *Engine) CanShow() error {
	if e.programs.pdftoppm == "" || e.programs.pdfinfo == "" {
		return &MissingError{"to show pages", poppler}
	}
	return nil
}

// PageSizes gives the sizes of at most so many pages of a PDF, and how many pages it has.
func (e *Engine) PageSizes(ctx context.Context, path string, most int) (sizes []PageSize, pages int, err error) {
	err = e.look(ctx, path, func(ctx context.Context, c *conversion, path string) error {
		if pages, err = c.countPages(ctx, path, signing.Secret{}); err != nil {
			return err
		}
		var out strings.Builder
		last := strconv.Itoa(min(pages, most))
		if err := c.poppler(ctx, &out, signing.Secret{}, e.programs.pdfinfo, "-f", "1", "-l", last, path); err != nil {
			return err
		}
		sizes = readSizes(out.String())
		return nil
	})
	return sizes, pages, err
}

// readSizes reads lines such as "Page    1 size: 595.276 x 841.89 pts (A4)", and exchanges
// the sides of pages that are turned.
func readSizes(out string) (sizes []PageSize) {
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		switch {
		case len(fields) >= 6 && fields[0] == "Page" && fields[2] == "size:" && fields[4] == "x":
			width, badWidth := strconv.ParseFloat(fields[3], 64)
			height, badHeight := strconv.ParseFloat(fields[5], 64)
			if badWidth == nil && badHeight == nil {
				sizes = append(sizes, PageSize{width, height})
			}
		case len(fields) == 4 && fields[0] == "Page" && fields[2] == "rot:" && (fields[3] == "90" || fields[3] == "270"):
			if last := len(sizes) - 1; last >= 0 {
				sizes[last].Width, sizes[last].Height = sizes[last].Height, sizes[last].Width
			}
		}
	}
	return sizes
}

// Picture writes a page of a PDF as a PNG of that width, in pixels. Its height is at most
// four times its width.
func (e *Engine) Picture(ctx context.Context, path string, page, width int, w io.Writer) error {
	if err := e.CanShow(); err != nil {
		return err
	}
	return e.look(ctx, path, func(ctx context.Context, c *conversion, path string) error {
		number, pixels := strconv.Itoa(page), strconv.Itoa(width)
		return c.poppler(ctx, &limited{w, mostPicture}, signing.Secret{}, e.programs.pdftoppm,
			"-png", "-singlefile", "-f", number, "-l", number, "-scale-to-x", pixels, "-scale-to-y", "-1",
			"-W", pixels, "-H", strconv.Itoa(4*width), path)
	})
}

// mostPicture is the largest picture, in bytes.
const mostPicture = 32 << 20

// look runs a program of poppler on a PDF within the limits of a conversion.
func (e *Engine) look(ctx context.Context, path string, work func(context.Context, *conversion, string) error) error {
	path, err := filepath.Abs(path) // Programs run in a folder of their own.
	if err != nil {
		return err
	}
	ctx, end, err := e.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	scratch, err := os.MkdirTemp(e.dir.path, "look-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	ctx, cancel := context.WithTimeoutCause(ctx, e.cfg.Timeout, tooLong(e.cfg.Timeout))
	defer cancel()
	err = work(ctx, &conversion{engine: e, scratch: scratch}, path)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
