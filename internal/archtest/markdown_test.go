package archtest_test

import (
	"path"
	"regexp"
	"strings"
)

// A page in two languages is NAME.md and NAME.zh.md.
const chinese = ".zh.md"

// part is what follows one heading of a page, or precedes the first.
type part struct {
	level  int // 0 before the first heading
	anchor string
	text   string // without fenced blocks
	blocks []block
}

// block is a fenced block.
type block struct{ info, text string }

// fence is the line before or after a block, heading that of a heading.
var (
	fence   = regexp.MustCompile("^```(.*)")
	heading = regexp.MustCompile(`^(#+) (.*)`)
	// An anchor within a line: <a id="x"></a>.
	named = regexp.MustCompile(`<a id="([^"]+)"></a>`)
	// What GitHub leaves out of an anchor.
	drop = regexp.MustCompile(`[^\p{L}\p{N}\- _]`)
	span = regexp.MustCompile("`([^`]+)`")
)

// parts splits a page at its headings.
func parts(page string) []part {
	all, fenced := []part{{}}, false
	for line := range strings.Lines(page) {
		now := &all[len(all)-1]
		line = strings.TrimRight(line, "\n")
		m := heading.FindStringSubmatch(line)
		switch f := fence.FindStringSubmatch(line); {
		case f != nil && !fenced:
			fenced, now.blocks = true, append(now.blocks, block{info: f[1]})
		case f != nil:
			fenced = false
		case fenced:
			now.blocks[len(now.blocks)-1].text += line + "\n"
		case m != nil:
			all = append(all, part{level: len(m[1]), anchor: "#" + slug(m[2])})
		default:
			now.text += line + "\n"
		}
	}
	return all
}

// slug makes the anchor of a heading, as GitHub does.
func slug(text string) string {
	return strings.ReplaceAll(drop.ReplaceAllString(strings.ToLower(strings.TrimSpace(text)), ""), " ", "-")
}

// anchors returns what links may lead to within a page.
func anchors(page string) map[string]bool {
	known := map[string]bool{}
	for _, p := range parts(page) {
		known[p.anchor] = true
		for _, m := range named.FindAllStringSubmatch(p.text, -1) {
			known["#"+m[1]] = true
		}
	}
	return known
}

// spans returns the code within lines.
func spans(text string) (all []string) {
	for _, m := range span.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}

// target is where a link of the page name leads to: a path in the tree, and an anchor.
func target(name string, link []string) (string, string) {
	if link[1] == "" {
		return name, link[2]
	}
	return path.Join(path.Dir(name), link[1]), link[2]
}
