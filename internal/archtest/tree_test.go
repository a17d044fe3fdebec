// Package archtest_test checks what no linter can: who imports whom, that secrets are
// not revealed into messages, that citations and links lead somewhere, that examples
// run and programs say how they are run, and that pages name what exists, in both languages.
package archtest_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
)

const module = "github.com/weboffice-go/weboffice"

// tree is the parsed source of the repository, and its Markdown pages.
type tree struct {
	fsys     fs.FS
	fset     *token.FileSet
	packages map[string][]*file // by folder, "" for the root
	pages    map[string]string  // by path
	modules  map[string]bool    // folders below the root that have a go.mod
	makefile string
	words    map[string]bool // see literals
}

type file struct {
	path  string
	test  bool
	lines int
	ast   *ast.File
}

// rules are checked on the repository, and each on a small tree that breaks it.
var rules = map[string]func(*tree) []string{
	"Imports":    imports,
	"Secrets":    secrets,
	"Citations":  citations,
	"Links":      links,
	"Examples":   examples,
	"Programs":   programs,
	"Documented": documented,
	"Pairs":      pairs,
	"Samples":    samples,
	"Commands":   commands,
	"Names":      names,
	"Errors":     errorsExplained,
}

func TestTree(t *testing.T) {
	t.Parallel()
	tree := repository(t)
	for name, rule := range rules {
		for _, finding := range rule(tree) {
			t.Errorf("%s: %s", name, finding)
		}
	}
}

// repository is the tree around this package.
func repository(t *testing.T) *tree {
	t.Helper()
	tree, err := load(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.packages) < 10 || len(tree.pages) < 5 {
		t.Fatalf("load found %d packages and %d pages: the root is elsewhere", len(tree.packages), len(tree.pages))
	}
	return tree
}

// load reads what the go tool reads: not testdata, and no name with a leading dot or
// underscore. It leaves out the folders that .gitignore names.
func load(fsys fs.FS) (*tree, error) {
	t := &tree{fsys: fsys, fset: token.NewFileSet(), packages: map[string][]*file{}, pages: map[string]string{}, modules: map[string]bool{}}
	ignored, _ := fs.ReadFile(fsys, ".gitignore")
	makefile, _ := fs.ReadFile(fsys, "Makefile")
	t.makefile = string(makefile)
	return t, fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		base := path.Base(name)
		switch {
		case err != nil:
			return err
		case name == ".":
			return nil
		case base[0] == '.' || base[0] == '_' || base == "testdata" || strings.Contains(string(ignored), "/"+name+"/\n"):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case base == "go.mod" && name != base:
			t.modules[path.Dir(name)] = true
		case path.Ext(name) == ".md" || path.Ext(name) == ".go":
			return t.read(name)
		}
		return nil
	})
}

func (t *tree) read(name string) error {
	text, err := fs.ReadFile(t.fsys, name)
	if err != nil || path.Ext(name) == ".md" {
		t.pages[name] = string(text)
		return err
	}
	syntax, err := parser.ParseFile(t.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	dir := strings.TrimPrefix(path.Dir(name), ".")
	t.packages[dir] = append(t.packages[dir], &file{
		path: name, test: strings.HasSuffix(name, "_test.go"), lines: strings.Count(string(text), "\n"), ast: syntax,
	})
	return nil
}

// at writes a finding as a compiler would.
func (t *tree) at(n ast.Node, format string, args ...any) string {
	p := t.fset.Position(n.Pos())
	return fmt.Sprintf("%s:%d: ", p.Filename, p.Line) + fmt.Sprintf(format, args...)
}

// sources visits the files that ship, in every folder.
func (t *tree) sources(visit func(dir string, f *file)) {
	for dir, files := range t.packages {
		for _, f := range files {
			if !f.test {
				visit(dir, f)
			}
		}
	}
}

// nested returns the nested module that dir is in, or "".
func (t *tree) nested(dir string) string {
	for dir != "" && dir != "." {
		if t.modules[dir] {
			return dir
		}
		dir = path.Dir(dir)
	}
	return ""
}

// public reports whether integrators import the package in dir.
func (t *tree) public(dir string) bool {
	return !strings.Contains("/"+dir+"/", "/internal/") && !strings.Contains("/"+t.nested(dir)+"/", "/examples/") &&
		t.nested(dir) != "campaigns" && t.packages[dir][0].ast.Name.Name != "main"
}

// fake reports whether dir holds the counterpart of a package, or a tool of tests.
func fake(dir string) bool { return strings.HasSuffix(dir, "test") || dir == "internal/memhttp" }

func within(name, dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }
