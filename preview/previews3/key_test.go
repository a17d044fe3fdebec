package previews3_test

import (
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previews3"
)

// The keys are what is stored: a release that changes them loses documents.
func TestKeys(t *testing.T) {
	t.Parallel()
	if got, want := previews3.VersionKey(7), "versions/4294967288-v7.json"; got != want {
		t.Errorf("the key of version 7 is %q, want %q", got, want)
	}
	for _, key := range []string{
		"", "office/plan/name.json", "office/plan/versions/", "versions/4294967288-v8.json", "versions/4294967288-v07.json",
		"versions/4294967288-v7.json.bak", "versions/4294967295-v0.json", "plan/data/0000000007-" + strings.Repeat("A", 26),
	} {
		if n := previews3.VersionOf(key); n != 0 {
			t.Errorf("%q counts as version %d", key, n)
		}
	}
	for upload, want := range map[string]uint32{
		"0000000007-" + strings.Repeat("A", 26): 7,
		"4294967295-" + strings.Repeat("2", 26): 1<<32 - 1,
	} {
		if got, ok := previews3.BaseOf(upload); got != want || !ok {
			t.Errorf("baseOf(%q) = %d, %v, want %d", upload, got, ok, want)
		}
	}
	for _, upload := range []string{
		"",
		"4294967296-" + strings.Repeat("A", 26),
		"0000000007-" + strings.Repeat("a", 26),
		"0000000007-" + strings.Repeat("A", 26) + "\n",
		"../0000000007-" + strings.Repeat("A", 26),
		"0000000007-" + strings.Repeat("A", 26) + "/../../",
	} {
		if got, ok := previews3.BaseOf(upload); ok {
			t.Errorf("baseOf(%q) = %d", upload, got)
		}
	}
}

func FuzzVersionKey(f *testing.F) {
	f.Add(uint32(1), uint32(2))
	f.Add(uint32(9), uint32(10))
	f.Add(uint32(1<<31), uint32(1<<32-1))
	f.Fuzz(func(t *testing.T, a, b uint32) {
		keyA, keyB := previews3.VersionKey(a), previews3.VersionKey(b)
		if got := previews3.VersionOf("office/plan/" + keyA); got != a {
			t.Errorf("%q is version %d, want %d", keyA, got, a)
		}
		if (a > b) != (keyA < keyB) {
			t.Errorf("a listing gives %d and %d in the wrong order", a, b)
		}
	})
}

func FuzzEscape(f *testing.F) {
	for _, id := range []string{"plan", "a/b", "..", ".", "%2F", "文", "", "\xff"} {
		f.Add(id, id+"x")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		escaped := previews3.Escape(a)
		if strings.ContainsAny(escaped, "/\\ ") || strings.HasPrefix(escaped, ".") {
			t.Errorf("%q becomes %q", a, escaped)
		}
		if a != b && escaped == previews3.Escape(b) {
			t.Errorf("%q and %q share %q", a, b, escaped)
		}
		if preview.DefaultCheckID(a) == nil && escaped != a {
			t.Errorf("the ordinary id %q becomes %q", a, escaped)
		}
	})
}
