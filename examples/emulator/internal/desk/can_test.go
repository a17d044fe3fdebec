package desk_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/examples/emulator/internal/desk"
)

// TestTableOfAbilitiesIsProven looks for each test and each section that the table names.
func TestTableOfAbilitiesIsProven(t *testing.T) {
	t.Parallel()
	const root = "../../../../"
	folders := map[string]string{
		"converttest": "convert/converttest", "webhooktest": "webhook/webhooktest", "previewtest": "preview/previewtest",
		"tokentest": "token/tokentest", "office": "examples/internal/office", "desk": "examples/emulator/internal/desk",
	}
	pages := map[string]string{"protocol": "docs/protocol.md", "public reference": "docs/public-reference.md"}
	var o desk.Overview
	start(t, nil).call(t, http.MethodGet, "/overview", "", http.StatusOK, &o)
	seen := map[string]int{}
	for _, a := range o.Can {
		seen[a.Area]++
		if a.What == "" || a.Zh == "" || strings.HasSuffix(a.What, ".") {
			t.Errorf("%+v has no text, or one with a full stop", a)
		}
		pkg, name, isTest := strings.Cut(a.Proof, ".Test")
		if isTest != (a.State == "enforced") {
			t.Errorf("%q is %s, and its proof is %s", a.What, a.State, a.Proof)
			continue
		}
		if isTest {
			if !defined(t, root+folders[pkg], "func Test"+name+"(") {
				t.Errorf("there is no test %s", a.Proof)
			}
			continue
		}
		i := strings.LastIndexByte(a.Proof, ' ')
		text, err := os.ReadFile(root + pages[a.Proof[:i]])
		heading := regexp.MustCompile(`(?m)^#+ ` + regexp.QuoteMeta(a.Proof[i+1:]) + `[. ]`)
		if err != nil || !heading.Match(text) {
			t.Errorf("%s is not a section: %v", a.Proof, err)
		}
	}
	if len(seen) != len(o.Areas) {
		t.Errorf("only these areas are in the table: %v", seen)
	}
}

// defined looks for a text in the tests of a folder.
func defined(t *testing.T, dir, text string) bool {
	t.Helper()
	files, err := filepath.Glob(dir + "/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if content, err := os.ReadFile(file); err == nil && strings.Contains(string(content), text) {
			return true
		}
	}
	return false
}
