package office

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tsawler/tabula"
	"github.com/tsawler/tabula/pptx"
)

// Text reads the text of the .docx, .pptx or .xlsx at path, a string for each
// page. Pages of a .docx are those that its author separated, or that the program
// which wrote it noted; of a .pptx its slides; an .xlsx is one page.
func Text(path string) ([]string, error) {
	switch extension := strings.ToLower(filepath.Ext(path)); extension {
	case ".docx":
		return wordText(path)
	case ".pptx":
		return slideText(path)
	case ".xlsx":
		text, err := extract(path)
		return []string{text}, err
	default:
		return nil, fmt.Errorf("text is read of .docx, .pptx and .xlsx here, not of %s", extension)
	}
}

// extract reads all text of a document.
func extract(path string) (string, error) {
	document := tabula.Open(path)
	text, _, err := document.Text()
	if err := errors.Join(err, document.Close()); err != nil {
		return "", fmt.Errorf("read text: %w", err)
	}
	return text, nil
}

func wordText(path string) ([]string, error) {
	dir, err := os.MkdirTemp("", "weboffice-text-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	repaired := filepath.Join(dir, "document.docx")
	if err := repair(path, repaired); err != nil {
		return nil, err
	}
	text, err := extract(repaired)
	if err != nil {
		return nil, err
	}
	return splitPages(text), nil
}

// splitPages cuts text at its marks. Two marks with nothing between them are one
// page break that was noted twice.
func splitPages(text string) []string {
	var marked strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " ") + "\n"
		if rest := strings.ReplaceAll(line, string(pageBefore), ""); rest != line {
			line = string(pageBreak) + rest
		}
		marked.WriteString(line)
	}
	var pages []string
	for page := range strings.SplitSeq(marked.String(), string(pageBreak)) {
		if page = strings.TrimRight(strings.TrimLeft(page, "\n"), " \n"); page != "" {
			pages = append(pages, page+"\n")
		}
	}
	return pages
}

func slideText(path string) (pages []string, err error) {
	r, err := pptx.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read slides: %w", err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for i := range r.SlideCount() {
		slide, err := r.Slide(i)
		if err != nil {
			return nil, fmt.Errorf("read slide %d: %w", i+1, err)
		}
		pages = append(pages, strings.TrimSpace(slide.GetText())+"\n")
	}
	return pages, nil
}
