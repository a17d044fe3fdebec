package archtest_test

import (
	"fmt"
	"go/ast"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/webhook"
)

// errorPage explains codes and errors.
const errorPage = "docs/errors.md"

// deciding are the packages whose errors callers decide by.
var deciding = []string{"convert", "webhook", "preview", "token", "signing"}

var (
	// The first cells of the tables of codes in the public reference: "| 20003, 20004 |".
	codeCell = regexp.MustCompile(`(?m)^\| (-?\d+(?:, \d+)*) \|`)
	codeName = regexp.MustCompile(`#(convert|callback)-(-?\d+)$`)
	decimal  = regexp.MustCompile(`-?\d+`)
)

// errorsExplained wants the page of errors to have all codes of the public reference and no
// others, and all exported errors.
func errorsExplained(t *tree) (found []string) {
	want := map[string]bool{}
	for _, p := range parts(t.pages["docs/public-reference.md"]) {
		prefix := ""
		switch {
		case strings.HasPrefix(p.anchor, "#2-"):
			prefix = "#convert-"
		case strings.HasPrefix(p.anchor, "#33-"):
			prefix = "#callback-"
		default:
			continue
		}
		for _, m := range codeCell.FindAllStringSubmatch(p.text, -1) {
			for _, number := range decimal.FindAllString(m[1], -1) {
				want[prefix+number] = true
			}
		}
	}
	page := t.pages[errorPage]
	known := anchors(page)
	for _, anchor := range slices.Sorted(maps.Keys(want)) {
		if !known[anchor] {
			found = append(found, errorPage+": has no anchor "+anchor)
		}
	}
	for anchor := range known {
		if codeName.MatchString(anchor) && !want[anchor] {
			found = append(found, errorPage+": explains "+anchor+", which the public reference does not have")
		}
	}
	for _, dir := range deciding {
		for _, name := range errorNames(t.packages[dir]) {
			if !strings.Contains(page, "`"+dir+"."+name+"`") && !strings.Contains(page, "`*"+dir+"."+name+"`") {
				found = append(found, fmt.Sprintf("%s: does not explain %s.%s", errorPage, dir, name))
			}
		}
	}
	return found
}

// errorNames are the exported sentinels of a package, and its types that are errors.
func errorNames(files []*file) (all []string) {
	for _, f := range files {
		if f.test {
			continue
		}
		for _, decl := range f.ast.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Name.Name == "Error" && decl.Recv != nil && ast.IsExported(receiver(decl.Recv.List[0].Type)) {
					all = append(all, receiver(decl.Recv.List[0].Type))
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					if values, ok := spec.(*ast.ValueSpec); ok && strings.HasPrefix(values.Names[0].Name, "Err") {
						all = append(all, values.Names[0].Name)
					}
				}
			}
		}
	}
	return all
}

func TestDocURLs(t *testing.T) {
	t.Parallel()
	tree := repository(t)
	urls := []string{
		(&convert.APIError{}).DocURL(),
		(&webhook.APIError{}).DocURL(),
		(&token.EndpointError{}).DocURL(),
	}
	for _, code := range []int{-1, convert.CodeInvalidArgument, convert.CodeRateLimiter, convert.CodeInvalidSignature} {
		urls = append(urls, (&convert.APIError{Code: code}).DocURL())
	}
	for check := signing.CheckDate; check <= signing.CheckSignature; check++ {
		urls = append(urls, (&signing.Error{Check: check}).DocURL())
	}
	for _, url := range urls {
		m := published.FindStringSubmatch(url)
		if m == nil || m[2] == "" || m[0] != url {
			t.Errorf("%s is not a place in a page of the repository", url)
		} else if problem := tree.broken(m[1], m[2]); problem != "" {
			t.Errorf("%s leads to %s", url, problem)
		}
	}
}
