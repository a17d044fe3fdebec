package archtest

import (
	"go/ast"
	"go/token"
	"regexp"
	"strings"
)

// pages are what comments cite, by the word that they use for it.
var pages = map[string]string{
	"protocol":         "docs/protocol.md",
	"public reference": "docs/public-reference.md",
}

var (
	// "protocol 2.6, rule 3", "public reference 3.1, 3.2".
	citation = regexp.MustCompile(`(?i)\b(protocol|public reference) (\d+(?:\.\d+)?(?:(?:, | and | to )\d+\.\d+)*)(?:,? rules? (\d+))?`)
	number   = regexp.MustCompile(`\d+(?:\.\d+)?`)
	// "### 2.4 File info", "| 0.1 | …", "3. A rule".
	section = regexp.MustCompile(`^#+ (\d+(?:\.\d+)?)\.? `)
	row     = regexp.MustCompile(`^\| (\d+\.\d+) \|`)
	item    = regexp.MustCompile(`^(\d+)\. `)
)

// citations wants every section that a comment, a message or a page cites to exist.
func citations(t *Tree) []Finding {
	r := &report{tree: t}
	sections := map[string]map[string]bool{}
	for word, file := range pages {
		sections[word] = sectionsOf(t.Texts[file])
	}
	check := func(text string, say func(format string, args ...any)) {
		text = strings.Join(strings.Fields(text), " ")
		for _, m := range citation.FindAllStringSubmatch(text, -1) {
			known := sections[strings.ToLower(m[1])]
			for _, n := range number.FindAllString(m[2], -1) {
				if !known[n] {
					say("cites %s %s, which is not there", m[1], n)
				}
			}
			if rule := number.FindString(m[2]) + "." + m[3]; m[3] != "" && !known[rule] {
				say("cites rule %s of %s %s, which is not there", m[3], m[1], m[2])
			}
		}
	}
	for _, p := range t.Packages {
		if p.Dir == "internal/archtest" {
			continue // its tests cite what is not there
		}
		for _, f := range p.Files {
			for _, group := range f.Syntax.Comments {
				check(group.Text(), func(format string, args ...any) { r.at(group, format, args...) })
			}
			ast.Inspect(f.Syntax, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					check(lit.Value, func(format string, args ...any) { r.at(lit, format, args...) })
				}
				return true
			})
		}
	}
	for name, text := range t.Texts {
		check(text, func(format string, args ...any) { r.path(name, format, args...) })
	}
	return r.found
}

// sectionsOf gives the numbers of a page's sections, of the rows of its tables, and
// of its rules: "2.6", "0.1", and "2.6.3" or, right below "## 7.", "7.3".
func sectionsOf(text string) map[string]bool {
	known := map[string]bool{}
	current := ""
	for line := range strings.Lines(text) {
		switch {
		case section.MatchString(line):
			current = section.FindStringSubmatch(line)[1]
			known[current] = true
		case row.MatchString(line):
			known[row.FindStringSubmatch(line)[1]] = true
		case item.MatchString(line) && current != "":
			known[current+"."+item.FindStringSubmatch(line)[1]] = true
		}
	}
	return known
}
