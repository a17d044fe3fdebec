package archtest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"sort"
	"strings"
)

// Module is the import path of the root module.
const Module = "github.com/weboffice-go/weboffice"

// Tree is the parsed source of the module and of its examples.
type Tree struct {
	// Packages are sorted by Dir.
	Packages []*Package
	// Folders are the names of the top-level folders, hidden and ignored ones aside.
	Folders []string
	// Texts are the Markdown pages, by path.
	Texts map[string]string

	fsys fs.FS
	fset *token.FileSet
}

// Package is what one folder holds, its tests included.
type Package struct {
	// Dir is the slash path below the root, "." for the root itself.
	Dir string
	// Files are sorted by Path.
	Files []*File
}

// File is one Go file.
type File struct {
	// Path is the slash path below the root.
	Path string
	// Test reports whether go build leaves the file out.
	Test bool
	// Lines counts all lines.
	Lines int
	// Syntax is the parsed file, with comments.
	Syntax *ast.File
}

// Load parses every Go file below the root of fsys. It leaves out what the go tool
// leaves out (testdata, and names with a leading dot or underscore), and what
// .gitignore names as a folder of the root.
func Load(fsys fs.FS) (*Tree, error) {
	t := &Tree{Texts: map[string]string{}, fsys: fsys, fset: token.NewFileSet()}
	ignored := ignoredFolders(fsys)
	byDir := map[string]*Package{}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return t.enter(name, ignored)
		}
		switch {
		case hidden(path.Base(name)):
			return nil
		case path.Ext(name) == ".md":
			text, err := fs.ReadFile(fsys, name)
			t.Texts[name] = string(text)
			return err
		case path.Ext(name) != ".go":
			return nil
		}
		file, err := t.parse(fsys, name)
		if err != nil {
			return err
		}
		dir := path.Dir(name)
		if byDir[dir] == nil {
			byDir[dir] = &Package{Dir: dir}
			t.Packages = append(t.Packages, byDir[dir])
		}
		byDir[dir].Files = append(byDir[dir].Files, file)
		return nil
	})
	if err != nil {
		return nil, err
	}
	sort.Slice(t.Packages, func(i, j int) bool { return t.Packages[i].Dir < t.Packages[j].Dir })
	return t, nil
}

func (t *Tree) enter(name string, ignored map[string]bool) error {
	base := path.Base(name)
	switch {
	case name == ".":
		return nil
	case hidden(base), base == "testdata", ignored[name]:
		return fs.SkipDir
	case base == name:
		t.Folders = append(t.Folders, name)
	}
	return nil
}

func (t *Tree) parse(fsys fs.FS, name string) (*File, error) {
	src, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	syntax, err := parser.ParseFile(t.fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("archtest: %w", err)
	}
	return &File{
		Path:   name,
		Test:   strings.HasSuffix(name, "_test.go"),
		Lines:  bytes.Count(src, []byte("\n")),
		Syntax: syntax,
	}, nil
}

func hidden(base string) bool {
	return strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")
}

// ignoredFolders reads the lines "/name/" of .gitignore.
func ignoredFolders(fsys fs.FS) map[string]bool {
	ignored := map[string]bool{}
	text, err := fs.ReadFile(fsys, ".gitignore")
	if err != nil {
		return ignored
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "/") && strings.HasSuffix(line, "/") {
			ignored[strings.Trim(line, "/")] = true
		}
	}
	return ignored
}

// at writes a position as "path:line".
func (t *Tree) at(n ast.Node) string {
	p := t.fset.Position(n.Pos())
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

// lines counts the lines of n.
func (t *Tree) lines(n ast.Node) int {
	return t.fset.Position(n.End()).Line - t.fset.Position(n.Pos()).Line + 1
}

// find gives the package in dir, or nil.
func (t *Tree) find(dir string) *Package {
	for _, p := range t.Packages {
		if p.Dir == dir {
			return p
		}
	}
	return nil
}

// sources gives the files that are built, without tests.
func (p *Package) sources() []*File {
	var out []*File
	for _, f := range p.Files {
		if !f.Test {
			out = append(out, f)
		}
	}
	return out
}

// example reports whether p belongs to the nested module of programs.
func (p *Package) example() bool { return p.Dir == "examples" || strings.HasPrefix(p.Dir, "examples/") }

// internal reports whether p is no part of the exported API.
func (p *Package) internal() bool { return strings.Contains("/"+p.Dir+"/", "/internal/") }

// fake reports whether p is the other side of a package, or a tool of tests.
func (p *Package) fake() bool {
	return strings.HasSuffix(p.Dir, "test") || p.Dir == "internal/canary" || p.Dir == "internal/memhttp"
}

// public reports whether p is imported by integrators. The root package is a map
// without names, and is not meant.
func (p *Package) public() bool { return p.Dir != "." && !p.example() && !p.internal() }
