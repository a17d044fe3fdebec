package commonmark_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/weboffice-go/weboffice/markdown/commonmark"
)

func BenchmarkConvert(b *testing.B) {
	for _, name := range []string{"everything", "release"} {
		b.Run(name, func(b *testing.B) {
			src, err := os.ReadFile(filepath.Join("testdata", name+".md"))
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				commonmark.Convert(string(src), nil)
			}
		})
	}
}
