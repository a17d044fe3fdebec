package webhook

import (
	"log/slog"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/markdown"
)

// maxLogText is how many characters a message shows of a record's text, and of its
// attributes.
const maxLogText = 400

// logKind is what makes records equal.
type logKind struct {
	level slog.Level
	text  string
}

// logCount is what is kept of the records of a kind.
type logCount struct {
	logKind
	n           int
	first, last time.Time
	attrs       string // of the last one
}

// logBatch is what one message tells. Its size is bounded by the number of kinds.
type logBatch struct {
	kinds []*logCount
	index map[logKind]*logCount
	more  int // records of further kinds
}

func (b *logBatch) records() int {
	n := b.more
	for _, k := range b.kinds {
		n += k.n
	}
	return n
}

func (b *logBatch) add(c *logCount, most int) {
	if same := b.index[c.logKind]; same != nil {
		same.n += c.n
		same.last, same.attrs = c.last, c.attrs
		return
	}
	if len(b.kinds) == most {
		b.more += c.n
		return
	}
	if b.index == nil {
		b.index = map[logKind]*logCount{}
	}
	b.index[c.logKind] = c
	b.kinds = append(b.kinds, c)
}

func shorten(s string) string {
	if utf8.RuneCountInString(s) <= maxLogText {
		return s
	}
	return string([]rune(s)[:maxLogText]) + "…"
}

// markdown is the message for a batch, in the order in which its kinds came.
func (b *logBatch) markdown(title string) string {
	var out markdown.Builder
	out.Paragraph(markdown.Bold(markdown.Raw(title)))
	items := make([]any, 0, len(b.kinds)+1)
	for _, k := range b.kinds {
		items = append(items, k.inline())
	}
	if b.more > 0 {
		items = append(items, "and "+strconv.Itoa(b.more)+" records of other kinds")
	}
	out.List(items...)
	return out.String()
}

func (k *logCount) inline() markdown.Inline {
	const clock = "15:04:05"
	parts := []any{markdown.Bold(k.level.String()), " ", k.text}
	if k.n > 1 {
		parts = append(parts, " ", markdown.Bold("×"+strconv.Itoa(k.n)))
	}
	if k.attrs != "" {
		parts = append(parts, " (", k.attrs, ")")
	}
	switch {
	case k.last.IsZero():
	case k.last.Sub(k.first) < time.Second:
		parts = append(parts, " at ", k.last.Format(clock))
	default:
		parts = append(parts, " from ", k.first.Format(clock), " to ", k.last.Format(clock))
	}
	return markdown.Join(parts...)
}
