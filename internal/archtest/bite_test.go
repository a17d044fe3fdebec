package archtest_test

import (
	"maps"
	"strings"
	"testing"
	"testing/fstest"
)

// readme is the sound tree's README, in either language.
const readme = "# hello\n\n| x |\n[docs](docs/protocol.md#2-data) by protocol 2.6, [elsewhere](https://example.com), `[a](b)`, " +
	"`go run ./examples/hello -name all`, `convert.Config.Now`\n\n```go\nprint(1)\n```\n\n```go before\nprint(2)\n```"

// sound is a small tree that breaks no rule. Each case below changes it in one place.
func sound() map[string]string {
	return map[string]string{
		"README.md":                   readme,
		"README.zh.md":                readme,
		"docs/errors.md":              `<a id="convert-1"></a> <a id="callback-2"></a>` + " `*convert.APIError` `convert.ErrOld`",
		"docs/errors.zh.md":           "`*convert.APIError` `convert.ErrOld`",
		"convert/errors.go":           "package convert\nvar ErrOld = errors.New(\"old\")\ntype APIError struct{}\ntype Config struct {\nNow int // Now is.\n}\nfunc (e *APIError) Error() string { return \"\" }",
		"Makefile":                    "all:\n",
		samplesDir + "/x_test.go":     "package x_test\nfunc x() {\n\tprint(1)\n}",
		"docs/protocol.md":            "## 2. Data\n\n### 2.6 Flags\n\n1. one\n\n## 7. Failures\n\n1. one\n2. two",
		"docs/public-reference.md":    "## 0. Differences\n\n| # | what |\n|---|---|\n| 0.1 | this |\n## 2. Codes\n\n| 1 | x |\n\n### 3.3 Answers\n\n| 2 | y |",
		".gitignore":                  "/out/\n",
		"out/x.go":                    "package nothing // ignored",
		"convert/doc.go":              "package convert\nimport (\n_ \"" + module + "/signing\"\n_ \"" + module + "/internal/httpx\"\n)",
		"convert/example_test.go":     "package convert_test\nfunc Example() {\nprint(1)\n// Output: 1\n}",
		"internal/httpx/httpx.go":     "package httpx\nimport _ \"github.com/go-resty/resty/v2\"",
		"token/tokenx/go.mod":         "module x",
		"token/tokenx/x.go":           "package tokenx\nimport (\n_ \"example.com/x\"\n_ \"" + module + "/token\"\n)",
		"token/tokenx/x_test.go":      "package tokenx_test\nfunc Example() {\n// Unordered output:\n}",
		"examples/go.mod":             "module examples",
		"examples/hello/main.go":      "// Command hello greets: go run ./examples/hello.\npackage main\nfunc main() { flag.String(\"name\", os.Getenv(\"HELLO\"), \"\") }",
		"examples/hello/main_test.go": "package main",
		"convert/testdata/x.go":       "package broken syntax",
	}
}

// bites has, for each rule, changes to the sound tree and what must be found.
var bites = []struct {
	rule, name, text string // an empty text removes the file
	want             string
}{
	{"Imports", "signing/x.go", importing("signing", module+"/convert"), "not in the import graph"},
	{"Imports", "preview/x.go", importing("preview", module+"/internal/httpx"), "not in the import graph"},
	{"Imports", "internal/httpx/x.go", importing("httpx", module+"/convert"), "not in the import graph"},
	{"Imports", "convert/x.go", importing("convert", module+"/convert/converttest"), "what ships imports no fake"},
	{"Imports", "convert/converttest/x.go", importing("converttest", module+"/token/tokentest"), "not in the import graph"},
	{"Imports", "convert/x.go", importing("convert", "github.com/go-resty/resty/v2"), "not a dependency"},
	{"Imports", "convert/x_test.go", importing("convert_test", "github.com/stretchr/testify/assert"), "not a dependency"},
	{"Imports", "convert/x_test.go", importing("convert_test", module+"/examples/hello"), "does not need its examples"},
	{"Imports", "token/tokenx/y.go", importing("tokenx", module+"/internal/redact"), "uses what the root exports"},
	{"Secrets", "token/x.go", "package token\nfunc f(s S) string { return fmt.Sprint(s.Reveal()) }", "reveals a secret"},
	{"Secrets", "token/x.go", "package token\nfunc f(s S, log L) { log.Warn(\"x\", \"key\", s.Reveal()) }", "reveals a secret"},
	{"Citations", "token/x.go", "package token\n// Rests on protocol\n// 2.9.", "token/x.go:2: cites protocol 2.9"},
	{"Citations", "token/x.go", "package token\n// See public reference 0.1, 3.4.", "cites public reference 3.4"},
	{"Citations", "token/x.go", "package token\n// By protocol 2.6, rule 2.", "cites rule 2 of protocol 2.6"},
	{"Citations", "token/x.go", "package token\nconst x = \"protocol 8\"", "cites protocol 8"},
	{"Citations", "README.md", "as protocol 3 says", "README.md: cites protocol 3"},
	{"Links", "docs/x.md", "see [that](../token/gone.md#part)", "docs/x.md: links to token/gone.md"},
	{"Links", "docs/x.md", "see [that](protocol.md#part)", "docs/x.md: links to docs/protocol.md#part"},
	{"Examples", "convert/example_test.go", "", "convert: has no Example"},
	{"Examples", "convert/example_test.go", "package convert_test\nfunc Example() {}", "convert: has no Example"},
	{"Programs", "examples/hello/main_test.go", "", "examples/hello: has no test"},
	{"Programs", "examples/hello/main.go", "// Command hello: go run ./examples/hello.\npackage main" + strings.Repeat("\n", 130), "at most 120"},
	{"Programs", "examples/hello/main.go", "// Command hello greets.\npackage main", "does not say go run"},
	{"Links", "docs/x.md", "![picture](gone.svg)", "docs/x.md: links to docs/gone.svg"},
	{"Links", "token/x.go", "package token\n// See https://github.com/" + "weboffice-go/weboffice/blob/main/docs/protocol.md#part.", "links to docs/protocol.md#part"},
	{"Pairs", "docs/x.md", "# X", "docs/x.md: has no Chinese page"},
	{"Pairs", "docs/x.zh.md", "# X", "docs/x.zh.md: has no English page"},
	{"Pairs", "README.zh.md", "# hello\n# again", "has 2 headings, the English page 1"},
	{"Pairs", "README.zh.md", strings.Replace(readme, "# ", "## ", 1), "the heading has level 2, in English 1"},
	{"Pairs", "README.zh.md", strings.Replace(readme, "print(1)", "print(2)", 1), "the blocks differ"},
	{"Pairs", "README.zh.md", strings.Replace(readme, "| x |", "x", 1), "the tables have 0 rows, in English 1"},
	{"Pairs", "README.zh.md", strings.Replace(readme, "#2-data", "#7-failures", 1), `links to ["docs/protocol.md#3"]`},
	{"Pairs", "README.zh.md", strings.Replace(readme, "`[a](b)`", "`b`", 1), "has the code [\"b\"]"},
	{"Commands", "docs/x.md", "`go run ./examples/gone`", "docs/x.md: runs examples/gone"},
	{"Commands", "docs/x.md", "`go run ./examples/hello -loud all`", "with -loud, which it does not have"},
	{"Commands", "docs/x.md", "`go doc ./gone`", "shows the package gone"},
	{"Commands", "docs/x.md", "`make gone`", "makes gone, which is not a target"},
	{"Commands", "docs/x.md", "```sh\nexport HELLO_NAME=x\n```", "sets HELLO_NAME, which no program reads"},
	{"Commands", "token/x.go", "package token\n// Try go run ./examples/gone.", "token/x.go:2: runs examples/gone"},
	{"Names", "docs/x.md", "`TestGone`", "names the test TestGone"},
	{"Names", "docs/x.md", "`convert.Gone`", "names convert.Gone"},
	{"Names", "docs/x.md", "`convert.Config.Gone`", "names convert.Config.Gone"},
	{"Samples", samplesDir + "/x_test.go", "package x_test\nfunc x() {\n\tprint(3)\n}", "README.md: below #hello: the code that begins with print(1) is not in"},
	{"Samples", samplesDir + "/y/main.go", "package main\nfunc main() {}", samplesDir + "/y/main.go: is on no page"},
	{"Errors", "docs/errors.md", `<a id="convert-1"></a>`, "has no anchor #callback-2"},
	{"Errors", "docs/errors.md", `<a id="convert-3"></a>`, "explains #convert-3"},
	{"Errors", "convert/x.go", "package convert\nvar ErrNew = errors.New(\"new\")", "does not explain convert.ErrNew"},
	{"Errors", "convert/x.go", "package convert\nfunc (e *NewError) Error() string { return \"\" }", "does not explain convert.NewError"},
	{"Documented", "convert/x.go", "package convert\ntype Options struct {\nA int // A is.\nB int\n}", "Options.B has no comment"},
}

func importing(pkg, name string) string { return "package " + pkg + "\nimport _ \"" + name + "\"" }

func TestRulesBite(t *testing.T) {
	t.Parallel()
	bitten := map[string]bool{}
	for _, bite := range bites {
		bitten[bite.rule] = true
		got := strings.Join(rules[bite.rule](small(t, map[string]string{bite.name: bite.text})), "\n")
		if !strings.Contains(got, bite.want) {
			t.Errorf("%s of %s found %q, want %q", bite.rule, bite.name, got, bite.want)
		}
	}
	for name := range rules {
		if !bitten[name] {
			t.Errorf("no case proves that %s bites", name)
		}
	}
}

func TestRulesLetGoodCodePass(t *testing.T) {
	t.Parallel()
	tree := small(t, map[string]string{"convert/x.go": "package convert\n// By protocol 2.6, rule 1, protocol 7.2 and public reference 0.1.\n" +
		"func f(s S, err error) bool { slog.Warn(\"x\", \"err\", redact.Error(err, s.Reveal())); return s.Reveal() == \"x\" }"})
	for name, rule := range rules {
		if found := rule(tree); found != nil {
			t.Errorf("%s found %q, want nothing", name, found)
		}
	}
}

// small parses the sound tree with changes.
func small(t *testing.T, changes map[string]string) *tree {
	t.Helper()
	files := sound()
	maps.Copy(files, changes)
	fsys := fstest.MapFS{}
	for name, text := range files {
		if text != "" {
			fsys[name] = &fstest.MapFile{Data: []byte(text + "\n")}
		}
	}
	tree, err := load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}
