package openapitest_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// citation is "protocol 2.6, rule 1": the page, the section, and a numbered item there.
var citation = regexp.MustCompile(`^(protocol|public reference) ([0-9]+(?:\.[0-9]+)?)(?:, rule ([0-9]+))?$`)

var citations = regexp.MustCompile(`(protocol|public reference) [0-9]+(\.[0-9]+)?(, rule [0-9]+)?`)

// TestRulesHaveASource that is in the pages.
func TestRulesHaveASource(t *testing.T) {
	t.Parallel()
	pages := map[string]string{
		"protocol":         read(t, "../../../docs/protocol.md"),
		"public reference": read(t, "../../../docs/public-reference.md"),
	}
	for _, name := range []string{"service.yaml", "callbacks.yaml"} {
		doc := load(t, name)
		text, err := doc.MarshalJSON()
		var tree any
		if err != nil || json.Unmarshal(text, &tree) != nil {
			t.Fatal(err)
		}
		n := 0
		each(tree, func(rules []any) {
			for _, entry := range rules {
				fields, _ := entry.(map[string]any)
				rule, _ := fields["rule"].(string)
				source, _ := fields["source"].(string)
				if n++; !strings.HasSuffix(rule, ".") || len(fields) != 2 || !cited(pages, source) {
					t.Errorf("%s: the rule %q has the source %q, which is not there", name, rule, source)
				}
			}
		})
		yaml := read(t, "../../"+name)
		for _, found := range citations.FindAllString(yaml, -1) {
			if !cited(pages, found) {
				t.Errorf("%s cites %s, which is not there", name, found)
			}
		}
		if want := strings.Count(yaml, "- rule: "); n < want {
			t.Errorf("%s has %d rules, and %d of them at places that are kept", name, want, n)
		}
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// each calls f with every x-rules in tree.
func each(tree any, f func(rules []any)) {
	switch node := tree.(type) {
	case map[string]any:
		for name, value := range node {
			if rules, ok := value.([]any); ok && name == "x-rules" {
				f(rules)
				continue
			}
			each(value, f)
		}
	case []any:
		for _, value := range node {
			each(value, f)
		}
	}
}

// cited reports whether a page has the section, and the rule in it.
func cited(pages map[string]string, source string) bool {
	m := citation.FindStringSubmatch(source)
	if m == nil {
		return false
	}
	section, ok := sectionOf(pages[m[1]], m[2])
	return ok && (m[3] == "" || strings.Contains(section, "\n"+m[3]+". "))
}

// sectionOf returns what is below the heading with a number.
func sectionOf(page, number string) (section string, ok bool) {
	heading := regexp.MustCompile(`(?m)^##+ ` + regexp.QuoteMeta(number) + `\.? .*\n`)
	at := heading.FindStringIndex(page)
	if at == nil {
		return "", false
	}
	section, _, _ = strings.Cut(page[at[1]:], "\n## ")
	section, _, _ = strings.Cut(section, "\n### ")
	return section, true
}

// TestCodesAreThoseOfThePage, and in its order.
func TestCodesAreThoseOfThePage(t *testing.T) {
	t.Parallel()
	page := read(t, "../../../docs/public-reference.md")
	row, number := regexp.MustCompile(`(?m)^\| ([-0-9, ]+) \|`), regexp.MustCompile(`-?[0-9]+`)
	for name, table := range map[string]struct {
		section string
		without string // not on the official list
	}{"service.yaml": {"2", ""}, "callbacks.yaml": {"3.3", "40001"}} {
		section, _ := sectionOf(page, table.section)
		var want, got []string
		for _, cells := range row.FindAllStringSubmatch(section, -1) {
			want = append(want, number.FindAllString(cells[1], -1)...)
		}
		want = slices.DeleteFunc(want, func(n string) bool { return n == table.without })
		for _, c := range load(t, name).codes(t) {
			got = append(got, strconv.Itoa(c.code))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s has the codes %v, public reference %s has %v", name, got, table.section, want)
		}
	}
}

func TestACitationCanBeWrong(t *testing.T) {
	t.Parallel()
	pages := map[string]string{"protocol": "## 7. Failures\n\n1. One.\n\n## 8. Limits\n\n2. Two.\n"}
	for section, want := range map[string]bool{
		"7": true, "7, rule 1": true, "8, rule 2": true, "7, rule 2": false, "9": false, "": false, "7, rule": false,
	} {
		if got := cited(pages, "protocol "+section); got != want {
			t.Errorf("cited(%q) = %t", section, got)
		}
	}
	if cited(pages, "another page 7") {
		t.Error("a page that there is not is cited")
	}
}
