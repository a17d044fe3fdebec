package office

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// restart is what LibreOffice ends with when it wants to be started again, with a
// profile that is new.
const restart = 81

// oneShot has the task done by a LibreOffice for it alone.
func (p *pool) oneShot(ctx context.Context, t task, scratch string) error {
	if t.Password != "" {
		return &MissingError{"a document with a password", unoPackage}
	}
	dir, err := os.MkdirTemp(scratch, "office-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := writeProfile(dir); err != nil {
		return err
	}
	removeSockets, err := noteSockets(p.dir, dir)
	if err != nil {
		return err
	}
	defer removeSockets()
	filter, err := t.pdfFilter()
	if err != nil {
		return err
	}
	args := []string{
		"-env:UserInstallation=" + fileURL(filepath.Join(dir, "profile")),
		"--headless", "--invisible", "--nologo", "--norestore", "--nodefault", "--nofirststartwizard", "--nolockcheck",
		"--convert-to", filter, "--outdir", dir, t.In,
	}
	for range 3 {
		err = runProgram(ctx, p.cfg.Memory, reach{home: dir, read: []string{t.In}, all: p.unconfined.Load()}, io.Discard, io.Discard, p.programs.soffice, args...)
		if exitCode(err) != restart {
			break
		}
	}
	var ended *exec.ExitError // Also by a signal.
	switch {
	case errors.As(err, &ended):
		return errCrashed
	case err != nil:
		return err
	}
	made := filepath.Join(dir, strings.TrimSuffix(filepath.Base(t.In), filepath.Ext(t.In))+".pdf")
	// It ends with 0 also if it could not.
	if info, err := os.Stat(made); errors.Is(err, os.ErrNotExist) || err == nil && info.Size() == 0 {
		if t.Pages != "" {
			return errNoExport
		}
		return ErrDamaged
	}
	return os.Rename(made, t.Out)
}

// fileURL writes a path as LibreOffice wants it.
func fileURL(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // Windows: "C:/Users" has no slash before it.
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// pdfFilter is the export filter with its options.
func (t task) pdfFilter() (string, error) {
	type option struct {
		Type  string `json:"type"`
		Value string `json:"value"`
	}
	options := map[string]option{}
	if t.Pages != "" {
		options["PageRange"] = option{"string", t.Pages}
	}
	if t.Comments {
		options["ExportNotes"] = option{"boolean", "true"}
	}
	encoded, err := json.Marshal(options)
	return "pdf:" + t.Export + ":" + string(encoded), err
}
