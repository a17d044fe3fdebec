package archtest_test

import (
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/weboffice-go/weboffice/internal/archtest"
)

// sound is a small tree that breaks no rule. Each case below changes it in one place.
func sound() map[string]string {
	return map[string]string{
		"README.md":                     "[docs](docs/protocol.md#2-data) by protocol 2.6, [elsewhere](https://example.com), `preview.Config.Key`, `http.Gone`, `[a](b)`",
		"CHANGELOG.md":                  "#### preview\n\n- `Store`, `F`, `Config.Key`, `Key`.\n\n### Else\n\n`Gone`",
		"docs/protocol.md":              "## 2. Data\n\n### 2.6 Flags\n\n1. one\n\n## 7. Failures\n\n1. one\n2. two",
		"docs/public-reference.md":      "## 0. Differences\n\n| # | what |\n|---|---|\n| 0.1 | this |",
		".gitignore":                    "/out/\n",
		"out/x.go":                      "package nothing // ignored",
		"doc.go":                        "// Package weboffice is a map.\npackage weboffice",
		"signing/doc.go":                "// Package signing signs.\npackage signing",
		"signing/digest.go":             "package signing\nimport \"crypto/md5\"\nvar _ = md5.Size",
		"signing/secret.go":             "package signing\n// Secret hides.\ntype Secret struct{ _ [0]func(); p *string }",
		"signing/example_test.go":       example("signing"),
		"markdown/doc.go":               "// Package markdown writes.\npackage markdown",
		"markdown/example_test.go":      example("markdown"),
		"convert/doc.go":                "// Package convert converts.\npackage convert\nimport (\n_ \"github.com/weboffice-go/weboffice/signing\"\n_ \"github.com/weboffice-go/weboffice/internal/httpx\"\n)",
		"convert/example_test.go":       example("convert"),
		"webhook/doc.go":                "// Package webhook posts.\npackage webhook\nimport _ \"github.com/weboffice-go/weboffice/markdown\"",
		"webhook/example_test.go":       example("webhook"),
		"preview/doc.go":                "// Package preview answers.\npackage preview",
		"preview/store.go":              "package preview\n// Store is small.\ntype Store interface {\n// F is.\nF()\n}\n// File is a value.\ntype File struct{ ID string }",
		"preview/config.go":             "package preview\nimport \"github.com/weboffice-go/weboffice/signing\"\n// Config holds.\ntype Config struct {\nKey signing.Secret // Required.\n}",
		"preview/example_test.go":       example("preview"),
		"token/doc.go":                  "// Package token hands out.\npackage token",
		"token/example_test.go":         example("token"),
		"internal/httpx/httpx.go":       "// Package httpx sends.\npackage httpx\nimport (\n_ \"github.com/go-resty/resty/v2\"\n_ \"github.com/weboffice-go/weboffice/signing\"\n)",
		"examples/hello/main.go":        "// Command hello greets: go run ./examples/hello.\npackage main\nfunc main() {}",
		"examples/hello/main_test.go":   "package main",
		"preview/testdata/ignored.go":   "package broken syntax",
		"preview/_ignored/ignored.go":   "package broken syntax",
		"convert/.hidden/ignored.go":    "package broken syntax",
		"convert/converttest/doc.go":    "// Package converttest plays.\npackage converttest\nimport (\n_ \"testing\"\n_ \"github.com/weboffice-go/weboffice/convert\"\n_ \"github.com/weboffice-go/weboffice/signing/signingtest\"\n)",
		"convert/converttest/x_test.go": example("converttest"),
		"signing/signingtest/doc.go":    "// Package signingtest makes.\npackage signingtest\nimport \"time\"\nvar _ = time.Now().Year()",
		"signing/signingtest/x_test.go": example("signingtest"),
	}
}

func example(pkg string) string {
	return "package " + pkg + "_test\nimport \"fmt\"\nfunc Example() {\nfmt.Println(1)\n// Output: 1\n}"
}

// bites has, for each rule, changes to the sound tree and what must be said of them.
var bites = map[string][]struct {
	name  string
	files map[string]string // an empty text takes the file away
	want  string
}{
	"Folders": {
		{"one too many", map[string]string{"misc/x.go": "// Package misc is.\npackage misc"}, "misc: is no area"},
		{"one missing", map[string]string{"token/doc.go": "", "token/example_test.go": ""}, "token: is missing"},
	},
	"Imports": {
		{"against the arrow", map[string]string{"signing/x.go": imports("signing", "convert")}, "imports github.com/weboffice-go/weboffice/convert"},
		{"between areas", map[string]string{"token/x.go": imports("token", "preview")}, "not in the import graph"},
		{"internal knows an area", map[string]string{"internal/httpx/x.go": imports("httpx", "convert")}, "not in the import graph"},
		{"a fake in production", map[string]string{"convert/x.go": imports("convert", "convert/converttest")}, "imports no fake"},
		{"a tool of tests in production", map[string]string{"convert/x.go": imports("convert", "internal/canary")}, "imports no fake"},
		{"a fake of another area", map[string]string{"convert/converttest/x.go": imports("converttest", "token/tokentest")}, "not in the import graph"},
		{"resty outside", map[string]string{"convert/x.go": "package convert\nimport _ \"github.com/go-resty/resty/v2\""}, "not in the list of dependencies of this package"},
		{"a new module", map[string]string{"convert/x.go": "package convert\nimport _ \"golang.org/x/sync/errgroup\""}, "not in the list of dependencies of this package"},
		{"a new module in tests", map[string]string{"convert/x_test.go": "package convert_test\nimport _ \"github.com/stretchr/testify/assert\""}, "not in the list of dependencies of tests"},
		{"an example", map[string]string{"convert/x_test.go": imports("convert_test", "examples/hello")}, "does not need its examples"},
	},
	"StandardOnly": {
		{"through an internal package", map[string]string{"preview/x.go": imports("preview", "internal/httpx")}, "preview: reaches another module: preview -> internal/httpx -> github.com/go-resty/resty/v2"},
	},
	"Digests": {
		{"md5", map[string]string{"token/x.go": "package token\nimport _ \"crypto/md5\""}, "token/x.go:2: imports crypto/md5"},
		{"sha1", map[string]string{"internal/httpx/x.go": "package httpx\nimport _ \"crypto/sha1\""}, "imports crypto/sha1"},
	},
	"Interfaces": {
		{"four methods", map[string]string{"token/x.go": "package token\n// I is.\ntype I interface { A(); B(); C(); D() }"}, "I has 4 methods"},
		{"by embedding", map[string]string{"token/x.go": "package token\nimport \"io\"\n// I is.\ntype I interface { J; io.Reader; C() }\n// J is.\ntype J interface { A(); B() }"}, "I has 4 methods"},
	},
	"Signatures": {
		{"a result", map[string]string{"convert/x.go": resty("// F is.\nfunc F() *resty.Client { return nil }")}, "resty.Client of another module"},
		{"a method", map[string]string{"convert/x.go": resty("// T is.\ntype T int\n// F is.\nfunc (T) F(c *resty.Client) {}")}, "resty.Client"},
		{"a field", map[string]string{"convert/x.go": resty("// T is.\ntype T struct { C *resty.Client }")}, "resty.Client"},
		{"embedded", map[string]string{"convert/x.go": resty("// T is.\ntype T struct { *resty.Client }")}, "resty.Client"},
		{"a variable", map[string]string{"convert/x.go": resty("// V is.\nvar V = resty.New()")}, "resty.New"},
	},
	"Options": {
		{"a function", map[string]string{"token/x.go": "package token\n// WithX is.\nfunc WithX() {}"}, "WithX is a functional option"},
		{"a setter", map[string]string{"token/x.go": "package token\n// T is.\ntype T int\n// WithX is.\nfunc (t T) WithX() T { return t }"}, "WithX"},
		{"a type", map[string]string{"preview/x.go": "package preview\n// Option is.\ntype Option func(*Config)"}, "Option is a functional option"},
		{"a type with an error", map[string]string{"preview/x.go": "package preview\n// Option is.\ntype Option func(*Config) error"}, "Option is a functional option"},
	},
	"Assertions": {
		{"an assertion", map[string]string{"preview/x.go": "package preview\nfunc f(v any) { _, _ = v.(Store) }"}, "asserts that a value is a Store"},
		{"a switch", map[string]string{"preview/x.go": "package preview\nfunc f(v any) { switch v.(type) { case Store: } }"}, "asserts that a value is a Store"},
		{"below preview", map[string]string{"preview/dirstore/x.go": "package dirstore\nfunc f(v any) { _ = v.(preview.Store) }"}, "asserts that a value is a Store"},
	},
	"Comparable": {
		{"settings", map[string]string{"token/x.go": "package token\n// Config is.\ntype Config struct{}"}, "Config can be compared"},
		{"a value", map[string]string{"preview/store.go": "package preview\n// File is.\ntype File struct{ S signing.Secret }", "preview/x.go": imports("preview", "signing")}, "File cannot be compared"},
	},
	"Documented": {
		{"a function", map[string]string{"token/x.go": "package token\nfunc F() {}"}, "F has no comment"},
		{"a method", map[string]string{"token/x.go": "package token\n// T is.\ntype T int\nfunc (T) F() {}"}, "F has no comment"},
		{"a type", map[string]string{"token/x.go": "package token\ntype T int"}, "T has no comment"},
		{"one type of a group", map[string]string{"token/x.go": "package token\n// Types.\ntype (\nT int\n)\n// Types.\ntype (\nU int\nV int\n)"}, "U has no comment"},
		{"a constant", map[string]string{"token/x.go": "package token\nconst C = 1"}, "C has no comment"},
		{"a variable", map[string]string{"token/x.go": "package token\nvar V = 1"}, "V has no comment"},
		{"a field of settings", map[string]string{"token/x.go": "package token\n// Options are.\ntype Options struct {\n_ [0]func()\nA int // A is.\nB int\n}"}, "Options.B has no comment"},
		{"a method of an interface", map[string]string{"token/x.go": "package token\n// I is.\ntype I interface {\nA()\n// B is.\nB()\n}"}, "I.A has no comment"},
	},
	"PackageDocs": {
		{"none", map[string]string{"token/doc.go": "package token"}, "token: has 0 files"},
		{"two", map[string]string{"token/x.go": "// Package token is.\npackage token"}, "token: has 2 files"},
		{"elsewhere", map[string]string{"token/doc.go": "", "token/x.go": "// Package token is.\npackage token"}, "belongs into doc.go"},
	},
	"Examples": {
		{"none", map[string]string{"token/example_test.go": ""}, "token: has no Example"},
		{"not run", map[string]string{"token/example_test.go": "package token_test\nfunc Example() {}"}, "token: has no Example"},
	},
	"Programs": {
		{"no test", map[string]string{"examples/hello/main_test.go": ""}, "examples/hello: has no test"},
		{"long", map[string]string{"examples/hello/main.go": sound()["examples/hello/main.go"] + strings.Repeat("\n", 130)}, "at most 120"},
		{"silent", map[string]string{"examples/hello/main.go": "// Command hello greets.\npackage main\nfunc main() {}"}, "does not say go run ./examples/hello"},
	},
	"Sizes": {
		{"a file", map[string]string{"token/x.go": "package token" + strings.Repeat("\n", 300)}, "has 301 lines; at most 300"},
		{"a test", map[string]string{"token/x_test.go": "package token" + strings.Repeat("\n", 400)}, "has 401 lines; at most 400"},
		{"a function", map[string]string{"token/x.go": "package token\nfunc f() {" + strings.Repeat("\n", 60) + "}"}, "f has 61 lines; at most 60"},
	},
	"Names": {
		{"a file", map[string]string{"token/helpers.go": "package token"}, "token/helpers.go: is a name that says nothing"},
		{"a folder", map[string]string{"internal/util/x.go": "// Package util is.\npackage util"}, "internal/util: is a name that says nothing"},
	},
	"State": {
		{"init", map[string]string{"token/x.go": "package token\nfunc init() {}"}, "init runs"},
		{"no value", map[string]string{"token/x.go": "package token\nvar n int"}, "n has no value yet"},
		{"a lock", map[string]string{"token/x.go": "package token\nimport \"sync\"\nvar pool = sync.Pool{}"}, "pool holds shared state"},
		{"a map to fill", map[string]string{"token/x.go": "package token\nvar m = make(map[string]int)"}, "m is made empty"},
		{"an assignment", map[string]string{"token/x.go": "package token\nvar n = 1", "token/y.go": "package token\nfunc f() { n = 2 }"}, "changes the package-level n"},
		{"an element", map[string]string{"token/x.go": "package token\nvar m = map[int]int{}\nfunc f() { m[1]++ }"}, "changes the package-level m"},
		{"a delete", map[string]string{"token/x.go": "package token\nvar m = map[int]int{1: 1}\nfunc f() { delete(m, 1) }"}, "changes the package-level m"},
		{"an address", map[string]string{"token/x.go": "package token\nvar n = 1\nfunc f() *int { return &n }"}, "changes the package-level n"},
	},
	"Clock": {
		{"now", map[string]string{"token/x.go": "package token\nimport \"time\"\nfunc f() any { return time.Now() }"}, "calls time.Now"},
		{"since", map[string]string{"token/x.go": "package token\nimport \"time\"\nfunc f(t time.Time) any { return time.Since(t) }"}, "calls time.Since"},
	},
	"Secrets": {
		{"fmt", map[string]string{"token/x.go": "package token\nimport \"fmt\"\nfunc f(s S) string { return fmt.Sprint(s.Reveal()) }"}, "reveals a secret"},
		{"a logger", map[string]string{"token/x.go": "package token\nfunc f(s S, log L) { log.Warn(\"x\", \"key\", s.Reveal()) }"}, "reveals a secret"},
	},
	"Citations": {
		{"no section", map[string]string{"token/x.go": "package token\n// Rests on protocol\n// 2.9."}, "token/x.go:2: cites protocol 2.9, which is not there"},
		{"the second of two", map[string]string{"token/x.go": "package token\n// See public reference 0.1, 3.3."}, "cites public reference 3.3"},
		{"no rule", map[string]string{"token/x.go": "package token\n// By protocol 2.6, rule 2."}, "cites rule 2 of protocol 2.6"},
		{"in a message", map[string]string{"token/x.go": "package token\nconst x = \"protocol 8\""}, "cites protocol 8"},
		{"in a page", map[string]string{"README.md": "as protocol 3 says"}, "README.md: cites protocol 3"},
	},
	"Links": {
		{"from below", map[string]string{"docs/x.md": "see [that](../token/gone.md#part)"}, "docs/x.md: links to token/gone.md"},
	},
	"Symbols": {
		{"a name", map[string]string{"README.md": "call `signing.Gone(x)`"}, "README.md: mentions signing.Gone"},
		{"a field", map[string]string{"README.md": "set `preview.Config.Gone`"}, "README.md: mentions preview.Config.Gone"},
		{"below a heading", map[string]string{"CHANGELOG.md": "#### preview\n\n- `Store` and `Gone`."}, "CHANGELOG.md: mentions Gone"},
		{"a field below a heading", map[string]string{"CHANGELOG.md": "#### preview\n\n- `Config.Gone`."}, "CHANGELOG.md: mentions Config.Gone"},
	},
	"Panics": {
		{"a panic", map[string]string{"token/x.go": "package token\nfunc f() { panic(1) }"}, "panics: give an error"},
	},
}

// imports is a file that imports a package of the module.
func imports(pkg, path string) string {
	return "package " + pkg + "\nimport _ \"" + archtest.Module + "/" + path + "\""
}

// resty is a file of convert that imports resty.
func resty(code string) string {
	return "package convert\nimport \"github.com/go-resty/resty/v2\"\n" + code
}

// harmless is code that looks like a breach of a rule, and is none.
var harmless = map[string]string{
	"what is cited is there":     "// By protocol 2.6, rule 1, protocol 7.2 and public reference 0.1.",
	"a sealed interface grows":   "// I is.\ntype I interface {\n// A is.\nA()\n// B is.\nB()\n// C is.\nC()\n// D is.\nD()\ni()\n}",
	"three methods":              "// I is.\ntype I interface {\n// A is.\nA()\n// B is.\nB()\n// C is.\nC()\n}",
	"an error and its table":     "import \"errors\"\n// ErrX is.\nvar ErrX = errors.New(\"x\")\nvar names = map[int]string{1: \"a\"}",
	"a local of the same name":   "var n = 1\nfunc f() int { n := n; n++; return n }",
	"an interface is met":        "var _ error = T{}\n// T is.\ntype T struct{}\n// Error is.\nfunc (T) Error() string { return \"\" }",
	"the default of a clock":     "import \"time\"\nfunc f(now func() time.Time) func() time.Time { if now == nil { now = time.Now }; return now }",
	"a word that starts as With": "// Withdraw takes back.\nfunc Withdraw() {}",
	"what slog asks for":         "// T is.\ntype T int\n// WithGroup is.\nfunc (T) WithGroup() {}",
	"a func that is called":      "// HookFunc is.\ntype HookFunc func(id string) error",
	"what else was asserted":     "func f(v any) { _, _ = v.(error) }",
	"a constant of a group":      "// The numbers.\nconst (\nA = 1\nB = 2\n)",
	"a filled variable":          "import \"embed\"\n//go:embed testdata\nvar files embed.FS",
	"an element is looked at":    "var table = []int{1}\nfunc f(i int) *int { return &table[i] }",
	"revealed to be taken out":   "import \"log/slog\"\nfunc f(s S, err error) { slog.Warn(\"x\", \"err\", redact.Error(err, s.Reveal())) }",
	"revealed into a comparison": "func f(s S) bool { return s.Reveal() == \"x\" }",
}

func TestRulesBite(t *testing.T) {
	t.Parallel()
	for _, rule := range archtest.Rules() {
		if len(bites[rule.Name]) == 0 {
			t.Errorf("no case proves that %s bites", rule.Name)
		}
		for _, bite := range bites[rule.Name] {
			t.Run(rule.Name+"/"+bite.name, func(t *testing.T) {
				t.Parallel()
				got := texts(rule.Check(load(t, bite.files)))
				if !strings.Contains(got, bite.want) {
					t.Errorf("%s found %q, want %q", rule.Name, got, bite.want)
				}
			})
		}
	}
	if got, want := len(bites), len(archtest.Rules()); got != want {
		t.Errorf("there are cases for %d rules, of %d", got, want)
	}
}

func TestRulesLetGoodCodePass(t *testing.T) {
	t.Parallel()
	harmless := maps.Clone(harmless)
	harmless["nothing new"] = ""
	for name, code := range harmless {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree := load(t, map[string]string{"preview/x.go": "package preview\n" + code})
			for _, rule := range archtest.Rules() {
				if got := texts(rule.Check(tree)); got != "" {
					t.Errorf("%s found %q, want nothing", rule.Name, got)
				}
			}
		})
	}
}

func TestLoadRefusesBrokenSource(t *testing.T) {
	t.Parallel()
	if _, err := archtest.Load(fstest.MapFS{"x.go": {Data: []byte("package")}}); err == nil {
		t.Error("Load of broken source gave no error")
	}
}

// load parses the sound tree with changes.
func load(t *testing.T, changes map[string]string) *archtest.Tree {
	t.Helper()
	files := sound()
	maps.Copy(files, changes)
	fsys := fstest.MapFS{}
	for name, text := range files {
		if text != "" {
			fsys[name] = &fstest.MapFile{Data: []byte(text + "\n")}
		}
	}
	tree, err := archtest.Load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func texts(findings []archtest.Finding) string {
	var lines []string
	for _, f := range findings {
		lines = append(lines, f.String())
	}
	return strings.Join(lines, "\n")
}
