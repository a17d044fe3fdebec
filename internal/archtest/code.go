package archtest

import (
	"go/ast"
	"path"
	"slices"
	"strings"
)

const (
	maxFile     = 300 // lines of a file
	maxTestFile = 400 // lines of a test, which may hold a long table
	maxFunc     = 60  // lines of a function that is no test
)

// sizes bounds files and functions.
func sizes(t *Tree) []Finding {
	r := &report{tree: t}
	for _, p := range t.Packages {
		for _, f := range p.Files {
			limit := maxFile
			if f.Test {
				limit = maxTestFile
			}
			if f.Lines > limit {
				r.path(f.Path, "has %d lines; at most %d", f.Lines, limit)
			}
			for _, fn := range f.funcs() {
				if n := t.lines(fn); !f.Test && n > maxFunc {
					r.at(fn, "%s has %d lines; at most %d", fn.Name.Name, n, maxFunc)
				}
			}
		}
	}
	return r.found
}

// vague are names that say nothing of what is in them.
var vague = []string{"util", "utils", "common", "helper", "helpers", "misc", "types", "base", "shared", "lib"}

// names looks for folders and files whose names fit everything.
func names(t *Tree) []Finding {
	r := &report{tree: t}
	for _, p := range t.Packages {
		if slices.Contains(vague, path.Base(p.Dir)) {
			r.path(p.Dir, "is a name that says nothing")
		}
		for _, f := range p.Files {
			name := strings.TrimSuffix(strings.TrimSuffix(path.Base(f.Path), ".go"), "_test")
			if slices.Contains(vague, name) {
				r.path(f.Path, "is a name that says nothing")
			}
		}
	}
	return r.found
}

// clocks names the packages that read the clock themselves, and why.
var clocks = map[string]string{
	"signing/signingtest": "NewRequest signs now, as its comment says",
}

// clock refuses a call of time.Now: the time is an argument, or comes from Config.Now.
func clock(t *Tree) []Finding {
	r := &report{tree: t}
	for _, p := range t.Packages {
		if p.example() || clocks[p.Dir] != "" {
			continue
		}
		for _, f := range p.sources() {
			ast.Inspect(f.Syntax, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				for _, name := range []string{"Now", "Since"} {
					if calls(call, "time", name) {
						r.at(call, "calls time.%s: take the time from Config.Now", name)
					}
				}
				return true
			})
		}
	}
	return r.found
}

// calls reports whether call is pkg.name(…), whatever is in the parentheses.
func calls(call *ast.CallExpr, pkg, name string) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	return ok && id.Name == pkg
}

// printers are what turns its arguments into a message, by package.
var printers = []string{"fmt", "errors", "log", "slog"}

// loggers are the methods of a *slog.Logger that write.
var loggers = []string{
	"Debug", "Info", "Warn", "Error", "Log", "LogAttrs", "DebugContext", "InfoContext", "WarnContext", "ErrorContext", "With",
}

// secrets refuses Reveal among the arguments of what writes a message.
func secrets(t *Tree) []Finding {
	r := &report{tree: t}
	for _, p := range t.Packages {
		for _, f := range p.sources() {
			ast.Inspect(f.Syntax, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || !writesMessage(call) {
					return true
				}
				for _, arg := range call.Args {
					ast.Inspect(arg, func(n ast.Node) bool {
						if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "Reveal" {
							r.at(sel, "reveals a secret into a message")
						}
						return !redacts(n)
					})
				}
				return true
			})
		}
	}
	return r.found
}

func writesMessage(call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || redacts(call) {
		return false
	}
	if id, ok := sel.X.(*ast.Ident); ok && slices.Contains(printers, id.Name) {
		return true
	}
	return slices.Contains(loggers, sel.Sel.Name)
}

// redacts reports whether n hands a secret to what takes it out of a text.
func redacts(n ast.Node) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	return ok && id.Name == "redact" || sel.Sel.Name == "Scrub"
}

// panicking names the packages that may panic, and why.
var panicking = map[string]string{
	"internal/callback": "hands http.ErrAbortHandler on, as net/http asks",
}

// panics refuses panic in what ships.
func panics(t *Tree) []Finding {
	r := &report{tree: t}
	for _, p := range t.Packages {
		if p.example() || p.fake() || panicking[p.Dir] != "" {
			continue
		}
		for _, f := range p.sources() {
			ast.Inspect(f.Syntax, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "panic" {
						r.at(call, "panics: give an error")
					}
				}
				return true
			})
		}
	}
	return r.found
}
