package archtest

import (
	"go/ast"
	"go/token"
	"strings"
)

// state refuses init, and package-level variables that are more than a name for an
// error or a table that nobody writes.
func state(t *Tree) []Finding {
	r := &report{tree: t}
	for _, p := range t.Packages {
		vars := map[string]bool{}
		for _, f := range p.sources() {
			for _, fn := range f.funcs() {
				if fn.Recv == nil && fn.Name.Name == "init" {
					r.at(fn, "init runs behind the back of whoever imports this")
				}
			}
			for _, vs := range f.values(token.VAR) {
				for i, name := range vs.Names {
					vars[name.Name] = name.Name != "_"
					if problem := variable(f, vs, i); problem != "" {
						r.at(name, "%s %s", name.Name, problem)
					}
				}
			}
		}
		for _, f := range p.sources() {
			for _, fn := range f.funcs() {
				r.writes(fn, vars)
			}
		}
	}
	return r.found
}

// variable says why the i-th name of vs is state, or "".
func variable(f *File, vs *ast.ValueSpec, i int) string {
	switch {
	case vs.Names[i].Name == "_", embedded(f, vs):
		return ""
	case len(vs.Values) == 0:
		return "has no value yet, and so waits to be changed"
	}
	value := vs.Values[min(i, len(vs.Values)-1)]
	changing := ""
	ast.Inspect(value, func(n ast.Node) bool {
		switch e := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CompositeLit:
			if synchronizes(e.Type) {
				changing = "holds shared state"
			}
		case *ast.CallExpr:
			if id, ok := e.Fun.(*ast.Ident); ok && (id.Name == "make" || id.Name == "new") {
				changing = "is made empty, and so waits to be filled"
			}
		}
		return true
	})
	if changing == "" && vs.Type != nil && synchronizes(vs.Type) {
		changing = "holds shared state"
	}
	return changing
}

// embedded reports whether vs is filled by go:embed.
func embedded(f *File, vs *ast.ValueSpec) bool {
	for _, group := range f.Syntax.Comments {
		if group.End() > vs.Pos() {
			break
		}
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//go:embed ") && vs.Pos()-group.End() < 16 {
				return true
			}
		}
	}
	return false
}

// synchronizes reports whether a type is of sync or sync/atomic.
func synchronizes(expr ast.Expr) bool {
	if idx, ok := expr.(*ast.IndexExpr); ok {
		expr = idx.X
	}
	sel, ok := expr.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	return ok && (id.Name == "sync" || id.Name == "atomic")
}

// writes looks for assignments to a package-level variable, or to what is in it.
func (r *report) writes(fn *ast.FuncDecl, vars map[string]bool) {
	local := declared(fn)
	ast.Inspect(fn, func(n ast.Node) bool {
		for _, target := range written(n) {
			if id := root(target); id != nil && vars[id.Name] && !local[id.Name] {
				r.at(n, "changes the package-level %s", id.Name)
			}
		}
		return true
	})
}

// written gives what n assigns to, empties, or takes the address of.
func written(n ast.Node) []ast.Expr {
	switch s := n.(type) {
	case *ast.AssignStmt:
		if s.Tok != token.DEFINE {
			return s.Lhs
		}
	case *ast.IncDecStmt:
		return []ast.Expr{s.X}
	case *ast.UnaryExpr:
		if id, ok := s.X.(*ast.Ident); ok && s.Op == token.AND {
			return []ast.Expr{id}
		}
	case *ast.CallExpr:
		if id, ok := s.Fun.(*ast.Ident); ok && (id.Name == "delete" || id.Name == "clear") && len(s.Args) > 0 {
			return s.Args[:1]
		}
	}
	return nil
}

// declared gives the names that fn declares anywhere, which hide those of the package.
func declared(fn *ast.FuncDecl) map[string]bool {
	names := map[string]bool{}
	add := func(exprs ...ast.Expr) {
		for _, expr := range exprs {
			if id, ok := expr.(*ast.Ident); ok {
				names[id.Name] = true
			}
		}
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch s := n.(type) {
		case *ast.Field:
			for _, name := range s.Names {
				names[name.Name] = true
			}
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				add(s.Lhs...)
			}
		case *ast.RangeStmt:
			add(s.Key, s.Value)
		case *ast.ValueSpec:
			for _, name := range s.Names {
				names[name.Name] = true
			}
		}
		return true
	})
	return names
}

// root gives the variable that an expression such as v.a[i] is a part of.
func root(expr ast.Expr) *ast.Ident {
	for {
		switch e := expr.(type) {
		case *ast.Ident:
			return e
		case *ast.SelectorExpr:
			expr = e.X
		case *ast.IndexExpr:
			expr = e.X
		case *ast.StarExpr:
			expr = e.X
		case *ast.ParenExpr:
			expr = e.X
		default:
			return nil
		}
	}
}
