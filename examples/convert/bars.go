package main

import (
	"context"
	"errors"
	"strings"
	"unicode"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/weboffice-go/weboffice/convert"
)

// bars is a reporter for a terminal: a bar for each document in progress, above one
// for all of them. Failures are lines that stay.
type bars struct {
	container *mpb.Progress
	lines     *lines
	all       *mpb.Bar
	documents map[int]*mpb.Bar
}

const (
	last       = 1 << 30 // The priority of the bar at the bottom.
	mostBars   = 12      // More than a terminal has lines would leave traces.
	widestName = 32      // In columns.
)

func newBars(l *lines) *bars {
	container := mpb.New(mpb.WithOutput(l.w), mpb.WithAutoRefresh(), mpb.WithWidth(72))
	failures := *l
	failures.w, failures.quiet = container, true // Written above the bars.
	return &bars{
		container: container,
		lines:     &failures,
		documents: map[int]*mpb.Bar{},
		all: container.AddBar(int64(len(l.documents)), mpb.BarPriority(last),
			mpb.PrependDecorators(decor.Name("all documents", decor.WCSyncSpaceR)),
			mpb.AppendDecorators(decor.CountersNoUnit("%d of %d"))),
	}
}

func (b *bars) submitted(key int, _ convert.Task) {
	if len(b.documents) >= mostBars {
		return
	}
	b.documents[key] = b.container.AddBar(100, mpb.BarPriority(key), mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(shortName(b.lines.documents[key].filename), decor.WCSyncSpaceR)),
		mpb.AppendDecorators(decor.Percentage(decor.WCSyncSpace), decor.Elapsed(decor.ET_STYLE_GO, decor.WCSyncSpace)))
}

// progress moves a bar forward only: a failure has the progress 0.
func (b *bars) progress(key int, s *convert.Status) {
	if bar := b.documents[key]; bar != nil {
		bar.SetCurrent(max(bar.Current(), min(int64(s.Progress), 99))) // It is done when its files are here.
	}
}

func (b *bars) end(key int, o convert.Outcome) {
	if bar := b.documents[key]; bar != nil {
		bar.Abort(true)
		delete(b.documents, key)
	}
	if errors.Is(o.Err, context.Canceled) {
		return // Interrupted: the last line of the command counts these.
	}
	b.lines.end(key, o)
	b.all.Increment()
}

// close takes the bars off the terminal.
func (b *bars) close() {
	for _, bar := range b.documents {
		bar.Abort(true)
	}
	b.all.Abort(true)
	b.container.Wait()
}

// shortName cuts a name to [widestName] columns, and keeps its end, which has the
// extension.
func shortName(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '_'
		}
		return r
	}, name)
	runes := []rune(name)
	if columns(runes) <= widestName {
		return name
	}
	const end = 10
	tail := runes[max(len(runes)-end, 0):]
	head := runes[:len(runes)-len(tail)]
	for len(head) > 0 && columns(head)+1+columns(tail) > widestName {
		head = head[:len(head)-1]
	}
	return string(head) + "…" + string(tail)
}

// columns is how wide a terminal writes text: East Asian characters take two.
func columns(text []rune) (n int) {
	for _, r := range text {
		n++
		if r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) || r >= 0xFF00 && r < 0xFF61 || r >= 0x1F300 {
			n++
		}
	}
	return n
}
