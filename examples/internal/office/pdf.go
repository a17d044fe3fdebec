package office

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/tsawler/tabula"
)

// PDFOptions change what [Suite.PDF] does. The zero value is ready.
type PDFOptions struct {
	Pages    string // Such as "2-3". If empty, all.
	Comments bool   // Show comments in the margin.
}

// PDF makes a PDF of the document at path. It runs LibreOffice with a profile of
// its own, so that several may run at once, beside one that a user has open. When
// ctx ends, LibreOffice is killed.
func (s *Suite) PDF(ctx context.Context, path string, opts PDFOptions) ([]byte, error) {
	dir, err := os.MkdirTemp("", "weboffice-pdf-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	filter, err := opts.filter(path)
	if err != nil {
		return nil, err
	}
	profile := url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(dir, "profile"))}
	cmd := exec.CommandContext(ctx, s.path, "-env:UserInstallation="+profile.String(),
		"--headless", "--norestore", "--convert-to", filter, "--outdir", dir, path)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	killTree(cmd)
	cmd.WaitDelay = 5 * time.Second // for children that hold the pipes
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("run LibreOffice: %w: %s", err, strings.TrimSpace(said.String()))
	}
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) + ".pdf"
	pdf, err := os.ReadFile(filepath.Join(dir, name))
	if errors.Is(err, os.ErrNotExist) { // it ends with 0 also when it could not
		return nil, fmt.Errorf("LibreOffice made no PDF: %s", strings.TrimSpace(said.String()))
	}
	return pdf, err
}

// filter is the export filter for path, with its options.
func (o PDFOptions) filter(path string) (string, error) {
	name := map[string]string{
		".docx": "writer_pdf_Export", ".doc": "writer_pdf_Export",
		".xlsx": "calc_pdf_Export", ".xls": "calc_pdf_Export",
		".pptx": "impress_pdf_Export", ".ppt": "impress_pdf_Export",
	}[strings.ToLower(filepath.Ext(path))]
	if name == "" {
		return "", fmt.Errorf("no PDF is made of %s", filepath.Ext(path))
	}
	type option struct {
		Type  string `json:"type"`
		Value string `json:"value"`
	}
	options := map[string]option{}
	if o.Pages != "" {
		options["PageRange"] = option{"string", o.Pages}
	}
	if o.Comments {
		options["ExportNotesInMargin"] = option{"boolean", "true"}
	}
	encoded, err := json.Marshal(options)
	if err != nil {
		return "", err
	}
	return "pdf:" + name + ":" + string(encoded), nil
}

// CountPages counts the pages of the PDF at path.
func CountPages(path string) (int, error) {
	document := tabula.Open(path)
	pages, err := document.PageCount()
	if err := errors.Join(err, document.Close()); err != nil {
		return 0, fmt.Errorf("count pages: %w", err)
	}
	return pages, nil
}
