package samples_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// root is the folder of the repository.
const root = "../../.."

// block is a fenced block of Go. "go before" marks code of another SDK.
var block = regexp.MustCompile("(?ms)^```go( before)?\n(.*?)^```$")

// TestPagesShowTheSamples wants each block of Go in README.md and docs to be lines of one
// file below this folder, whatever their indentation.
func TestPagesShowTheSamples(t *testing.T) {
	t.Parallel()
	sources := read(t, ".", ".go")
	blocks := 0
	for name, page := range pages(t) {
		for _, m := range block.FindAllStringSubmatch(page, -1) {
			if m[1] != "" {
				continue
			}
			blocks++
			if !shown(sources, m[2]) {
				t.Errorf("%s: this sample is not compiled below examples/internal/samples:\n%s", name, m[2])
			}
		}
	}
	if blocks < 50 {
		t.Errorf("the pages have %d samples: they are elsewhere", blocks)
	}
}

// TestSamplesAreShown wants each program below this folder to be on a page.
func TestSamplesAreShown(t *testing.T) {
	t.Parallel()
	all := pages(t)
	for name, source := range read(t, ".", ".go") {
		if path.Base(name) == "main.go" && !shown(all, source) {
			t.Errorf("no page shows %s", name)
		}
	}
}

// shown reports whether the lines of code are in one of the texts.
func shown(texts map[string]string, code string) bool {
	for _, text := range texts {
		if strings.Contains("\n"+unindent(text), "\n"+unindent(code)) {
			return true
		}
	}
	return false
}

// unindent drops the tabs before each line.
func unindent(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimLeft(line, "\t")
	}
	return strings.Join(lines, "\n")
}

// pages are README.md, README.zh.md, and everything in docs.
func pages(t *testing.T) map[string]string {
	t.Helper()
	all := read(t, root+"/docs", ".md")
	for _, name := range []string{"README.md", "README.zh.md"} {
		text, err := os.ReadFile(path.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(text)
	}
	return all
}

// read returns the files below dir with an extension.
func read(t *testing.T, dir, extension string) map[string]string {
	t.Helper()
	files, fsys := map[string]string{}, os.DirFS(dir)
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != extension {
			return err
		}
		text, err := fs.ReadFile(fsys, name)
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
