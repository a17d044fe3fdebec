package markdown

import (
	"fmt"
	"strings"
)

// Inline is text within a block, such as a bold word or a mention. The zero value is empty.
// It may be compared and used in several messages.
//
// As a parameter of type any, an Inline is used as it is; any other value is text, printed by
// [fmt.Sprint] and escaped. A line feed in text breaks the line.
type Inline struct {
	// s is text with marks, see marks.go. What the marks become depends on what is
	// beside them, so it is decided when a block is written.
	s string
}

// String returns i as markdown at the beginning of a block.
func (i Inline) String() string {
	w := writer{loose: true, bol: true}
	w.inline(i.s)
	w.finish()
	return string(w.b)
}

// Join makes one Inline of parts, without a separator.
func Join(parts ...any) Inline {
	return Inline{string(appendParts(nil, parts))}
}

// Each converts a slice to arguments:
//
//	b.List(markdown.Each(names)...)
func Each[T any](items []T) []any {
	parts := make([]any, len(items))
	for i, item := range items {
		parts[i] = item
	}
	return parts
}

// Raw uses md as markdown, unescaped. Never pass text from outside: it could mention
// everyone. Control characters are removed; further lines are indented to stay in the block.
func Raw(md string) Inline {
	md = strings.ReplaceAll(strings.ToValidUTF8(md, "\ufffd"), "\r\n", "\n")
	return element(markRaw, strings.Map(func(r rune) rune {
		if isMark(r) {
			return -1
		}
		return r
	}, md))
}

// LineBreak ends a line within a block, as a line feed in text does.
func LineBreak() Inline { return Inline{"\n"} }

// appendParts appends the text and marks of parts.
func appendParts(dst []byte, parts []any) []byte {
	for _, part := range parts {
		if s, marked := textOf(part); marked {
			dst = append(dst, s...)
		} else {
			dst = appendClean(dst, s)
		}
	}
	return dst
}

// textOf returns the text of a part, and whether it may have marks in it.
func textOf(part any) (s string, marked bool) {
	switch p := part.(type) {
	case string:
		return p, false
	case Inline:
		return p.s, true
	}
	return fmt.Sprint(part), false
}
