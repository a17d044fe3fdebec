package archtest_test

import (
	"slices"
	"strconv"
	"strings"
)

// allowed is the import graph of the root module: what the sources of each folder
// import of it, besides what is below the folder itself. The longest matching entry
// counts.
var allowed = map[string][]string{
	"":                   {},
	"signing":            {},
	"markdown":           {"internal/markup"},
	"convert":            {"", "signing", "internal/httpx", "internal/netaddr", "internal/observe", "internal/redact"},
	"preview":            {"", "signing", "internal/callback", "internal/netaddr", "internal/observe", "internal/redact"},
	"token":              {"", "signing", "internal/callback", "internal/netaddr", "internal/observe", "internal/redact"},
	"webhook":            {"", "signing", "markdown", "internal/callback", "internal/httpx", "internal/markup", "internal/netaddr", "internal/observe", "internal/redact"},
	"internal/httpx":     {"signing", "internal/redact"},
	"internal/callback":  {"signing", "internal/redact"},
	"internal/observe":   {""},
	"internal/markup":    {},
	"internal/memhttp":   {},
	"internal/netaddr":   {},
	"internal/redact":    {"signing"},
	"preview/dirstore":   {"preview", "signing", "internal/netaddr"},
	"webhook/webhooklog": {"webhook", "markdown"},
}

// fakes may import these in addition.
var fakes = []string{"signing", "signing/signingtest", "internal/callback", "internal/memhttp"}

// homes are the other modules, each with the one folder that may import it.
var homes = map[string]string{
	"github.com/go-resty/resty/v2": "internal/httpx",
	"github.com/yuin/goldmark":     "markdown/commonmark",
}

// judges are the modules that every test may import.
var judges = []string{"github.com/google/go-cmp", "github.com/jarcoal/httpmock", "github.com/yuin/goldmark"}

// imports checks who imports whom. Only the root module has a closed list of
// dependencies. A nested module that users import needs nothing but what is exported.
func imports(t *tree) (found []string) {
	for dir, files := range t.packages {
		for _, f := range files {
			for _, spec := range f.ast.Imports {
				name, _ := strconv.Unquote(spec.Path.Value)
				if problem := t.refuses(dir, name, f.test); problem != "" {
					found = append(found, t.at(spec, "imports %s: %s", name, problem))
				}
			}
		}
	}
	return found
}

// refuses says why a file in dir may not import name, or "".
func (t *tree) refuses(dir, name string, test bool) string {
	first, _, _ := strings.Cut(name, "/")
	local, nested := strings.TrimPrefix(strings.TrimPrefix(name, module), "/"), t.nested(dir)
	switch {
	case !strings.Contains(first, "."): // the standard library
		return ""
	case nested == "examples" || strings.HasPrefix(nested, "examples/") || nested == "campaigns":
		return ""
	case !within(name, module):
		if nested != "" {
			return ""
		}
		return refusesModule(dir, name, test)
	case nested != "" && !within(local, nested) && strings.HasPrefix(local, "internal/"):
		return "a nested module uses what the root exports"
	case nested != "" || within(local, "examples"):
		if nested == "" {
			return "the module does not need its examples"
		}
		return ""
	case test, fake(dir) && slices.Contains(fakes, local):
		return ""
	case fake(local) && !fake(dir):
		return "what ships imports no fake"
	}
	return refusesPackage(dir, local)
}

func refusesModule(dir, name string, test bool) string {
	for other, home := range homes {
		if within(name, other) && dir == home {
			return ""
		}
	}
	if test && slices.ContainsFunc(judges, func(judge string) bool { return within(name, judge) }) {
		return ""
	}
	return "not a dependency of this package"
}

func refusesPackage(dir, local string) string {
	area := ""
	for entry := range allowed {
		if within(dir, entry) && len(entry) > len(area) {
			area = entry
		}
	}
	top, _, _ := strings.Cut(dir, "/")
	if top != "internal" && within(local, top) || within(local, area) && area != "" || slices.Contains(allowed[area], local) {
		return ""
	}
	return "not in the import graph"
}
