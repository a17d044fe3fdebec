package main

import (
	"fmt"
	"io"
	"os"

	"github.com/vbauerster/mpb/v8/cwriter"

	"github.com/weboffice-go/weboffice/convert"
)

// reporter tells the user how it goes. Its methods are not called concurrently.
type reporter interface { //nolint:interfacebloat // Each of its methods is something that happens.
	submitted(key int, t convert.Task)
	progress(key int, s *convert.Status)
	end(key int, o convert.Outcome)
	close()
}

// newReporter draws bars on a terminal and writes lines elsewhere; with -quiet,
// only failures. It also gives the writer for results, which on the same terminal
// must not cross the bars.
func newReporter(o *options, env environment) (reporter, io.Writer) {
	l := &lines{w: env.stderr, documents: o.documents, quiet: o.quiet, last: map[int]string{}}
	if o.quiet || !isTerminal(env.stderr) {
		return l, env.stdout
	}
	b := newBars(l)
	if isTerminal(env.stdout) {
		return b, b.container
	}
	return b, env.stdout
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && cwriter.IsTerminal(int(f.Fd()))
}

// lines is a reporter for logs.
type lines struct {
	w         io.Writer
	documents []*document
	quiet     bool
	last      map[int]string // said of a document, so that it is not said again
}

func (l *lines) say(key int, format string, args ...any) {
	fmt.Fprintf(l.w, "%s: %s\n", l.documents[key].source(), fmt.Sprintf(format, args...))
}

func (l *lines) submitted(key int, t convert.Task) {
	if !l.quiet {
		l.say(key, "task %s", t.ID)
	}
}

func (l *lines) progress(key int, s *convert.Status) {
	text := fmt.Sprintf("%.0f %%, %s", s.Progress, s.State)
	if !l.quiet && l.last[key] != text {
		l.last[key] = text
		l.say(key, "%s", text)
	}
}

func (l *lines) end(key int, o convert.Outcome) {
	delete(l.last, key)
	switch {
	case o.Err != nil:
		l.say(key, "not converted: %v", o.Err)
	case !l.quiet:
		l.say(key, "done, files: %d", len(o.Paths))
	}
}

func (l *lines) close() {}
