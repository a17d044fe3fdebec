package main

import (
	"bytes"
	"errors"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/examples/emulator/internal/pagetest"
	"github.com/weboffice-go/weboffice/examples/internal/office/officetest"
)

// TestShots makes one screenshot of each kind.
func TestShots(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	err := run(t.Context(), []string{
		"-out", filepath.Join(dir, "all"), "-docs", filepath.Join(dir, "docs"), "-only", "overview-en-light",
		"-document", "../../../../quickstart/document/handbook.docx",
	}, io.Discard)
	if errors.Is(err, pagetest.ErrNoChromium) && !slices.Contains(strings.Split(os.Getenv(officetest.Require), ","), "chromium") {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for file, least := range map[string]int{"all/overview-en-light.png": 801, "docs/emulator-overview.png": 800} {
		b, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		cfg, err := png.DecodeConfig(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if cfg.Width != 1280 || cfg.Height < least {
			t.Errorf("%s: %d by %d pixels", file, cfg.Width, cfg.Height)
		}
	}
	if names, err := filepath.Glob(filepath.Join(dir, "*", "*")); err != nil || len(names) != 2 {
		t.Errorf("files %v, error %v", names, err)
	}
}
