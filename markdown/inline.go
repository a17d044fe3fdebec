package markdown

import "fmt"

// Inline is text within a block, such as a bold word or a mention. The functions of this
// package make it; save for [Raw], it holds nothing that was not escaped. The zero value
// is empty. It may be kept, compared and used in several messages.
//
// Wherever a parameter is of type any, a string is text and is always escaped, an Inline
// stays what it is, and a value of another type is printed by [fmt.Sprint] and is text then. A
// line feed in text breaks the line; in a block of one line it becomes a space.
type Inline struct {
	// s is text with marks, see marks.go. What the marks become depends on what stands
	// beside them, so it is decided when a block is written.
	s string
}

// String returns the markdown of i as it would begin a block.
func (i Inline) String() string {
	w := writer{loose: true}
	w.inline(i.s)
	w.finish()
	return string(w.b)
}

// Join makes one Inline of parts, with nothing between them. It is how an item of a list
// gets several parts.
func Join(parts ...any) Inline {
	return Inline{string(appendParts(nil, parts))}
}

// Each makes the elements of a slice the arguments of a call:
//
//	b.List(markdown.Each(names)...)
func Each[T any](items []T) []any {
	parts := make([]any, len(items))
	for i, item := range items {
		parts[i] = item
	}
	return parts
}

// Raw is markdown that is taken as it is. It must never hold text from outside: whoever
// writes it can mention everyone. Only control characters are left out, and lines after
// the first are indented so that they stay in their block. [Plain] repeats it unchanged.
func Raw(md string) Inline {
	return element(markRaw, appendTrusted(nil, md))
}

// LineBreak ends a line within a block, as a line feed in a string does.
func LineBreak() Inline { return Inline{"\n"} }

// appendParts appends the text and marks of parts.
func appendParts(dst []byte, parts []any) []byte {
	for _, part := range parts {
		switch p := part.(type) {
		case string:
			dst = appendClean(dst, p)
		case Inline:
			dst = append(dst, p.s...)
		default:
			dst = appendClean(dst, fmt.Sprint(p))
		}
	}
	return dst
}
