package archtest

import (
	"go/ast"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

var (
	// A fenced block, and a piece of code in a line.
	block = regexp.MustCompile("(?s)```.*?```")
	span  = regexp.MustCompile("`([^`\n]+)`")
	// "[text](file.md#anchor)".
	link = regexp.MustCompile(`\]\(([^)#: ]+)(?:#[^)]*)?\)`)
	// "convert.Client.Do", with its package.
	qualified = regexp.MustCompile(`\b([a-z]+)\.([A-Z]\w*)(?:\.([A-Z]\w*))?`)
	// "Client", "Config.Users", below a heading with the package.
	heading = regexp.MustCompile(`^#{3,4} ([a-z]+(?:/[a-z]+)*)\s*$`)
	plain   = regexp.MustCompile(`^([A-Z]\w*)(?:\.([A-Z]\w*))?$`)
)

// links wants the target of every link within the tree to exist.
func links(t *Tree) []Finding {
	r := &report{tree: t}
	for name, text := range t.Texts {
		text = span.ReplaceAllString(block.ReplaceAllString(text, ""), "")
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target := path.Join(path.Dir(name), m[1])
			if _, err := fs.Stat(t.fsys, target); err != nil {
				r.path(name, "links to %s, which is not there", target)
			}
		}
	}
	return r.found
}

// symbols wants the names of Go that a page mentions to exist.
func symbols(t *Tree) []Finding {
	r := &report{tree: t}
	byName, byDir := map[string]index{}, map[string]index{}
	for _, p := range t.Packages {
		if p.public() {
			byDir[p.Dir] = p.index()
			byName[path.Base(p.Dir)] = byDir[p.Dir]
		}
	}
	for name, text := range t.Texts {
		var here index
		for line := range strings.Lines(block.ReplaceAllString(text, "")) {
			if strings.HasPrefix(line, "#") {
				here = nil
				if m := heading.FindStringSubmatch(line); m != nil {
					here = byDir[m[1]]
				}
			}
			for _, m := range span.FindAllStringSubmatch(line, -1) {
				for _, q := range qualified.FindAllStringSubmatch(m[1], -1) {
					if names, ours := byName[q[1]]; ours && !names.has(q[2], q[3]) {
						r.path(name, "mentions %s, which is not there", q[0])
					}
				}
				if q := plain.FindStringSubmatch(m[1]); q != nil && here != nil && !here.has(q[1], q[2]) {
					r.path(name, "mentions %s, which is not there", m[1])
				}
			}
		}
	}
	return r.found
}

// index holds the exported names of a package: "Client", "Client.Do", and "Do" for
// whoever lists the methods of a type behind its name.
type index map[string]bool

func (x index) has(name, member string) bool {
	if member == "" {
		return x[name]
	}
	return x[name+"."+member]
}

func (x index) add(name string, members ...*ast.Ident) {
	x[name] = true
	for _, member := range members {
		x[member.Name] = true
		x[name+"."+member.Name] = true
	}
}

func (p *Package) index() index {
	x := index{}
	for _, f := range p.sources() {
		for _, fn := range f.funcs() {
			if fn.Recv == nil {
				x.add(fn.Name.Name)
				continue
			}
			x.add(receiver(fn), fn.Name)
		}
		for _, ts := range f.typeSpecs() {
			x.add(ts.Name.Name, members(ts)...)
		}
		for _, tok := range []token.Token{token.CONST, token.VAR} {
			for _, vs := range f.values(tok) {
				for _, name := range vs.Names {
					x.add(name.Name)
				}
			}
		}
	}
	return x
}

// members gives the fields of a struct or the methods of an interface.
func members(ts *ast.TypeSpec) []*ast.Ident {
	var list *ast.FieldList
	switch e := ts.Type.(type) {
	case *ast.StructType:
		list = e.Fields
	case *ast.InterfaceType:
		list = e.Methods
	default:
		return nil
	}
	var out []*ast.Ident
	for _, field := range list.List {
		out = append(out, field.Names...)
	}
	return out
}
