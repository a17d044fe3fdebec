package archtest_test

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// englishOnly are pages in docs that have no Chinese one.
var englishOnly = []string{"docs/protocol.md", "docs/public-reference.md", "docs/design.md"}

// pairs wants the English and the Chinese page of a pair to say the same, as far as it
// can be seen: headings of the same levels and, below each, the same blocks, the same
// code within lines, links to the same places, and as many rows of tables.
func pairs(t *tree) (found []string) {
	for name := range t.pages {
		base, isChinese := strings.CutSuffix(name, chinese)
		switch {
		case isChinese && t.pages[base+".md"] == "":
			found = append(found, name+": has no English page")
		case isChinese:
			found = append(found, t.differences(base+".md", name)...)
		case (path.Dir(name) == "docs" || name == "README.md") && !slices.Contains(englishOnly, name) && t.pages[strings.TrimSuffix(name, ".md")+chinese] == "":
			found = append(found, name+": has no Chinese page")
		}
	}
	return found
}

// differences compares the two pages of a pair.
func (t *tree) differences(english, chinese string) (found []string) {
	en, zh := parts(t.pages[english]), parts(t.pages[chinese])
	if len(en) != len(zh) {
		return []string{fmt.Sprintf("%s: has %d headings, the English page %d", chinese, len(zh)-1, len(en)-1)}
	}
	for i := range en {
		say := func(format string, args ...any) {
			found = append(found, fmt.Sprintf("%s: below %q: ", chinese, zh[i].anchor)+fmt.Sprintf(format, args...))
		}
		if en[i].level != zh[i].level {
			say("the heading has level %d, in English %d", zh[i].level, en[i].level)
		}
		if !slices.Equal(en[i].blocks, zh[i].blocks) {
			say("the blocks differ from the English ones")
		}
		if got, want := strings.Count("\n"+zh[i].text, "\n|"), strings.Count("\n"+en[i].text, "\n|"); got != want {
			say("the tables have %d rows, in English %d", got, want)
		}
		if got, want := t.places(chinese, zh[i].text), t.places(english, en[i].text); !slices.Equal(got, want) {
			say("links to %q, in English to %q", got, want)
		}
		if got, want := distinct(spans(zh[i].text)), distinct(spans(en[i].text)); !slices.Equal(got, want) {
			say("has the code %q, in English %q", without(got, want), without(want, got))
		}
	}
	return found
}

// places are the targets of links, in order of their names: Chinese pages stand for the
// English ones, and a heading for its number.
func (t *tree) places(name, text string) (all []string) {
	for _, m := range link.FindAllStringSubmatch(span.ReplaceAllString(text, ""), -1) {
		to, anchor := target(name, m)
		place := strings.Replace(to, ".zh.", ".", 1)
		if anchor != "" {
			number := slices.IndexFunc(parts(t.pages[to]), func(p part) bool { return p.anchor == anchor })
			if number < 0 {
				place += anchor
			} else {
				place += fmt.Sprintf("#%d", number)
			}
		}
		all = append(all, place)
	}
	slices.Sort(all)
	return all
}

// distinct sorts, and drops repeats.
func distinct(all []string) []string {
	set := map[string]bool{}
	for _, one := range all {
		set[one] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// without is what is in all and not in others.
func without(all, others []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(one string) bool { return slices.Contains(others, one) })
}
