package archtest

import (
	"go/ast"
	"path"
	"strings"
)

// documented wants a comment on every exported name, on the methods of exported
// interfaces, and on the fields of structs that hold settings.
func documented(t *Tree) []Finding {
	r := &report{tree: t}
	for _, p := range t.Packages {
		if p.example() {
			continue
		}
		for _, f := range p.sources() {
			for _, fn := range f.funcs() {
				if exportedFunc(fn) && empty(fn.Doc) {
					r.at(fn, "%s has no comment", fn.Name.Name)
				}
			}
			for _, decl := range f.Syntax.Decls {
				if gen, ok := decl.(*ast.GenDecl); ok {
					r.group(gen)
				}
			}
		}
	}
	return r.found
}

// group checks one declaration, whose own comment serves a single name, and a list
// of constants or variables.
func (r *report) group(gen *ast.GenDecl) {
	for _, spec := range gen.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if !s.Name.IsExported() {
				continue
			}
			if empty(s.Doc) && (empty(gen.Doc) || len(gen.Specs) > 1) {
				r.at(s, "%s has no comment", s.Name.Name)
			}
			r.members(s)
		case *ast.ValueSpec:
			for _, name := range s.Names {
				if name.IsExported() && empty(s.Doc) && empty(s.Comment) && empty(gen.Doc) {
					r.at(name, "%s has no comment", name.Name)
				}
			}
		}
	}
}

// members checks the methods of an interface and the fields of a struct.
func (r *report) members(ts *ast.TypeSpec) {
	switch e := ts.Type.(type) {
	case *ast.InterfaceType:
		if len(e.Methods.List) > 1 { // of a single method the interface speaks itself
			r.fields(ts, e.Methods)
		}
	case *ast.StructType:
		if settings(ts.Name.Name) {
			r.fields(ts, e.Fields)
		}
	}
}

func (r *report) fields(ts *ast.TypeSpec, list *ast.FieldList) {
	for _, field := range list.List {
		for _, name := range field.Names {
			if name.IsExported() && empty(field.Doc) && empty(field.Comment) {
				r.at(name, "%s.%s has no comment", ts.Name.Name, name.Name)
			}
		}
	}
}

// settings reports whether each field of a struct of that name must say its default.
func settings(name string) bool {
	for _, suffix := range []string{"Config", "Options", "Fixture"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

func empty(doc *ast.CommentGroup) bool { return doc == nil || strings.TrimSpace(doc.Text()) == "" }

// packageDocs wants one package comment in each package, in doc.go where
// integrators look for it.
func packageDocs(t *Tree) []Finding {
	r := &report{tree: t}
	for _, p := range t.Packages {
		var docs []string
		for _, f := range p.sources() {
			if !empty(f.Syntax.Doc) {
				docs = append(docs, f.Path)
			}
		}
		switch {
		case len(p.sources()) == 0:
		case len(docs) != 1:
			r.path(p.Dir, "has %d files with a package comment, not one", len(docs))
		case (p.public() || p.Dir == ".") && path.Base(docs[0]) != "doc.go":
			r.path(docs[0], "the package comment belongs into doc.go")
		}
	}
	return r.found
}

// examples wants an Example in every package that integrators import.
func examples(t *Tree) []Finding {
	r := &report{tree: t}
	for _, p := range t.Packages {
		if p.public() && !p.hasExample() {
			r.path(p.Dir, "has no Example")
		}
	}
	return r.found
}

func (p *Package) hasExample() bool {
	for _, f := range p.Files {
		for _, fn := range f.funcs() {
			if f.Test && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Example") && prints(f, fn) {
				return true
			}
		}
	}
	return false
}

// prints reports whether an example says what it prints, without which it is not run.
func prints(f *File, fn *ast.FuncDecl) bool {
	for _, group := range f.Syntax.Comments {
		if group.Pos() < fn.Pos() || group.End() > fn.End() {
			continue
		}
		text := strings.TrimSpace(group.Text())
		if strings.HasPrefix(text, "Output:") || strings.HasPrefix(text, "Unordered output:") {
			return true
		}
	}
	return false
}

// maxProgram is how many lines the main file of an example has at most.
const maxProgram = 120

// programs checks the commands of the examples.
func programs(t *Tree) []Finding {
	r := &report{tree: t}
	for _, p := range t.Packages {
		if !p.example() || len(p.sources()) == 0 || p.sources()[0].Syntax.Name.Name != "main" {
			continue
		}
		tested := false
		for _, f := range p.Files {
			tested = tested || f.Test
			if path.Base(f.Path) == "main.go" && f.Lines > maxProgram {
				r.path(f.Path, "has %d lines; at most %d", f.Lines, maxProgram)
			}
			if !f.Test && !empty(f.Syntax.Doc) && !strings.Contains(f.Syntax.Doc.Text(), "go run ./"+p.Dir) {
				r.path(f.Path, "the package comment does not say go run ./%s", p.Dir)
			}
		}
		if !tested {
			r.path(p.Dir, "has no test")
		}
	}
	return r.found
}
