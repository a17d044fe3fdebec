package archtest_test

import (
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"strings"
)

// examples wants an Example that runs in every package that integrators import.
func examples(t *tree) (found []string) {
	for dir, files := range t.packages {
		if dir == "" || !t.public(dir) {
			continue
		}
		has := false
		for _, f := range files {
			for _, decl := range f.ast.Decls {
				fn, ok := decl.(*ast.FuncDecl)
				has = has || ok && f.test && strings.HasPrefix(fn.Name.Name, "Example") && prints(f, fn)
			}
		}
		if !has {
			found = append(found, dir+": has no Example")
		}
	}
	return found
}

// prints reports whether an example says what it prints; otherwise it is not run.
func prints(f *file, fn *ast.FuncDecl) bool {
	for _, group := range f.ast.Comments {
		text := strings.ToLower(group.Text())
		if fn.Pos() < group.Pos() && group.End() < fn.End() && (strings.HasPrefix(text, "output:") || strings.HasPrefix(text, "unordered output:")) {
			return true
		}
	}
	return false
}

// maxMain is how many lines the main file of a program has at most.
const maxMain = 120

// programs wants a program to say how it is run, to start in a short file, and to be
// tested.
func programs(t *tree) (found []string) {
	for dir, files := range t.packages {
		if files[0].ast.Name.Name != "main" || !within(dir, "examples") || within(dir, "examples/internal") {
			continue // what is internal is run from a page
		}
		tested, said := false, false
		for _, f := range files {
			tested = tested || f.test
			said = said || f.ast.Doc != nil && strings.Contains(f.ast.Doc.Text(), "go run ./"+dir)
			if path.Base(f.path) == "main.go" && f.lines > maxMain {
				found = append(found, fmt.Sprintf("%s: has %d lines; at most %d", f.path, f.lines, maxMain))
			}
		}
		if !tested {
			found = append(found, dir+": has no test")
		}
		if !said {
			found = append(found, fmt.Sprintf("%s: the package comment does not say go run ./%s", dir, dir))
		}
	}
	return found
}

var settings = regexp.MustCompile(`(Config|Options|Fixture)$`)

// documented wants each field of a struct that holds settings to have a comment: revive
// looks at names only.
func documented(t *tree) (found []string) {
	t.sources(func(dir string, f *file) {
		if !t.public(dir) {
			return
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || !spec.Name.IsExported() || !settings.MatchString(spec.Name.Name) {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				for _, field := range s.Fields.List {
					for _, name := range field.Names {
						if name.IsExported() && field.Doc == nil && field.Comment == nil {
							found = append(found, t.at(name, "%s.%s has no comment", spec.Name.Name, name.Name))
						}
					}
				}
			}
			return true
		})
	})
	return found
}
