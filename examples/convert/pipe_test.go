package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/examples/internal/cli"
)

// full is a place that takes a number of writes.
type full int

func (w *full) Write(p []byte) (int, error) {
	if *w--; *w < 0 {
		return 0, errors.New("broken pipe")
	}
	return len(p), nil
}

// TestNobodyReads is "| head -1": the command ends in order, and leaves no half file.
func TestNobodyReads(t *testing.T) {
	t.Parallel()
	_, environ := deployment(t, nil, nil)
	dir := t.TempDir()
	args := []string{"-out", dir, "-concurrency", "1"}
	for i := range 20 {
		args = append(args, fmt.Sprintf("https://files.example/%d.docx", i))
	}
	stdout := full(1)
	var stderr bytes.Buffer
	code := run(t.Context(), args, environment{nil, &stdout, &stderr, func(key string) string { return environ[key] }})
	if code != cli.ExitFailed || !strings.Contains(stderr.String(), "convert: print results: broken pipe") {
		t.Errorf("code %d, stderr:\n%s\nwant 1 and why", code, &stderr)
	}
	for name := range files(t, dir) {
		if strings.HasPrefix(name, ".") {
			t.Errorf("%s is left", name)
		}
	}
}
