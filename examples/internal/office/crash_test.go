//go:build unix

package office_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/examples/internal/office"
)

// TestCrashes: a document whose instance dies gets a process of its own, and so do all
// when that has happened often. The programs are scripts.
func TestCrashes(t *testing.T) { //nolint:paralleltest // It sets the PATH.
	office.Lock(t, office.Locks{Macros: true, Profile: true, Namespaces: true}) // The scripts read files of the test.
	bin, made := scripts(t)
	starts := filepath.Join(t.TempDir(), "starts")
	script(t, bin, "python", `[ "$1" = -c ] && exit 0
echo >>`+starts+`; echo '{"ready":true}'; read -r job; echo '{"progress":0.5}'; exit 139`)
	convert := func(e *office.Engine) error { return threePages(t, e) }

	// The process for the document alone does what the instance does not.
	script(t, bin, "soffice", `while [ "$1" != --outdir ]; do shift; done; cp `+made+` "$2"/document.pdf`)
	e := closed(t, office.Config{Instances: 1})
	if !strings.Contains(e.Describe(), "1 kept running") {
		t.Errorf("Describe = %q, want an instance that is kept", e.Describe())
	}
	for range 5 {
		if err := convert(e); err != nil {
			t.Error(err)
		}
	}
	if b, err := os.ReadFile(starts); err != nil || len(b) != 3 {
		t.Errorf("%d instances were started, %v, want 3", len(b), err)
	}
	if !strings.Contains(e.Describe(), "a process per document") {
		t.Errorf("Describe = %q, want no instance any more", e.Describe())
	}

	// It dies, too. Signals that the first process of a namespace sends itself do nothing.
	script(t, bin, "soffice", `exec python3 -c 'import ctypes; ctypes.string_at(0)'`)
	e = closed(t, office.Config{Instances: 1})
	for range 5 {
		refused(t, convert(e), "LibreOffice crashed on the document")
	}
	if !strings.Contains(e.Describe(), "1 kept running") {
		t.Errorf("Describe = %q, want an instance: the document was to blame", e.Describe())
	}
}

// TestMemoryOfOthers: a document that takes too much after others gets an instance that
// had none.
func TestMemoryOfOthers(t *testing.T) { //nolint:paralleltest // It sets the PATH.
	office.Lock(t, office.Locks{Macros: true, Profile: true, Namespaces: true}) // The scripts read files of the test.
	bin, made := scripts(t)
	starts := filepath.Join(t.TempDir(), "starts")
	script(t, bin, "soffice", "exit 1")
	script(t, bin, "python", `[ "$1" = -c ] && exit 0
echo >>`+starts+`; echo '{"ready":true}'; read -r job
out=${job#*'"out":"'}; cp `+made+` "${out%%'"'*}"; echo '{"done":true}'
read -r job; exec python3 -c 'import time; x = b"x" * (300 << 20); time.sleep(60)'`)
	e := closed(t, office.Config{Instances: 1, Memory: 150 << 20})
	for range 3 {
		if err := threePages(t, e); err != nil {
			t.Error(err)
		}
	}
	if b, err := os.ReadFile(starts); err != nil || len(b) != 3 {
		t.Errorf("%d instances were started, %v, want 3", len(b), err)
	}
}

// scripts gives a folder for programs, which is the PATH, and the path of a PDF for them
// to make.
func scripts(t *testing.T) (bin, made string) {
	t.Helper()
	bin = t.TempDir()
	for _, name := range []string{"pdftotext", "pdfinfo", "python3"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skip(err)
		}
		if err := os.Symlink(path, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	made, err := filepath.Abs("testdata/words.pdf")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":/usr/bin:/bin") // For the tools of the scripts.
	return bin, made
}

// threePages converts a document to text.
func threePages(t *testing.T, e *office.Engine) error {
	t.Helper()
	got, err := result(t, e, office.Job{Path: "testdata/words.doc"})
	if err == nil && len(got) != 3 {
		t.Errorf("got %q, want 3 pages", got)
	}
	return err
}

// script writes a program.
func script(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
}
