package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/examples/internal/cli"
)

// TestPaths: folders, patterns and plain paths, each file once.
func TestPaths(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a.docx", "b.XLSX", "~$a.docx", ".hidden.doc", "notes.txt", "sub/c.pdf", ".git/d.doc"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in := func(elements ...string) string { return filepath.Join(append([]string{dir}, elements...)...) }
	for name, tt := range map[string]struct {
		in     inputs
		target convert.Target
		want   []string
	}{
		"folder":        {inputs{files: []string{dir}}, convert.Text, []string{in("a.docx"), in("b.XLSX"), in("sub", "c.pdf")}},
		"folder to pdf": {inputs{operands: []string{dir}}, convert.PDF, []string{in("a.docx"), in("b.XLSX")}},
		"pattern":       {inputs{files: []string{in("*.docx")}}, convert.Text, []string{in("a.docx"), in("~$a.docx")}},
		"twice":         {inputs{files: []string{in("a.docx")}, operands: []string{in("a.docx"), in("notes.txt")}}, convert.Text, []string{in("a.docx"), in("notes.txt")}},
	} {
		documents, err := tt.in.read(strings.NewReader(""), tt.target)
		var got []string
		for _, d := range documents {
			got = append(got, d.file)
		}
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, %v, want %q", name, got, err, tt.want)
		}
	}
	for _, bad := range []inputs{{files: []string{in("*.ppt")}}, {files: []string{t.TempDir()}}} {
		if documents, err := bad.read(strings.NewReader(""), convert.Text); err == nil {
			t.Errorf("%v: %v, want an error", bad.files, documents)
		}
	}
}

// TestNamesOfResults do not collide, not with pages of another document either, and are
// short enough for a file system.
func TestNamesOfResults(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("界", 84)
	in := inputs{files: []string{"a.docx", "x/A.doc", "a-001.pdf", "b-002.doc", "b.doc", "c/a-2.doc", long + ".docx"}}
	documents, err := in.read(nil, convert.Text)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range documents {
		got = append(got, d.base)
	}
	want := []string{"a", "A-2", "a-001_", "b-002_", "b", "a-2-2", strings.Repeat("界", 80)}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestTaskWithName keeps it.
func TestTaskWithName(t *testing.T) {
	t.Parallel()
	in := inputs{tasks: []string{"open:1", "open:1"}, name: "handbook.docx"}
	documents, err := in.read(nil, convert.PDF)
	if err != nil || len(documents) != 1 || documents[0].base != "handbook" || documents[0].task != "open:1" {
		t.Errorf("got %+v, %v, want one task with that name", documents, err)
	}
}

// TestPathsOfSeveral say of which document each result is.
func TestPathsOfSeveral(t *testing.T) {
	t.Parallel()
	_, environ := deployment(t, nil, nil)
	dir := t.TempDir()
	got := call(t.Context(), environ, "", "-quiet", "-out", dir, "https://files.example/a.docx", "https://files.example/a.doc?key=CANARY")
	lines := strings.Split(strings.TrimSpace(got.stdout), "\n")
	slices.Sort(lines)
	want := []string{filepath.Join(dir, "a-2.txt") + "\thttps://files.example/a.doc", filepath.Join(dir, "a.txt") + "\thttps://files.example/a.docx"}
	if got.code != cli.ExitOK || !slices.Equal(lines, want) {
		t.Errorf("code %d, stdout %q, want %q", got.code, lines, want)
	}
}

func TestShortName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"report.docx":                       "report.docx",
		"a\x1b[31m.docx":                    "a_[31m.docx",
		strings.Repeat("long", 20) + ".doc": "longlonglonglonglongl…nglong.doc",
		strings.Repeat("界", 30) + ".doc":    strings.Repeat("界", 7) + "…" + strings.Repeat("界", 6) + ".doc",
	} {
		if got := shortName(name); got != want || columns([]rune(got)) > widestName {
			t.Errorf("%q: %q of %d columns, want %q", name, got, columns([]rune(got)), want)
		}
	}
}
