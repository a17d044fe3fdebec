package page_test

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func catalog(t *testing.T, name string) map[string]string {
	t.Helper()
	text, err := os.ReadFile("catalog/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var texts map[string]string
	if err := json.Unmarshal(text, &texts); err != nil {
		t.Fatal(err)
	}
	return texts
}

// placeholder is what a text leaves open.
var placeholder = regexp.MustCompile(`\{\w+\}`)

func TestCatalogsAreEqual(t *testing.T) {
	t.Parallel()
	english, chinese := catalog(t, "en"), catalog(t, "zh-CN")
	if diff := cmp.Diff(slices.Sorted(maps.Keys(english)), slices.Sorted(maps.Keys(chinese))); diff != "" {
		t.Errorf("keys (-en +zh-CN):\n%s", diff)
	}
	for key, text := range english {
		open, same := placeholder.FindAllString(text, -1), placeholder.FindAllString(chinese[key], -1)
		slices.Sort(open)
		slices.Sort(same)
		if diff := cmp.Diff(open, same); diff != "" {
			t.Errorf("%s leaves open (-en +zh-CN):\n%s", key, diff)
		}
		if strings.TrimSpace(text) == "" || strings.TrimSpace(chinese[key]) == "" {
			t.Errorf("%s has no text", key)
		}
	}
}

// use finds the keys in the scripts and the shell: whole, as 'chat.send', or with a part
// that is a value, as in `task.${state}`.
var (
	use  = regexp.MustCompile("(?:\\bt|\\bmaybe|\\bwords)\\(\\s*(?:\\w+ \\? )?(?:'([^']+)'(?: : '([^']+)')?|`([^`]+)`)|\\b(?:t|label|key)=\"([a-z]+\\.[a-z]+)\"|\\.T \"([^\"]+)\"|print (?:\\. \"(\\.title)\"|\"(theme\\.)\" \\.)")
	also = regexp.MustCompile(`'([a-z]+\.[a-z.]+)'`)
	hole = regexp.MustCompile(`\$\{[^}]*\}`)
)

// TestKeys checks that every key that is used has a text, and that every text is used.
func TestKeys(t *testing.T) {
	t.Parallel()
	texts := catalog(t, "en")
	shell, err := os.ReadFile("shell.html")
	if err != nil {
		t.Fatal(err)
	}
	sources := scripts(t)
	sources["shell.html"] = string(shell)
	used := map[string]bool{}
	for name, source := range sources {
		for _, match := range use.FindAllStringSubmatch(source, -1) {
			for _, key := range match[1:] {
				if key == "" {
					continue
				}
				found := keysOf(texts, key)
				if len(found) == 0 {
					t.Errorf("%s uses %q, which has no text", name, key)
				}
				for _, one := range found {
					used[one] = true
				}
			}
		}
		// Keys that are passed on, such as to a helper that calls t.
		for _, match := range also.FindAllStringSubmatch(source, -1) {
			for _, one := range keysOf(texts, match[1]) {
				used[one] = true
			}
		}
	}
	for key := range texts {
		if !used[key] {
			t.Errorf("nothing uses %q", key)
		}
	}
}

// keysOf returns the keys of the catalog that a key of the source stands for.
func keysOf(texts map[string]string, key string) []string {
	switch key {
	case ".title":
		key = "${view}.title"
	case "theme.":
		key = "theme.${name}"
	}
	parts := hole.Split(key, -1)
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(part)
	}
	pattern := regexp.MustCompile(`^` + strings.Join(parts, `[a-z0-9_]+`) + `(\.(one|other))?$`)
	var found []string
	for name := range texts {
		if pattern.MatchString(name) {
			found = append(found, name)
		}
	}
	return found
}
