package archtest_test

import (
	"io/fs"
	"path"
	"strings"
)

// samplesDir has the code of the pages, which its tests run.
const samplesDir = "examples/internal/samples"

// samples wants each block of Go on a page of the repository's front and of docs to be
// lines of one file in samplesDir, whatever their indentation, and each program there to
// be on a page. "go before" marks code of another SDK.
func samples(t *tree) (found []string) {
	code := map[string]string{}
	for dir, files := range t.packages {
		for _, f := range files {
			if within(dir, samplesDir) {
				text, err := fs.ReadFile(t.fsys, f.path)
				if err != nil {
					return []string{err.Error()}
				}
				code[f.path] = unindent(string(text))
			}
		}
	}
	shown := map[string]bool{}
	for name, text := range t.pages {
		if dir := path.Dir(name); name != "README.md" && name != "README"+chinese && dir != "docs" {
			continue
		}
		for _, p := range parts(text) {
			for _, b := range p.blocks {
				file := fileOf(code, unindent(b.text))
				shown[file] = true
				if b.info == "go" && file == "" {
					first, _, _ := strings.Cut(b.text, "\n")
					found = append(found, name+": below "+p.anchor+": the code that begins with "+first+" is not in "+samplesDir)
				}
			}
		}
	}
	for file := range code {
		if path.Base(file) == "main.go" && !shown[file] {
			found = append(found, file+": is on no page")
		}
	}
	return found
}

// fileOf returns the file that has the lines of text, or "".
func fileOf(files map[string]string, text string) string {
	for name, file := range files {
		if strings.Contains("\n"+file, "\n"+text) {
			return name
		}
	}
	return ""
}

// unindent drops the tabs before each line.
func unindent(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimLeft(line, "\t")
	}
	return strings.Join(lines, "\n")
}
