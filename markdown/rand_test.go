package markdown_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/markdown"
)

// TestEscapeRandom joins pieces of nasty texts and random characters. MARKDOWN_RANDOM sets
// how many texts are tried.
func TestEscapeRandom(t *testing.T) {
	t.Parallel()
	n := 8_000
	if v, err := strconv.Atoi(os.Getenv("MARKDOWN_RANDOM")); err == nil {
		n = v
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	j := newJudge()
	for range n {
		s := randomText(r)
		checkInert(t, j, s, markdown.Escape(s))
	}
}

// randomText is nasty more often than chance would have it.
func randomText(r *rand.Rand) string {
	const chars = "aA1 \t\n\\`*_~[]()<>|&#;:/.@=-+!\"'"
	var b strings.Builder
	for range r.IntN(12) {
		switch r.IntN(8) {
		case 0:
			b.WriteString(nasty[r.IntN(len(nasty))])
		case 1:
			b.WriteRune(rune(r.IntN(0x3100)))
		case 2:
			b.WriteByte(byte(r.IntN(256)))
		default:
			b.WriteByte(chars[r.IntN(len(chars))])
		}
	}
	return b.String()
}
