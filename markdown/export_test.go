package markdown

// Reset empties b and keeps its buffer.
func Reset(b *Builder) {
	b.w.b, b.list = b.w.b[:0], ""
}
