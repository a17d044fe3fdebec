package markdown

import (
	"slices"
	"strconv"
	"unicode/utf8"
)

// Builder writes a message block by block, with a blank line between blocks. A block without
// visible text is omitted. The zero value is ready to use. Do not copy a Builder after its
// first use.
type Builder struct {
	w    writer
	list string // kind of the list that was written last, if nothing came after it
}

// Heading writes parts as a heading; line breaks become spaces. Level 1 is the largest, 6
// the smallest; other levels become the nearest.
func (b *Builder) Heading(level int, parts ...any) *Builder {
	const marks = "###### "
	level = min(max(level, 1), 6)
	b.block(marks[6-level:], "", true, parts)
	return b
}

// Paragraph writes a paragraph.
func (b *Builder) Paragraph(parts ...any) *Builder {
	b.block("", "", false, parts)
	return b
}

// Quote writes a quotation.
func (b *Builder) Quote(parts ...any) *Builder {
	b.block("> ", "> ", false, parts)
	return b
}

// List writes an unordered list. An item may have several lines; [Join] makes one item of
// several parts.
func (b *Builder) List(items ...any) *Builder {
	return b.items("- ", 0, items)
}

// OrderedList writes a list that is numbered from 1; see [Builder.List].
func (b *Builder) OrderedList(items ...any) *Builder {
	return b.OrderedListFrom(1, items...)
}

// OrderedListFrom writes a list that is numbered from first, or from the nearest number with
// which all numbers are between 0 and 999999999.
func (b *Builder) OrderedListFrom(first int, items ...any) *Builder {
	const last = 999_999_999 // CommonMark 5.2
	first = max(min(first, last+1-len(items)), 0)
	return b.items(numbered, first, items)
}

// Image writes an [Image] as a block.
func (b *Builder) Image(url string) *Builder {
	if address, ok := parseAddress(url); ok {
		b.separate()
		b.w.b = append(append(append(b.w.b, "![]("...), address...), ')')
	}
	return b
}

// String returns the message, without a line feed at the end.
func (b *Builder) String() string { return string(b.w.b) }

// Len returns the length of the message in characters, which protocol 8 limits.
func (b *Builder) Len() int { return utf8.RuneCount(b.w.b) }

// block writes one block, or nothing if nothing of it is visible.
func (b *Builder) block(marker, indent string, oneLine bool, parts []any) {
	before, list := len(b.w.b), b.list
	b.separate()
	b.w.b = append(b.w.b, marker...)
	b.w.begin(indent, oneLine)
	b.w.parts(parts)
	if !b.w.finish() {
		b.w.b, b.list = b.w.b[:before], list
		return
	}
	if oneLine {
		b.w.keepHashes()
	}
}

// separate ends the block before.
func (b *Builder) separate() {
	b.list = ""
	if b.w.b == nil {
		b.w.b = make([]byte, 0, 1<<10) // Most messages are shorter.
	}
	if len(b.w.b) > 0 {
		b.w.b = append(b.w.b, "\n\n"...)
	}
}

// numbered is the kind of a list whose markers are numbers.
const numbered = "1. "

// items writes a list of a kind, which is its marker. Two lists of one kind would be one,
// so a paragraph that shows nothing is put between them.
func (b *Builder) items(kind string, first int, items []any) *Builder {
	const spaces = "           " // as long as the longest marker
	if len(items) > 0 && b.list == kind {
		b.separate()
		b.w.b = append(b.w.b, noBreakSpace...)
	}
	for i := range items {
		if i == 0 {
			b.separate()
		} else {
			b.w.b = append(b.w.b, '\n')
		}
		marker := kind
		if kind == numbered {
			marker = strconv.Itoa(first+i) + kind[1:]
		}
		b.w.b = append(b.w.b, marker...)
		b.w.begin(spaces[:len(marker)], false)
		b.w.item, b.list = true, kind
		b.w.parts(items[i : i+1])
		if !b.w.finish() {
			b.w.b = append(b.w.b, noBreakSpace...)
		}
	}
	return b
}

// keepHashes escapes number signs at the end of a heading, which would be taken for its
// end mark.
func (w *writer) keepHashes() {
	end := len(w.b)
	for end > w.start && w.b[end-1] == '#' {
		end--
	}
	if end < len(w.b) && (end == w.start || w.b[end-1] == ' ' || w.b[end-1] == '\t') {
		w.b = slices.Insert(w.b, end, '\\')
	}
}
