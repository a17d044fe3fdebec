package archtest

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// maxMethods is how many methods an exported interface has at most.
const maxMethods = 3

// typeSpecs gives the types that f declares.
func (f *File) typeSpecs() []*ast.TypeSpec {
	var out []*ast.TypeSpec
	for _, decl := range f.Syntax.Decls {
		if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok == token.TYPE {
			for _, spec := range gen.Specs {
				if ts, ok := spec.(*ast.TypeSpec); ok {
					out = append(out, ts)
				}
			}
		}
	}
	return out
}

// funcs gives the functions and methods that f declares.
func (f *File) funcs() []*ast.FuncDecl {
	var out []*ast.FuncDecl
	for _, decl := range f.Syntax.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok {
			out = append(out, fn)
		}
	}
	return out
}

// values gives the constants or variables that f declares at package level.
func (f *File) values(tok token.Token) []*ast.ValueSpec {
	var out []*ast.ValueSpec
	for _, decl := range f.Syntax.Decls {
		if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok == tok {
			for _, spec := range gen.Specs {
				if vs, ok := spec.(*ast.ValueSpec); ok {
					out = append(out, vs)
				}
			}
		}
	}
	return out
}

// typeNamed gives the type of that name, or nil.
func (p *Package) typeNamed(name string) *ast.TypeSpec {
	for _, f := range p.sources() {
		for _, ts := range f.typeSpecs() {
			if ts.Name.Name == name {
				return ts
			}
		}
	}
	return nil
}

// exportedFunc reports whether fn can be called from outside: an exported function,
// or an exported method of an exported type.
func exportedFunc(fn *ast.FuncDecl) bool {
	return fn.Name.IsExported() && (fn.Recv == nil || ast.IsExported(receiver(fn)))
}

// receiver gives the name of the type that fn is a method of, or "".
func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return ""
	}
	expr := fn.Recv.List[0].Type
	for {
		switch e := expr.(type) {
		case *ast.StarExpr:
			expr = e.X
		case *ast.IndexExpr:
			expr = e.X
		case *ast.IndexListExpr:
			expr = e.X
		case *ast.Ident:
			return e.Name
		default:
			return ""
		}
	}
}

// interfaces bounds the methods of exported interfaces that others implement. One
// with an unexported method is sealed, and may grow.
func interfaces(t *Tree) []Finding {
	r := &report{tree: t}
	for _, p := range t.Packages {
		for _, f := range p.sources() {
			for _, ts := range f.typeSpecs() {
				it, ok := ts.Type.(*ast.InterfaceType)
				if !ok || !ts.Name.IsExported() {
					continue
				}
				if n, sealed := p.methods(it); n > maxMethods && !sealed {
					r.at(ts, "%s has %d methods; at most %d", ts.Name.Name, n, maxMethods)
				}
			}
		}
	}
	return r.found
}

// methods counts the methods of it, those of embedded interfaces of the package
// included. An interface of another package counts as one.
func (p *Package) methods(it *ast.InterfaceType) (n int, sealed bool) {
	for _, field := range it.Methods.List {
		for _, name := range field.Names {
			n++
			sealed = sealed || !name.IsExported()
		}
		if len(field.Names) > 0 {
			continue
		}
		n++ // an embedded interface, until it is seen to be ours
		if id, ok := field.Type.(*ast.Ident); ok {
			if ts := p.typeNamed(id.Name); ts != nil {
				if inner, ok := ts.Type.(*ast.InterfaceType); ok {
					m, s := p.methods(inner)
					n += m - 1
					sealed = sealed || s
				}
			}
		}
	}
	return n, sealed
}

// signatures looks for the types of other modules where an integrator would meet them.
func signatures(t *Tree) []Finding {
	r := &report{tree: t}
	for _, p := range t.Packages {
		if !p.public() {
			continue
		}
		for _, f := range p.sources() {
			foreign := f.foreignNames()
			if len(foreign) == 0 {
				continue
			}
			for _, node := range f.exposed() {
				ast.Inspect(node, func(n ast.Node) bool {
					sel, ok := n.(*ast.SelectorExpr)
					if !ok {
						return true
					}
					if id, ok := sel.X.(*ast.Ident); ok && foreign[id.Name] {
						r.at(sel, "exported signature has %s.%s of another module", id.Name, sel.Sel.Name)
					}
					return true
				})
			}
		}
	}
	return r.found
}

// foreignNames gives the names by which f knows other modules.
func (f *File) foreignNames() map[string]bool {
	names := map[string]bool{}
	for _, spec := range f.Syntax.Imports {
		if name := importPath(spec); !standard(name) && !within(name, Module) {
			names[importName(spec)] = true
		}
	}
	return names
}

// exposed gives the parts of f that an importer sees: the types of exported
// functions, types without their unexported fields, constants and variables.
func (f *File) exposed() []ast.Node {
	var out []ast.Node
	for _, fn := range f.funcs() {
		if exportedFunc(fn) {
			out = append(out, fn.Type)
		}
	}
	for _, ts := range f.typeSpecs() {
		if ts.Name.IsExported() {
			out = append(out, exposedType(ts.Type)...)
		}
	}
	for _, vs := range slices.Concat(f.values(token.CONST), f.values(token.VAR)) {
		if slices.ContainsFunc(vs.Names, (*ast.Ident).IsExported) {
			out = append(out, vs)
		}
	}
	return out
}

func exposedType(expr ast.Expr) []ast.Node {
	st, ok := expr.(*ast.StructType)
	if !ok {
		return []ast.Node{expr}
	}
	var out []ast.Node
	for _, field := range st.Fields.List {
		if len(field.Names) == 0 || slices.ContainsFunc(field.Names, (*ast.Ident).IsExported) {
			out = append(out, field.Type)
		}
	}
	return out
}

// demanded are methods that an interface of the standard library asks for.
var demanded = map[string]string{
	"WithAttrs": "slog.Handler",
	"WithGroup": "slog.Handler",
}

// options refuses the functional form: a With function, or a type of functions that
// change something of the package.
func options(t *Tree) []Finding {
	r := &report{tree: t}
	for _, p := range t.Packages {
		if p.example() {
			continue
		}
		for _, f := range p.sources() {
			for _, fn := range f.funcs() {
				if fn.Recv != nil && demanded[fn.Name.Name] != "" {
					continue
				}
				if rest, ok := strings.CutPrefix(fn.Name.Name, "With"); ok && exportedFunc(fn) && ast.IsExported(rest) {
					r.at(fn, "%s is a functional option or a chained setter: use a field of the Config", fn.Name.Name)
				}
			}
			for _, ts := range f.typeSpecs() {
				if ts.Name.IsExported() && p.setter(ts.Type) {
					r.at(ts, "%s is a functional option: use a field of the Config", ts.Name.Name)
				}
			}
		}
	}
	return r.found
}

// setter reports whether expr is a func whose first parameter is a pointer to a
// type of the package, and which gives nothing back but an error.
func (p *Package) setter(expr ast.Expr) bool {
	fn, ok := expr.(*ast.FuncType)
	if !ok || fn.Params == nil || len(fn.Params.List) != 1 {
		return false
	}
	star, ok := fn.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	id, ok := star.X.(*ast.Ident)
	return ok && p.typeNamed(id.Name) != nil && (fn.Results == nil || onlyError(fn.Results))
}

func onlyError(results *ast.FieldList) bool {
	if len(results.List) != 1 {
		return false
	}
	id, ok := results.List[0].Type.(*ast.Ident)
	return ok && id.Name == "error"
}
