package preview_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/preview"
)

const family = "👩‍👩‍👧‍👦" // seven code points

func TestCheckName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		rule string // empty: accepted
	}{
		{"a", ""},
		{"計劃 2026 (final).docx", ""},
		{"with 'quotes' & <none>", "none of"},
		{strings.Repeat("a", 240), ""},
		{strings.Repeat("a", 241), "at most 240"},
		{strings.Repeat("字", 240), ""},
		{strings.Repeat("字", 241), "at most 240"},
		{strings.Repeat("👍", 240), ""},
		{strings.Repeat("👍", 241), "at most 240"},
		{strings.Repeat("e\u0301", 120), ""},
		{strings.Repeat("e\u0301", 121), "at most 240"},
		{"", "required"},
		{"a\xffb", "UTF-8"},
		{`a\b`, "none of"},
		{"a/b", "none of"},
		{"a|b", "none of"},
		{`a"b`, "none of"},
		{"a:b", "none of"},
		{"a*b", "none of"},
		{"a?b", "none of"},
		{"a<b", "none of"},
		{"a>b", "none of"},
		{"a：b？", ""}, // the full-width forms are other characters
		{"tab\there", ""},
	} {
		err := preview.CheckName(c.name)
		var rule *preview.RuleError
		switch {
		case c.rule == "" && err != nil:
			t.Errorf("CheckName(%q) = %v, want nil", c.name, err)
		case c.rule != "" && (!errors.As(err, &rule) || rule.Field != "name" || !strings.Contains(rule.Rule, c.rule) || !strings.HasPrefix(rule.Rule, "protocol 2.4")):
			t.Errorf("CheckName(%q) = %v, want a RuleError of %q", c.name, err, c.rule)
		}
	}
}

func TestCleanName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, want string }{
		{"Plan.docx", "Plan.docx"},
		{"計劃 👍.docx", "計劃 👍.docx"},
		{family + ".docx", family + ".docx"},
		{`a\b/c|d"e:f*g?h<i>j`, "a_b_c_d_e_f_g_h_i_j"},
		{"../../etc/passwd", ".._.._etc_passwd"},
		{"a\nb\tc\x00d\u0085e", "a_b_c_d_e"},
		{"a\xff\xfeb", "a__b"},
		{"fdp\u202excod.exe", "fdp_xcod.exe"},
		{"\u2066a\u2069", "_a_"},
		{"\u2029\u202a\u2065\u206a", "\u2029_\u2065\u206a"},
		{"", "_"},
		{".", "_"},
		{"..", "__"},
		{"...", "..."},
		{".docx", ".docx"},
		{strings.Repeat("a", 300), strings.Repeat("a", 240)},
		{strings.Repeat("a", 300) + ".docx", strings.Repeat("a", 235) + ".docx"},
		{strings.Repeat("字", 300) + ".docx", strings.Repeat("字", 235) + ".docx"},
		{strings.Repeat("👍", 241), strings.Repeat("👍", 240)},
		{"." + strings.Repeat("a", 300), "." + strings.Repeat("a", 239)},
		{"a." + strings.Repeat("b", 300), "a." + strings.Repeat("b", 238)},
		{strings.Repeat("a", 300) + "." + strings.Repeat("b", 16), strings.Repeat("a", 223) + "." + strings.Repeat("b", 16)},
		{strings.Repeat("a", 300) + "." + strings.Repeat("b", 17), strings.Repeat("a", 240)},
		{strings.Repeat("a", 234) + "e\u0301" + strings.Repeat("b", 50) + ".docx", strings.Repeat("a", 234) + ".docx"},
		{strings.Repeat("a", 230) + family + "bbbbb.docx", strings.Repeat("a", 230) + ".docx"},
		{strings.Repeat("a", 234) + "👍🏽" + "bbbbb.docx", strings.Repeat("a", 234) + ".docx"},
	} {
		got := preview.CleanName(c.name)
		if got != c.want {
			t.Errorf("CleanName(%q) = %q, want %q", c.name, got, c.want)
		}
		checkClean(t, c.name, got)
	}
}

// checkClean is what holds for every clean name.
func checkClean(t *testing.T, name, clean string) {
	t.Helper()
	if err := preview.CheckName(clean); err != nil {
		t.Errorf("CheckName(CleanName(%q)) = %v", name, err)
	}
	if again := preview.CleanName(clean); again != clean {
		t.Errorf("CleanName(%q) = %q, and cleaned again %q", name, clean, again)
	}
	if strings.ContainsAny(clean, "\x00\n\r/\\") || clean == "." || clean == ".." || clean == "" {
		t.Errorf("CleanName(%q) = %q is no safe name", name, clean)
	}
}

func FuzzCleanName(f *testing.F) {
	for _, seed := range []string{"", "..", "a.docx", strings.Repeat("é.", 200), strings.Repeat(family, 60) + ".docx", "\xff", strings.Repeat("\u0301", 300), strings.Repeat("\u200d", 300) + ".a"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		clean := preview.CleanName(name)
		checkClean(t, name, clean)
		if preview.CheckName(name) == nil && utf8.RuneCountInString(clean) != utf8.RuneCountInString(name) {
			t.Errorf("CleanName(%q) = %q changes the length of a good name", name, clean)
		}
	})
}

func TestDefaultCheckID(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id   string
		rule string
	}{
		{"a", ""},
		{"9", ""},
		{"A_z_0", ""},
		{"a_", ""},
		{strings.Repeat("a", preview.MaxFileIDLength), ""},
		{"", "required"},
		{strings.Repeat("a", preview.MaxFileIDLength+1), "at most 47"},
		{"_a", "no underscore first"},
		{"a-b", "letters, digits"},
		{"a/b", "letters, digits"},
		{"é", "letters, digits"},
		{"１", "letters, digits"},
	} {
		err := preview.DefaultCheckID(c.id)
		var rule *preview.RuleError
		if (err == nil) != (c.rule == "") || err != nil && (!errors.As(err, &rule) || rule.Field != "id" || !strings.Contains(rule.Rule, c.rule)) {
			t.Errorf("DefaultCheckID(%q) = %v, want %q", c.id, err, c.rule)
		}
	}
}
