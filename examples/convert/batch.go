package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/weboffice-go/weboffice/convert"
)

// convertAll converts the documents of o, tells the user how it goes, and sums up.
// It gives up where the paths of results cannot be written.
func convertAll(ctx context.Context, s *service, o *options, env environment) (*summary, error) {
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return nil, err
	}
	r, results := newReporter(o, env)
	sum := newSummary(o.documents)
	options := &convert.BatchOptions[int]{
		Concurrency: o.concurrency,
		Dir:         o.out,
		Name:        func(key, i, n int, _ convert.File) string { return o.fileName(key, i, n) },
		Submitted: func(key int, t convert.Task) error {
			r.submitted(key, t)
			return nil
		},
		Progress: r.progress,
	}
	var unread error
	end := func(key int, outcome convert.Outcome) {
		sum.end(key, outcome)
		r.end(key, outcome)
		if !o.json {
			unread = errors.Join(unread, printPaths(results, outcome.Paths, o.documents[key], len(o.documents) > 1))
		}
	}
	ready := make([]bool, len(o.documents)) // before the batch, which reads its requests in another goroutine
	for key, d := range o.documents {
		if err := readable(d); err != nil {
			end(key, convert.Outcome{Err: err})
			continue
		}
		ready[key] = true
	}
	for key, outcome := range convert.Batch(ctx, s.client, requests(s, o, ready), options) {
		if end(key, outcome); unread != nil {
			break
		}
	}
	r.close()
	if unread != nil {
		return nil, fmt.Errorf("print results: %w", unread)
	}
	if o.json {
		return sum, sum.write(env.stdout)
	}
	return sum, nil
}

// printPaths says where the results are and, among several documents, of which.
func printPaths(w io.Writer, paths []string, d *document, several bool) error {
	for _, path := range paths {
		if several {
			path += "\t" + d.source()
		}
		if _, err := fmt.Fprintln(w, path); err != nil {
			return err
		}
	}
	return nil
}

// requests makes those of the documents that are ready, when their turn comes.
func requests(s *service, o *options, ready []bool) iter.Seq2[int, convert.Request] {
	return func(yield func(int, convert.Request) bool) {
		for key, d := range o.documents {
			if !ready[key] {
				continue
			}
			address := d.url
			if d.file != "" {
				address = s.publish(d.file, d.filename)
			}
			request := o.request(address, d.filename)
			if d.task != "" {
				request = convert.Task{ID: d.task, Target: o.target}
			}
			if !yield(key, request) {
				return
			}
		}
	}
}

// readable finds out before the service does.
func readable(d *document) error {
	if d.file == "" {
		return nil
	}
	info, err := os.Stat(d.file)
	if err == nil && !info.Mode().IsRegular() {
		return errors.New("not a file")
	}
	return err
}

// request is what the options ask for.
func (o *options) request(address, filename string) convert.Request {
	if o.target == convert.Text {
		return convert.TextRequest{
			URL: address, Filename: filename, Password: o.password, Pages: o.pages,
			MergePages: o.merge, KeepLineBreaks: o.keepLineBreaks,
		}
	}
	span, _ := o.pages.(convert.Span) // pageFlags sees to it
	return convert.PDFRequest{URL: address, Filename: filename, Password: o.password, Pages: span, ShowComments: o.comments}
}

// fileName is "report.pdf", or of several files "report-001.txt" and so on.
func (o *options) fileName(key, i, n int) string {
	base := o.documents[key].base
	if n == 1 {
		return fmt.Sprintf("%s.%s", base, o.target)
	}
	return fmt.Sprintf("%s-%03d.%s", base, i+1, o.target)
}
