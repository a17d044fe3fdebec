package office

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
)

// maxDocument is how many bytes of a document are fetched.
const maxDocument = 100 << 20

// encrypted begins an office document with a password, which is no zip archive.
var encrypted = []byte{0xD0, 0xCF, 0x11, 0xE0}

// Converter fetches documents and converts them. suite may be nil: then only text
// is made.
func Converter(suite *Suite) converttest.Converter {
	return converttest.Async(func(ctx context.Context, s converttest.Submission, progress func(float64)) ([][]byte, error) {
		dir, err := os.MkdirTemp("", "weboffice-document-")
		if err != nil {
			return nil, err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		path := filepath.Join(dir, "document"+strings.ToLower(filepath.Ext(s.Filename)))
		progress(10)
		if err := fetch(ctx, s, path); err != nil {
			return nil, err
		}
		progress(40)
		if s.Task.Target == convert.Text {
			return texts(path, s)
		}
		if suite == nil {
			return nil, ErrNoLibreOffice
		}
		pdf, err := suite.PDF(ctx, path, PDFOptions{Pages: span(s.Pages), Comments: s.ShowComments})
		if err != nil {
			return nil, err
		}
		return [][]byte{pdf}, nil
	})
}

// fetch downloads the document of s to path.
func fetch(ctx context.Context, s converttest.Submission, path string) error {
	r, err := s.Open(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	var document bytes.Buffer
	if _, err := document.ReadFrom(io.LimitReader(r, maxDocument+1)); err != nil {
		return fmt.Errorf("fetch document: %w", err)
	}
	if document.Len() > maxDocument {
		return fmt.Errorf("fetch document: it has more than %d bytes", maxDocument)
	}
	if strings.HasSuffix(path, "x") && bytes.HasPrefix(document.Bytes(), encrypted) {
		return errors.New("the document is encrypted, which is more than this side of the wire can do")
	}
	return os.WriteFile(path, document.Bytes(), 0o600)
}

// texts gives the pages of s as protocol 2.1 has them: a file each or one for
// all, with line breaks or without.
func texts(path string, s converttest.Submission) ([][]byte, error) {
	all, err := Text(path)
	if err != nil {
		return nil, err
	}
	var pages []string
	for i, page := range all {
		if selected(s.Pages, i+1) {
			pages = append(pages, page)
		}
	}
	if len(pages) == 0 {
		return nil, &pageError{len(all)}
	}
	if s.MergePages {
		pages = []string{strings.Join(pages, "\n")}
	}
	files := make([][]byte, len(pages))
	for i, page := range pages {
		if !s.KeepLineBreaks {
			page = strings.Join(strings.Fields(page), " ")
		}
		files[i] = []byte(page)
	}
	return files, nil
}

// selected reports whether page n, counted from 1, is among pages.
func selected(pages convert.Pages, n int) bool {
	switch p := pages.(type) {
	case convert.Span:
		return n >= p.From && (p.To == 0 || n <= p.To)
	case convert.Ranges:
		for _, span := range p {
			if n >= span.From && n <= span.To {
				return true
			}
		}
		return false
	default:
		return true
	}
}

// span writes the pages of a PDF as LibreOffice reads them.
func span(pages convert.Pages) string {
	s, ok := pages.(convert.Span)
	switch {
	case !ok:
		return ""
	case s.To == 0:
		return fmt.Sprintf("%d-", s.From)
	default:
		return fmt.Sprintf("%d-%d", max(s.From, 1), s.To)
	}
}
