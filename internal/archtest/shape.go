package archtest

import (
	"go/ast"
	"strings"
)

// assertions looks in preview for type assertions to its own exported interfaces:
// what a Store can do is said in Config, not found out.
func assertions(t *Tree) []Finding {
	r := &report{tree: t}
	capabilities := t.capabilities("preview")
	for _, p := range t.Packages {
		if !within(p.Dir, "preview") {
			continue
		}
		for _, f := range p.sources() {
			ast.Inspect(f.Syntax, func(n ast.Node) bool {
				for _, expr := range asserted(n) {
					if name := typeName(expr); capabilities[name] {
						r.at(n, "asserts that a value is a %s: make it a field of Config", name)
					}
				}
				return true
			})
		}
	}
	return r.found
}

// capabilities gives the names of the exported interfaces in dir.
func (t *Tree) capabilities(dir string) map[string]bool {
	names := map[string]bool{}
	if p := t.find(dir); p != nil {
		for _, f := range p.sources() {
			for _, ts := range f.typeSpecs() {
				if _, ok := ts.Type.(*ast.InterfaceType); ok && ts.Name.IsExported() {
					names[ts.Name.Name] = true
				}
			}
		}
	}
	return names
}

// asserted gives the types that n asks a value for.
func asserted(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.TypeAssertExpr:
		if n.Type != nil {
			return []ast.Expr{n.Type}
		}
	case *ast.TypeSwitchStmt:
		var out []ast.Expr
		for _, stmt := range n.Body.List {
			if clause, ok := stmt.(*ast.CaseClause); ok {
				out = append(out, clause.List...)
			}
		}
		return out
	}
	return nil
}

// typeName gives the last part of the name of a type: "Store" of preview.Store.
func typeName(expr ast.Expr) string {
	switch e := expr.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	default:
		return ""
	}
}

// growing are the suffixes of structs that must be able to take a field of any type.
var growing = []string{"Config", "Options", "Request", "Result"}

// values are the structs that are compared and used as map keys, on purpose.
var values = map[string][]string{
	"convert": {"Task", "Span", "File"},
	"preview": {"File", "Permission", "Digest", "User", "Page", "Reply"},
	"webhook": {"CardHeader", "CardText", "Quoted"},
	"token":   {"Reply"},
	"markdown": {
		"Mention",
	},
}

// comparability wants settings, requests and results that cannot be compared, and
// values that can: changing either later breaks an integrator's build.
func comparability(t *Tree) []Finding {
	r := &report{tree: t}
	for _, p := range t.Packages {
		if !p.public() {
			continue
		}
		for _, f := range p.sources() {
			for _, ts := range f.typeSpecs() {
				st, ok := ts.Type.(*ast.StructType)
				if ok && ts.Name.IsExported() && grows(ts.Name.Name) && t.comparable(p, st) {
					r.at(ts, "%s can be compared: give it a field _ [0]func()", ts.Name.Name)
				}
			}
		}
	}
	for dir, names := range values {
		p := t.find(dir)
		if p == nil {
			continue
		}
		for _, name := range names {
			ts := p.typeNamed(name)
			if ts == nil {
				continue
			}
			if st, ok := ts.Type.(*ast.StructType); ok && !t.comparable(p, st) {
				r.at(ts, "%s cannot be compared, and is a value", name)
			}
		}
	}
	return r.found
}

func grows(name string) bool {
	for _, suffix := range growing {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

// comparable reports whether == compiles for st, as far as the tree can tell: a type
// of the standard library counts as comparable.
func (t *Tree) comparable(p *Package, st *ast.StructType) bool {
	for _, field := range st.Fields.List {
		if !t.comparableType(p, field.Type) {
			return false
		}
	}
	return true
}

func (t *Tree) comparableType(p *Package, expr ast.Expr) bool {
	switch e := expr.(type) {
	case *ast.FuncType, *ast.MapType:
		return false
	case *ast.ArrayType:
		return e.Len != nil && t.comparableType(p, e.Elt)
	case *ast.StructType:
		return t.comparable(p, e)
	case *ast.Ident:
		if ts := p.typeNamed(e.Name); ts != nil {
			return t.comparableType(p, ts.Type)
		}
	case *ast.SelectorExpr:
		if q := t.imported(p, e); q != nil {
			if ts := q.typeNamed(e.Sel.Name); ts != nil {
				return t.comparableType(q, ts.Type)
			}
		}
	}
	return true
}

// imported gives the package of this tree that a selector such as signing.Secret
// names, or nil.
func (t *Tree) imported(p *Package, sel *ast.SelectorExpr) *Package {
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return nil
	}
	for _, f := range p.Files {
		for _, spec := range f.Syntax.Imports {
			local, ours := strings.CutPrefix(importPath(spec), Module+"/")
			if ours && importName(spec) == id.Name {
				return t.find(local)
			}
		}
	}
	return nil
}
