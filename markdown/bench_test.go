package markdown_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/markdown"
)

// A message of 40 lines, as a nightly report is.
const (
	benchTitle = "Nightly build 2024-05-06"
	benchIntro = "17 of 18 jobs passed; the slowest took 12 minutes."
	benchItem  = "service orders passed"
	benchStep  = "run the migration"
)

func writeBuilder(b *markdown.Builder) {
	b.Heading(2, benchTitle)
	b.Paragraph(benchIntro)
	for range 4 {
		b.List(benchItem, benchItem, benchItem, benchItem)
		b.Quote(benchIntro)
	}
	b.OrderedList(benchStep, benchStep, benchStep, benchStep)
}

func writeStrings(b *strings.Builder) {
	b.WriteString("## ")
	b.WriteString(benchTitle)
	b.WriteString("\n\n")
	b.WriteString(benchIntro)
	for range 4 {
		b.WriteString("\n\n")
		for i := range 4 {
			if i > 0 {
				b.WriteByte('\n')
			}
			b.WriteString("- ")
			b.WriteString(benchItem)
		}
		b.WriteString("\n\n> ")
		b.WriteString(benchIntro)
	}
	b.WriteString("\n\n")
	for i := range 4 {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteByte(byte('1' + i))
		b.WriteString(". ")
		b.WriteString(benchStep)
	}
}

func TestBenchmarksWriteTheSame(t *testing.T) {
	t.Parallel()
	var ours markdown.Builder
	var plain strings.Builder
	writeBuilder(&ours)
	writeStrings(&plain)
	if ours.String() != plain.String() {
		t.Errorf("Builder wrote %q, strings.Builder %q", ours.String(), plain.String())
	}
}

func BenchmarkMessage(b *testing.B) {
	b.Run("Builder", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var m markdown.Builder
			writeBuilder(&m)
			if m.Len() == 0 || m.String() == "" {
				b.Fatal("empty")
			}
		}
	})
	b.Run("strings.Builder", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var m strings.Builder
			writeStrings(&m)
			if utf8.RuneCountInString(m.String()) == 0 {
				b.Fatal("empty")
			}
		}
	})
}

const (
	clean200 = "The quick brown fox jumps over the lazy dog, and the dog does not mind at all; " +
		"it has seen this fox before, on many a long evening, from the very same spot beside the old gate, " +
		"as ever so often now"
	dirty200 = "The *quick* [brown] fox_jumps <over> the `lazy` dog & |the| dog ~does~ not mind *at* all; " +
		"it_has [seen] this <fox> before, on `many` a *long* evening, from the _very_ same \\spot\\ beside it, " +
		"*as* [ever]"
)

func BenchmarkEscape(b *testing.B) {
	replacer := strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "~", "\\~",
		"[", "\\[", "]", "\\]", "|", "\\|", "<", "&lt;", "&", "&amp;")
	for _, bb := range []struct{ name, s string }{{"clean", clean200}, {"dirty", dirty200}} {
		b.Run(bb.name+"/into Builder", func(b *testing.B) {
			var m markdown.Builder
			var text any = bb.s // or the conversion would allocate, not the builder
			m.Paragraph(text)
			b.ReportAllocs()
			for b.Loop() {
				markdown.Reset(&m)
				m.Paragraph(text)
			}
		})
		b.Run(bb.name+"/Escape", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				markdown.Escape(bb.s)
			}
		})
		b.Run(bb.name+"/strings.Replacer", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				replacer.Replace(bb.s)
			}
		})
	}
}

// Not parallel: testing.AllocsPerRun counts what other tests allocate, too.
func TestAllocs(t *testing.T) {
	var m markdown.Builder
	m.Paragraph(dirty200, markdown.Bold("a"))
	var bold any = markdown.Join("a ", markdown.Bold("b"), " ", markdown.Link("c", "https://d.example"))
	tests := []struct {
		name string
		want float64
		f    func()
	}{
		{"message of 40 lines: the buffer and the string", 2, func() {
			var m markdown.Builder
			writeBuilder(&m)
			_, _ = m.Len(), m.String()
		}},
		{"text into the buffer", 0, func() {
			markdown.Reset(&m)
			m.Paragraph(dirty200)
		}},
		{"inline into the buffer", 0, func() {
			markdown.Reset(&m)
			m.Paragraph(bold)
		}},
		{"escape of clean text", 0, func() { _ = markdown.Escape(clean200) }},
		{"escape of dirty text", 2, func() { _ = markdown.Escape(dirty200) }},
		{"mentions in text without", 0, func() { markdown.Mentions(dirty200) }},
		{"plain text", 2, func() { markdown.Plain(clean200) }},
	}
	for _, tt := range tests {
		if got := testing.AllocsPerRun(100, tt.f); got > tt.want {
			t.Errorf("%s: %v allocations, want at most %v", tt.name, got, tt.want)
		}
	}
}
