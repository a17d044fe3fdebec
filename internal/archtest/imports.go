package archtest

import (
	"go/ast"
	"path"
	"slices"
	"strconv"
	"strings"
)

// areas are the folders at the top of the tree.
var areas = []string{"convert", "docs", "preview", "webhook", "token", "signing", "markdown", "examples", "internal"}

// folders wants exactly the areas.
func folders(t *Tree) []Finding {
	r := &report{tree: t}
	for _, name := range t.Folders {
		if !slices.Contains(areas, name) {
			r.path(name, "is no area of the module")
		}
	}
	for _, name := range areas {
		if !slices.Contains(t.Folders, name) {
			r.path(name, "is missing")
		}
	}
	return r.found
}

// allowed names what the sources of an area may import beside the standard library
// and what lies below the area itself. "internal/" stands for all that is in it.
var allowed = map[string][]string{
	"":         {},
	"convert":  {"", "signing", "internal/"},
	"webhook":  {"", "signing", "markdown", "internal/"},
	"preview":  {"", "signing", "internal/"},
	"token":    {"", "signing", "internal/"},
	"signing":  {},
	"markdown": {},
	"internal": {"", "signing"},
}

// dependencies are the other modules, with the one folder that may import each.
var dependencies = map[string]string{
	"github.com/go-resty/resty/v2": "internal/httpx",
	"github.com/yuin/goldmark":     "markdown/commonmark",
}

// testDependencies may be imported by every test.
var testDependencies = []string{
	"github.com/google/go-cmp",
	"github.com/jarcoal/httpmock",
	"github.com/yuin/goldmark",
}

// imports checks the graph: what ships imports only what the tables allow, and no fake.
func imports(t *Tree) []Finding {
	r := &report{tree: t}
	for _, p := range t.Packages {
		if p.example() {
			continue
		}
		for _, f := range p.Files {
			for _, spec := range f.Syntax.Imports {
				if problem := p.refuses(importPath(spec), f.Test); problem != "" {
					r.at(spec, "imports %s: %s", importPath(spec), problem)
				}
			}
		}
	}
	return r.found
}

// refuses says why a file of p may not import name, or "".
func (p *Package) refuses(name string, test bool) string {
	local, ours := strings.CutPrefix(name+"/", Module+"/")
	local = strings.TrimSuffix(local, "/")
	switch {
	case standard(name):
		return ""
	case !ours:
		return p.refusesModule(name, test)
	case strings.HasPrefix(local, "examples"):
		return "the module does not need its examples"
	case test:
		return ""
	}
	to := Package{Dir: local}
	area, _, _ := strings.Cut(p.Dir, "/")
	switch {
	case to.fake() && !p.fake():
		return "production code imports no fake"
	case within(local, area):
		return ""
	case p.fake() && local == "signing/signingtest":
		return ""
	case p.fake() && (local == "signing" || to.internal()):
		return ""
	}
	for _, prefix := range allowed[area] {
		if local == prefix || strings.HasSuffix(prefix, "/") && strings.HasPrefix(local, prefix) {
			return ""
		}
	}
	return "not in the import graph"
}

func (p *Package) refusesModule(name string, test bool) string {
	for module, home := range dependencies {
		if within(name, module) && (p.Dir == home) {
			return ""
		}
	}
	if !test {
		return "not in the list of dependencies of this package"
	}
	for _, module := range testDependencies {
		if within(name, module) {
			return ""
		}
	}
	return "not in the list of dependencies of tests"
}

// standardOnly follows the imports of the packages that promise to need no other module.
func standardOnly(t *Tree) []Finding {
	r := &report{tree: t}
	for _, p := range t.Packages {
		area, _, _ := strings.Cut(p.Dir, "/")
		if !slices.Contains([]string{"signing", "markdown", "preview", "token"}, area) || p.Dir == "markdown/commonmark" {
			continue
		}
		if chain := t.foreign(p, map[string]bool{}); chain != nil {
			r.path(p.Dir, "reaches another module: %s", strings.Join(chain, " -> "))
		}
	}
	return r.found
}

// foreign gives the shortest found way from p to another module, or nil.
func (t *Tree) foreign(p *Package, seen map[string]bool) []string {
	if p == nil || seen[p.Dir] {
		return nil
	}
	seen[p.Dir] = true
	for _, f := range p.sources() {
		for _, spec := range f.Syntax.Imports {
			name := importPath(spec)
			local, ours := strings.CutPrefix(name+"/", Module+"/")
			local = strings.TrimSuffix(local, "/")
			switch {
			case standard(name):
			case !ours:
				return []string{p.Dir, name}
			default:
				if chain := t.foreign(t.find(local), seen); chain != nil {
					return append([]string{p.Dir}, chain...)
				}
			}
		}
	}
	return nil
}

// weakDigests names the packages that may use MD5 and SHA-1, and for what.
var weakDigests = map[string]string{
	"signing":             "the signature of the protocol",
	"preview":             "the digests that go with a download",
	"preview/dirstore":    "the digests that go with a download",
	"preview/previewtest": "the digests that come with a download",
}

// digests keeps MD5 and SHA-1 where the protocol asks for them.
func digests(t *Tree) []Finding {
	r := &report{tree: t}
	for _, p := range t.Packages {
		if p.example() || weakDigests[p.Dir] != "" {
			continue
		}
		for _, f := range p.sources() {
			for _, spec := range f.Syntax.Imports {
				if name := importPath(spec); name == "crypto/md5" || name == "crypto/sha1" {
					r.at(spec, "imports %s: only signing and the digests of preview need it", name)
				}
			}
		}
	}
	return r.found
}

func importPath(spec *ast.ImportSpec) string {
	name, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value
	}
	return name
}

// standard reports whether name belongs to the standard library, whose paths have
// no dot in their first element.
func standard(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return !strings.Contains(first, ".")
}

// within reports whether name is folder or below it.
func within(name, folder string) bool {
	return name == folder || strings.HasPrefix(name, folder+"/")
}

// importName gives the name by which a file knows an import.
func importName(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	name := importPath(spec)
	base := path.Base(name)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" {
		base = path.Base(path.Dir(name))
	}
	return base
}
