package archtest_test

import (
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"strings"
)

var (
	// "preview.Config.CheckID", "webhook.NewSeen".
	qualified = regexp.MustCompile(`(?:^|[^\w./"-])([a-z][a-z0-9]*)\.([A-Z]\w*)(?:\.([A-Z]\w*))?`)
	testName  = regexp.MustCompile(`^(?:Test|Fuzz|Benchmark)[A-Z]\w*$`)
)

// names wants what pages name in code to be in the tree: exported names of its packages,
// with a field or a method, and tests.
func names(t *tree) (found []string) {
	exported, tests := t.exported()
	for name, text := range t.pages {
		if name == "CHANGELOG.md" {
			continue // it names what is gone
		}
		for _, p := range parts(text) {
			for _, span := range spans(p.text) {
				if testName.MatchString(span) && !tests[span] {
					found = append(found, fmt.Sprintf("%s: names the test %s, which does not exist", name, span))
				}
				for _, m := range qualified.FindAllStringSubmatch(span, -1) {
					known, ok := exported[m[1]]
					if ok && !known[m[2]] || ok && m[3] != "" && !known[m[2]+"."+m[3]] {
						found = append(found, fmt.Sprintf("%s: names %s, which does not exist", name, strings.TrimLeft(m[0], " (*[")))
					}
				}
			}
		}
	}
	return found
}

// exported returns what each public package exports, by its name: "Config" and
// "Config.CheckID"; and the names of all tests.
func (t *tree) exported() (byPackage map[string]map[string]bool, tests map[string]bool) {
	byPackage, tests = map[string]map[string]bool{}, map[string]bool{}
	for dir, files := range t.packages {
		all := byPackage[path.Base(dir)]
		if public := dir != "" && t.public(dir); public && all == nil {
			all = map[string]bool{}
			byPackage[path.Base(dir)] = all
		} else if !public {
			all = nil
		}
		for _, f := range files {
			for _, decl := range f.ast.Decls {
				switch fn, isFunc := decl.(*ast.FuncDecl); {
				case isFunc && f.test:
					tests[fn.Name.Name] = true
				case all != nil && !f.test:
					export(all, decl)
				}
			}
		}
	}
	return byPackage, tests
}

// export adds the names that a declaration declares.
func export(all map[string]bool, decl ast.Decl) {
	if fn, ok := decl.(*ast.FuncDecl); ok {
		if fn.Recv == nil {
			all[fn.Name.Name] = true
		} else {
			all[receiver(fn.Recv.List[0].Type)+"."+fn.Name.Name] = true
		}
		return
	}
	group, ok := decl.(*ast.GenDecl)
	if !ok {
		return
	}
	for _, spec := range group.Specs {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				all[name.Name] = true
			}
		case *ast.TypeSpec:
			all[spec.Name.Name] = true
			for _, member := range members(spec.Type) {
				for _, name := range member.Names {
					all[spec.Name.Name+"."+name.Name] = true
				}
			}
		}
	}
}

func members(typ ast.Expr) []*ast.Field {
	switch typ := typ.(type) {
	case *ast.StructType:
		return typ.Fields.List
	case *ast.InterfaceType:
		return typ.Methods.List
	}
	return nil
}

// receiver returns the name of a receiver's type.
func receiver(typ ast.Expr) string {
	switch typ := typ.(type) {
	case *ast.StarExpr:
		return receiver(typ.X)
	case *ast.IndexExpr:
		return receiver(typ.X)
	case *ast.Ident:
		return typ.Name
	}
	return ""
}
