package office

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/weboffice-go/weboffice/convert/converttest"
)

// Converter makes the engine the work of a converttest.Server. A task that takes
// longer than maxWait, waiting for an instance included, ends with an error; zero is no
// such limit. The results of a task are in memory, since a converttest.Step holds bytes:
// 512 MB of text at most, or one PDF.
func (e *Engine) Converter(maxWait time.Duration) converttest.Converter {
	return converttest.Async(func(ctx context.Context, s converttest.Submission, progress func(float64)) ([][]byte, error) {
		if maxWait > 0 {
			var stop context.CancelFunc
			ctx, stop = context.WithTimeoutCause(ctx, maxWait, tooLong(maxWait))
			defer stop()
		}
		dir, err := os.MkdirTemp(e.dir.path, "task-")
		if err != nil {
			return nil, fmt.Errorf("office: %w", err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		path := filepath.Join(dir, "document"+filepath.Ext(filepath.Base(s.Filename)))
		progress(5)
		if err := e.fetch(ctx, s, path); err != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			return nil, err
		}
		progress(40)
		files, err := e.Convert(ctx, Job{
			Path: path, Target: s.Task.Target, Dir: dir, Pages: s.Pages, Password: s.Password,
			MergePages: s.MergePages, KeepLineBreaks: s.KeepLineBreaks, ShowComments: s.ShowComments,
			Progress: func(share float64) { progress(40 + 59*share) },
		})
		if err != nil {
			return nil, err
		}
		return read(files)
	})
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

// read gives the contents of results, as a converttest.Step has them.
func read(paths []string) ([][]byte, error) {
	files := make([][]byte, len(paths))
	for i, path := range paths {
		var err error
		if files[i], err = os.ReadFile(path); err != nil {
			return nil, err
		}
	}
	return files, nil
}
