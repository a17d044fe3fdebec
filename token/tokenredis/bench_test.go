package tokenredis_test

import (
	"testing"
	"time"
)

// A token that is kept, on a server of its own. A cache asks for it once in its life.
func BenchmarkToken(b *testing.B) {
	s := newSource(b, config(startRedis(b, "--appendonly", "no").client(b), &endpoint{life: time.Hour}))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Token(b.Context(), app); err != nil {
			b.Fatal(err)
		}
	}
}
