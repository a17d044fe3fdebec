package split_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/webhook/internal/split"
)

// What a reader takes for one character is never cut, wherever the limit falls.
func TestClustersStayWhole(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"family":              "👨\u200d👩\u200d👧\u200d👦",
		"heart on fire":       "❤\ufe0f\u200d🔥",
		"skin tone":           "👍🏽",
		"flag":                "🇨🇳",
		"flag of Scotland":    "🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F",
		"keycap":              "1\ufe0f\u20e3",
		"combining marks":     "e\u0301\u0323",
		"variation selector":  "☎\ufe0f",
		"jamo":                "\u1112\u1161\u11ab",
		"syllable and jamo":   "가\u11a8",
		"initial consonants":  "\u1100\u1100\u1161",
		"old consonants":      "\ua960\u1100\u1161",
		"Devanagari":          "नि",
		"conjunct":            "क्ष",
		"conjunct of three":   "ন্ত্র",
		"non-joiner":          "a\u200c",
		"sign of a number":    "\u0600\u0661",
		"Thai":                "นำ",
		"halfwidth katakana":  "ｶﾞ",
		"carriage return":     "x\u0308",
		"tag, then mark":      "<at email=\"a@b\">n</at>\u0301",
		"character reference": "&#128104;",
	}
	for name, cluster := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const count = 12
			src := strings.Repeat(cluster, count)
			for limit := utf8.RuneCountInString(cluster); limit < 3*utf8.RuneCountInString(cluster)+3; limit++ {
				pieces, err := split.Plain(src).Pieces(func(int) int { return limit })
				if err != nil {
					t.Fatalf("limit %d: %v", limit, err)
				}
				for _, piece := range pieces {
					if strings.ReplaceAll(piece, cluster, "") != "" {
						t.Errorf("limit %d: piece %q is cut within %q", limit, piece, cluster)
					}
				}
				if got := strings.Join(pieces, ""); got != src {
					t.Errorf("limit %d: joined pieces = %q, want %q", limit, got, src)
				}
			}
		})
	}
}

// Flags are pairs: an odd number of halves before them shifts no cut into a pair.
func TestFlagsArePairs(t *testing.T) {
	t.Parallel()
	pieces, err := split.Plain("🇨🇳🇩🇪🇫🇷").Pieces(func(int) int { return 3 })
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(pieces, "|"), "🇨🇳|🇩🇪|🇫🇷"; got != want {
		t.Errorf("Pieces = %q, want %q", got, want)
	}
}

// A text of marks alone is cut all the same.
func TestEndlessMarks(t *testing.T) {
	t.Parallel()
	src := "a" + strings.Repeat("\u0301", 500)
	pieces, err := split.Plain(src).Pieces(func(int) int { return 100 })
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(pieces, "") != src {
		t.Errorf("joined pieces differ from the text")
	}
}
