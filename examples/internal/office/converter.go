package office

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
)

// keepResults is how long the results of a task stay on disk: longer than an address of
// them works (protocol 8).
const keepResults = 2 * convert.URLLifetime

// Converter makes the engine the work of a converttest.Server. A task that takes
// longer than maxWait, waiting for an instance included, ends with an error; zero is no
// such limit. Documents and results are files. Results stay for an hour, or until the
// engine is closed.
func (e *Engine) Converter(maxWait time.Duration) converttest.Converter {
	return converttest.AsyncPaths(func(ctx context.Context, s converttest.Submission, progress func(float64)) ([]string, error) {
		if maxWait > 0 {
			var stop context.CancelFunc
			ctx, stop = context.WithTimeoutCause(ctx, maxWait, tooLong(maxWait))
			defer stop()
		}
		e.forgetResults()
		dir, err := os.MkdirTemp(e.dir.path, resultsPrefix)
		if err != nil {
			return nil, fmt.Errorf("office: %w", err)
		}
		paths, err := e.serve(ctx, s, dir, progress)
		if err != nil {
			_ = os.RemoveAll(dir)
		}
		return paths, err
	})
}

// serve does a task in a folder for its results.
func (e *Engine) serve(ctx context.Context, s converttest.Submission, dir string, progress func(float64)) ([]string, error) {
	path := filepath.Join(dir, "document"+filepath.Ext(filepath.Base(s.Filename)))
	defer func() { _ = os.Remove(path) }()
	progress(5)
	if err := e.fetch(ctx, s, path); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, err
	}
	progress(40)
	return e.Convert(ctx, Job{
		Path: path, Name: s.Filename, Target: s.Task.Target, Dir: dir, Pages: s.Pages, Password: s.Password,
		MergePages: s.MergePages, KeepLineBreaks: s.KeepLineBreaks, ShowComments: s.ShowComments,
		Progress: func(share float64) { progress(40 + 59*share) },
	})
}

// resultsPrefix begins the names of the folders of tasks.
const resultsPrefix = "task-"

// forgetResults removes those of tasks that ended long ago.
func (e *Engine) forgetResults() {
	entries, _ := os.ReadDir(e.dir.path)
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && strings.HasPrefix(entry.Name(), resultsPrefix) && time.Since(info.ModTime()) > keepResults {
			_ = os.RemoveAll(filepath.Join(e.dir.path, entry.Name()))
		}
	}
}

// fetch downloads the document of s into a file.
func (e *Engine) fetch(ctx context.Context, s converttest.Submission, path string) error {
	r, err := s.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	n, err := io.Copy(file, io.LimitReader(r, e.cfg.MaxDocument+1))
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("fetch the document: %w", err)
	}
	if n > e.cfg.MaxDocument {
		return tooLarge("the document", e.cfg.MaxDocument)
	}
	return nil
}
