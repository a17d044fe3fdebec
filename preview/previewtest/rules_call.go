package previewtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/weboffice-go/weboffice/preview"
)

// patience is how long a method may take to notice that its context has ended.
const patience = 2 * time.Second

// callRules are about how a store is called.
var callRules = []rule{
	{"context", "the methods that read return soon after their context has ended", false, func(ctx context.Context, s *subject) error {
		readers := s.readers(ctx)
		ended, cancel := context.WithCancel(ctx)
		cancel()
		var errs []error
		for name, call := range readers {
			errs = append(errs, soon(name, func() error { return call(ended, s.docs[0]) }))
		}
		return errors.Join(errs...)
	}},
	{"concurrent", "the methods are called by any number of goroutines at once", false, concurrent},
}

// reader is a method that changes nothing.
type reader func(ctx context.Context, d *document) error

// readers gives them by name.
func (s *subject) readers(ctx context.Context) map[string]reader {
	all := map[string]reader{
		"File":       func(ctx context.Context, d *document) error { return s.file(ctx, d.r) },
		"Permission": func(ctx context.Context, d *document) error { return s.permission(ctx, d.r) },
		"Download":   func(ctx context.Context, d *document) error { return s.download(ctx, d.r) },
	}
	if ids := s.someUsers(ctx); s.Config.Users != nil && len(ids) > 0 {
		all["Users"] = func(ctx context.Context, d *document) error {
			_, err := s.users(ctx, d.r, ids...)
			return err
		}
	}
	if s.Config.History != nil {
		all["Versions"] = func(ctx context.Context, d *document) error {
			_, err := d.versions(ctx, preview.Page{})
			return err
		}
	}
	return all
}

// soon reports a call that does not come back. What it comes back with does not matter.
func soon(name string, call func() error) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = guard(call)
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-done:
		return nil
	case <-timer.C:
		return fmt.Errorf("%s has not returned after %v", name, patience)
	}
}

// callers is how many goroutines call at once, each for one of the documents.
const callers = 16

// concurrent reports calls that fail only beside others.
func concurrent(ctx context.Context, s *subject) error {
	var group sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	for name, c := range s.readers(ctx) {
		for i := range callers {
			d := s.docs[i%len(s.docs)]
			if i < len(s.docs) && c(ctx, d) != nil || ctx.Err() != nil {
				break // It fails alone as well, which is another rule.
			}
			group.Go(func() {
				if err := guard(func() error { return c(ctx, d) }); err != nil {
					mu.Lock()
					defer mu.Unlock()
					errs = append(errs, fmt.Errorf("%s of %q: %w", name, d.r.FileID, err))
				}
			})
		}
		group.Wait()
	}
	return errors.Join(errs...)
}
