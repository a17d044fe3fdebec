package archtest_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"path"
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
	drop = regexp.MustCompile(`[^\p{L}\p{N}\- _]`)
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
	for dir, files := range t.packages {
		if dir == "internal/archtest" {
			continue // its cases cite what does not exist
		}
		for _, f := range files {
			for _, group := range f.ast.Comments {
				check(group.Text(), func(what string) { found = append(found, t.at(group, "%s", what)) })
			}
			ast.Inspect(f.ast, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					check(lit.Value, func(what string) { found = append(found, t.at(lit, "%s", what)) })
				}
				return true
			})
		}
	}
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

// links wants the target of every link within the repository to exist, and its anchor.
func links(t *tree) (found []string) {
	for name, text := range t.pages {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(text, ""), -1) {
			target := name
			if m[1] != "" {
				target = path.Join(path.Dir(name), m[1])
			}
			if _, err := fs.Stat(t.fsys, target); err != nil {
				found = append(found, fmt.Sprintf("%s: links to %s, which does not exist", name, target))
			} else if page, ok := t.pages[target]; ok && m[2] != "" && !anchors(page)[m[2]] {
				found = append(found, fmt.Sprintf("%s: links to %s%s, which has no such heading", name, target, m[2]))
			}
		}
	}
	return found
}

// anchors returns the anchors of a page's headings, as GitHub makes them.
func anchors(page string) map[string]bool {
	known := map[string]bool{}
	for line := range strings.Lines(page) {
		if text := strings.TrimLeft(line, "#"); text != line && strings.HasPrefix(text, " ") {
			known["#"+strings.ReplaceAll(drop.ReplaceAllString(strings.ToLower(strings.TrimSpace(text)), ""), " ", "-")] = true
		}
	}
	return known
}
