package archtest_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	// "go run ./examples/robot -dry-run hello", up to the end of the line or of the code.
	goRun = regexp.MustCompile("go run \\./(\\S+?)((?: [^`\n|>]*)?)(?:[`\n|>.:;,]|$)")
	goDoc = regexp.MustCompile(`go doc (?:-all )?\./([\w/]+)`)
	makes = regexp.MustCompile("(?m)`make ([a-z]+)`")
	// "WEBOFFICE_APP_ID", "LINK_KEY".
	variable = regexp.MustCompile(`\b[A-Z]+_[A-Z_]+\b`)
	// Methods of a flag.FlagSet that define a flag.
	definition = regexp.MustCompile(`^(Bool|Int|String|Duration|Float64|Uint|Int64|Text)?(Var|Func)?$`)
)

// commands wants what pages and comments tell the reader to run to exist: programs, their
// flags, packages, targets of the Makefile, and, in blocks for a shell, the environment
// variables.
func commands(t *tree) (found []string) {
	for name, text := range t.pages {
		for _, problem := range t.commandProblems(text) {
			found = append(found, name+": "+problem)
		}
		for _, p := range parts(text) {
			for _, b := range p.blocks {
				if b.info != "sh" {
					continue
				}
				for _, v := range variable.FindAllString(b.text, -1) {
					if !t.literals()[v] {
						found = append(found, fmt.Sprintf("%s: sets %s, which no program reads", name, v))
					}
				}
			}
		}
	}
	t.texts(func(n ast.Node, text string) {
		if _, isComment := n.(*ast.CommentGroup); !isComment {
			return
		}
		for _, problem := range t.commandProblems(text) {
			found = append(found, t.at(n, "%s", problem))
		}
	})
	return found
}

func (t *tree) commandProblems(text string) (found []string) {
	for _, m := range goRun.FindAllStringSubmatch(text, -1) {
		dir := strings.TrimRight(m[1], ".")
		if !strings.HasPrefix(dir, "examples/") && !strings.HasPrefix(dir, "campaigns/") {
			dir = path.Join("examples/internal/samples", dir) // a page tells the reader to make it
		}
		files := t.packages[dir]
		switch {
		case files == nil || files[0].ast.Name.Name != "main":
			found = append(found, "runs "+m[1]+", which is not a program")
		default:
			for word := range strings.FieldsSeq(m[2]) {
				flag, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
				if word[0] == '-' && len(word) > 1 && flag != "h" && !slices.Contains(flagsOf(files), flag) {
					found = append(found, fmt.Sprintf("runs %s with -%s, which it does not have", dir, flag))
				}
			}
		}
	}
	for _, m := range goDoc.FindAllStringSubmatch(text, -1) {
		if t.packages[m[1]] == nil {
			found = append(found, "shows the package "+m[1]+", which does not exist")
		}
	}
	for _, m := range makes.FindAllStringSubmatch(text, -1) {
		if !strings.Contains(t.makefile, "\n"+m[1]+":") {
			found = append(found, "makes "+m[1]+", which is not a target")
		}
	}
	return found
}

// flagsOf returns the flags that files define.
func flagsOf(files []*file) (names []string) {
	for _, f := range files {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok && definition.MatchString(sel.Sel.Name) {
				for _, arg := range call.Args[:min(2, len(call.Args))] {
					if lit, ok := arg.(*ast.BasicLit); ok && lit.Kind == token.STRING {
						name, _ := strconv.Unquote(lit.Value)
						names = append(names, name)
					}
				}
			}
			return true
		})
	}
	return names
}

// literals are the words in upper case in strings of Go, such as the names of environment
// variables.
func (t *tree) literals() map[string]bool {
	if t.words == nil {
		t.words = map[string]bool{}
		t.texts(func(n ast.Node, text string) {
			if _, isString := n.(*ast.BasicLit); isString {
				for _, word := range variable.FindAllString(text, -1) {
					t.words[word] = true
				}
			}
		})
	}
	return t.words
}
