package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/weboffice-go/weboffice/examples/internal/cli"
	"github.com/weboffice-go/weboffice/examples/internal/office"
	"github.com/weboffice-go/weboffice/examples/internal/office/officetest"
)

// quickstart runs the program and returns what it prints.
func quickstart(t *testing.T, dir string) string {
	t.Helper()
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-out", dir}, &out); err != nil {
		t.Fatalf("run = %v, after:\n%s", err, &out)
	}
	return out.String()
}

// sourceText is the text of the document that the handbook was made from, a
// string per element.
func sourceText(t *testing.T) []string {
	t.Helper()
	file, err := os.Open("document/handbook.html")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	root, err := html.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for n := range root.Descendants() {
		if n.Type == html.TextNode && n.Parent.Data != "title" {
			if text := strings.Join(strings.Fields(n.Data), " "); text != "" {
				texts = append(texts, text)
			}
		}
	}
	if len(texts) < 50 {
		t.Fatalf("the source has %d texts: was it read?", len(texts))
	}
	return texts
}

// checkText expects the whole source, in its order, in text.
func checkText(t *testing.T, text string) {
	t.Helper()
	rest := strings.Join(strings.Fields(text), " ")
	for _, want := range sourceText(t) {
		_, after, found := strings.Cut(rest, want)
		if !found {
			t.Errorf("%q is missing, or not in its place", want)
			continue
		}
		rest = after
	}
}

func TestWithLibreOffice(t *testing.T) {
	t.Parallel()
	officetest.Engine(t, office.Config{})
	dir := t.TempDir()
	out := quickstart(t, dir)
	saved := regexp.MustCompile(`saved +(\S+), (\d+) bytes, (\d+) pages`).FindStringSubmatch(out)
	if saved == nil || saved[1] != filepath.Join(dir, "handbook.pdf") || saved[3] != "3" {
		t.Errorf("output says of the PDF: %q, want a file of 3 pages in:\n%s", saved, out)
	}
	pdf, err := os.ReadFile(filepath.Join(dir, "handbook.pdf"))
	if err != nil || !bytes.HasPrefix(pdf, []byte("%PDF-")) {
		t.Errorf("the PDF begins %.8q, %v", pdf, err)
	}
}

// TestOfficeSuiteMissing is what everybody sees: it must not depend on it.
func TestOfficeSuiteMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	dir := t.TempDir()
	out := quickstart(t, dir)
	checkText(t, out)
	text, err := os.ReadFile(filepath.Join(dir, "handbook.txt"))
	if err != nil {
		t.Fatal(err)
	}
	checkText(t, string(text))
	for _, want := range []string{"http://127.0.0.1:", "task open:task-000001", "100 %  success", filepath.Join(dir, "handbook.txt"), "Done in"} {
		if !strings.Contains(out, want) {
			t.Errorf("output does not say %q:\n%s", want, out)
		}
	}
	if !regexp.MustCompile(`skipped +a PDF needs LibreOffice, .*; install it with: `).MatchString(out) {
		t.Errorf("output does not say how to get LibreOffice:\n%s", out)
	}
}

// TestLeavesNothing: what it wrote is gone, unless -out says where to keep it.
func TestLeavesNothing(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("PATH", t.TempDir())
	t.Setenv("TMPDIR", temp)
	if err := run(t.Context(), nil, io.Discard); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(temp)
	if err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v, want nothing", left, err)
	}
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ctx, []string{"-out", t.TempDir()}, io.Discard); err == nil {
		t.Error("run with a context that has ended: no error, want one")
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for _, arg := range []string{"-no-such-flag", "out"} {
		var usage *cli.UsageError
		if err := run(t.Context(), []string{arg}, io.Discard); !errors.As(err, &usage) {
			t.Errorf("run %s = %v, want a mistake in the call", arg, err)
		}
	}
	if err := run(t.Context(), []string{"-out", "main.go"}, io.Discard); err == nil {
		t.Error("a file as -out: no error, want one")
	}
}
