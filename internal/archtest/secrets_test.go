package archtest_test

import (
	"go/ast"
	"slices"
)

// writers are the packages and the methods of a logger that turn their arguments into
// a message.
var (
	printers = []string{"fmt", "errors", "log", "slog"}
	loggers  = []string{"Debug", "Info", "Warn", "Error", "Log", "LogAttrs", "DebugContext", "InfoContext", "WarnContext", "ErrorContext", "With"}
)

// secrets refuses Reveal among the arguments of what writes a message, unless it is
// handed to what takes a secret out of a text.
func secrets(t *tree) (found []string) {
	t.sources(func(_ string, f *file) {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !writesMessage(call) {
				return true
			}
			for _, arg := range call.Args {
				ast.Inspect(arg, func(n ast.Node) bool {
					if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "Reveal" {
						found = append(found, t.at(sel, "reveals a secret into a message"))
					}
					return !redacts(n)
				})
			}
			return true
		})
	})
	return found
}

func writesMessage(call *ast.CallExpr) bool {
	pkg, name := callee(call)
	return !redacts(call) && (slices.Contains(printers, pkg) || slices.Contains(loggers, name))
}

func redacts(n ast.Node) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return false
	}
	pkg, name := callee(call)
	return pkg == "redact" || name == "Scrub"
}

// callee splits pkg.name(…) or x.name(…).
func callee(call *ast.CallExpr) (pkg, name string) {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	if id, ok := sel.X.(*ast.Ident); ok {
		pkg = id.Name
	}
	return pkg, sel.Sel.Name
}
