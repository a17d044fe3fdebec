package archtest_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"regexp"
	"strings"
)

// cited are the pages that comments cite, by the word that they use.
var cited = map[string]string{
	"protocol":         "docs/protocol.md",
	"public reference": "docs/public-reference.md",
}

var (
	// "protocol 2.6, rule 3", "public reference 3.1, 3.2".
	citation = regexp.MustCompile(`(?i)\b(protocol|public reference) (\d+(?:\.\d+)?(?:(?:, | and | to )\d+\.\d+)*)(?:,? rules? (\d+))?`)
	number   = regexp.MustCompile(`\d+(?:\.\d+)?`)
	// "### 2.4 File info", "| 0.1 | …", "3. A rule".
	section = regexp.MustCompile(`^(?:#+ |\| )(\d+(?:\.\d+)?)\.? `)
	item    = regexp.MustCompile(`^(\d+)\. `)
	// Fenced blocks and code within a line; "[text](file.md#anchor)".
	code = regexp.MustCompile("(?s)```.*?```|`[^`\n]+`")
	link = regexp.MustCompile(`\]\(([^)#: ]+)?(#[^)]*)?\)`)
	// The URL of a page on the main branch.
	published = regexp.MustCompile(`https://github\.com/weboffice-go/weboffice/blob/main/([\w./-]+\w)(#[\w-]*)?`)
)

// citations wants every section that a comment, a message or a page cites to exist.
func citations(t *tree) (found []string) {
	sections := map[string]map[string]bool{}
	for word, page := range cited {
		sections[word] = sectionsOf(t.pages[page])
	}
	check := func(text string, say func(what string)) {
		for _, m := range citation.FindAllStringSubmatch(strings.Join(strings.Fields(text), " "), -1) {
			known := sections[strings.ToLower(m[1])]
			for _, n := range number.FindAllString(m[2], -1) {
				if !known[n] {
					say(fmt.Sprintf("cites %s %s, which does not exist", m[1], n))
				}
			}
			if m[3] != "" && !known[number.FindString(m[2])+"."+m[3]] {
				say(fmt.Sprintf("cites rule %s of %s %s, which does not exist", m[3], m[1], m[2]))
			}
		}
	}
	t.texts(func(n ast.Node, text string) {
		check(text, func(what string) { found = append(found, t.at(n, "%s", what)) })
	})
	for name, text := range t.pages {
		check(text, func(what string) { found = append(found, name+": "+what) })
	}
	return found
}

// sectionsOf returns the numbers of a page's sections, of the rows of its tables, and
// of its rules: "2.6", "0.1", and "2.6.3" or, right below "## 7.", "7.3".
func sectionsOf(text string) map[string]bool {
	known, current := map[string]bool{}, ""
	for line := range strings.Lines(text) {
		if m := section.FindStringSubmatch(line); m != nil {
			known[m[1]] = true
			if line[0] == '#' {
				current = m[1]
			}
		} else if m := item.FindStringSubmatch(line); m != nil {
			known[current+"."+m[1]] = true
		}
	}
	return known
}

// links wants the target of every link within the repository to exist, and its anchor,
// also where a comment or a string of Go has the URL of a page.
func links(t *tree) (found []string) {
	for name, text := range t.pages {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(text, ""), -1) {
			to, anchor := target(name, m)
			if problem := t.broken(to, anchor); problem != "" {
				found = append(found, name+": links to "+problem)
			}
		}
	}
	t.texts(func(n ast.Node, text string) {
		for _, m := range published.FindAllStringSubmatch(text, -1) {
			if strings.HasSuffix(m[2], "#") || strings.HasSuffix(m[2], "-") {
				continue // the code adds the rest
			}
			if problem := t.broken(m[1], m[2]); problem != "" {
				found = append(found, t.at(n, "links to %s", problem))
			}
		}
	})
	return found
}

// broken says what is wrong with a link, or "".
func (t *tree) broken(to, anchor string) string {
	if _, err := fs.Stat(t.fsys, to); err != nil {
		return to + ", which does not exist"
	}
	if page, ok := t.pages[to]; ok && anchor != "" && !anchors(page)[anchor] {
		return to + anchor + ", which has no such heading"
	}
	return ""
}

// texts visits the comments and the strings of all packages but this one, whose cases
// hold what does not exist.
func (t *tree) texts(visit func(n ast.Node, text string)) {
	for dir, files := range t.packages {
		if dir == "internal/archtest" {
			continue
		}
		for _, f := range files {
			for _, group := range f.ast.Comments {
				visit(group, group.Text())
			}
			ast.Inspect(f.ast, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					visit(lit, strings.Trim(lit.Value, "\"`"))
				}
				return true
			})
		}
	}
}
