package webhooklog

import (
	"log/slog"
	"slices"
	"strconv"
	"time"

	"github.com/weboffice-go/weboffice/markdown"
)

// kind is what makes records equal.
type kind struct {
	level slog.Level
	text  string
}

// count is what is kept of the records of a kind.
type count struct {
	kind
	n           int
	first, last time.Time
	attrs       string // of the last one
}

// batch is what one message says. Its size is bounded by the number of kinds.
type batch struct {
	kinds   []*count
	more    int // records of further kinds
	records int
}

func (b *batch) add(c *count, most int) {
	b.records += c.n
	i := slices.IndexFunc(b.kinds, func(other *count) bool { return other.kind == c.kind })
	switch {
	case i >= 0:
		same := b.kinds[i]
		same.n += c.n
		same.last, same.attrs = c.last, c.attrs
	case len(b.kinds) == most:
		b.more += c.n
	default:
		b.kinds = append(b.kinds, c)
	}
}

// markdown is the message of a batch, in the order in which its kinds came.
func (b *batch) markdown(title string) string {
	var out markdown.Builder
	out.Paragraph(markdown.Bold(markdown.Raw(title)))
	items := make([]any, 0, len(b.kinds)+1)
	for _, c := range b.kinds {
		items = append(items, c.inline())
	}
	if b.more > 0 {
		items = append(items, "and "+strconv.Itoa(b.more)+" records of other kinds")
	}
	out.List(items...)
	return out.String()
}

func (c *count) inline() markdown.Inline {
	const clock = "15:04:05"
	parts := []any{markdown.Bold(c.level.String()), " ", c.text}
	if c.n > 1 {
		parts = append(parts, " ", markdown.Bold("×"+strconv.Itoa(c.n)))
	}
	if c.attrs != "" {
		parts = append(parts, " (", c.attrs, ")")
	}
	switch {
	case c.last.IsZero():
	case c.last.Sub(c.first) < time.Second:
		parts = append(parts, " at ", c.last.Format(clock))
	default:
		parts = append(parts, " from ", c.first.Format(clock), " to ", c.last.Format(clock))
	}
	return markdown.Join(parts...)
}
