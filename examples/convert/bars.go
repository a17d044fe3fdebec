package main

import (
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/weboffice-go/weboffice/convert"
)

// bars is a reporter for a terminal: a bar for each document under way, above one
// for all of them. Failures are lines that stay.
type bars struct {
	container *mpb.Progress
	lines     *lines
	all       *mpb.Bar
	documents map[int]*mpb.Bar
}

// last is the priority of the bar at the bottom.
const last = 1 << 30

func newBars(l *lines) *bars {
	container := mpb.New(mpb.WithOutput(l.w), mpb.WithAutoRefresh(), mpb.WithWidth(60))
	failures := *l
	failures.w, failures.quiet = container, true // written above the bars
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
	b.documents[key] = b.container.AddBar(100, mpb.BarPriority(key), mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(b.lines.documents[key].filename, decor.WCSyncSpaceR)),
		mpb.AppendDecorators(decor.Percentage()))
}

func (b *bars) progress(key int, s *convert.Status) {
	if bar := b.documents[key]; bar != nil {
		bar.SetCurrent(min(int64(s.Progress), 99)) // it is done when its files are here
	}
}

func (b *bars) end(key int, o convert.Outcome) {
	b.lines.end(key, o)
	if bar := b.documents[key]; bar != nil {
		bar.Abort(true)
		delete(b.documents, key)
	}
	b.all.Increment()
}

// close leaves the terminal in order, also where documents were not reached.
func (b *bars) close() {
	b.all.Abort(false)
	b.container.Wait()
}
