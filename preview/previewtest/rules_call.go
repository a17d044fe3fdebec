package previewtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/weboffice-go/weboffice/preview"
)

// callRules are about how a store is called, and what its errors become.
var callRules = []rule{
	{"context", "the methods that read return soon after their context has ended", func(ctx context.Context, s *subject) error {
		ended, cancel := context.WithCancel(ctx)
		cancel()
		var errs []error
		for name, call := range readers {
			errs = append(errs, soon(name, func() error { return call(ended, s.docs[0]) }))
		}
		return errors.Join(errs...)
	}},
	{"concurrent", "the methods are called by any number of goroutines at once", concurrent},
	{"error-text", "the text of an error that is not known does not reach the caller", func(_ context.Context, s *subject) error {
		text := rand.Text()
		if strings.Contains(s.Config.MapError(errors.New(text)).Message, text) {
			return errors.New("MapError passes it on")
		}
		return nil
	}},
}

// readers are the methods that change nothing. One that is not there is refused.
var readers = map[string]asking{
	"File":       func(ctx context.Context, d *document) error { return failure(d.v.File(ctx, d.id)) },
	"Permission": func(ctx context.Context, d *document) error { return failure(d.v.Permission(ctx, d.id)) },
	"Download":   askDownload,
	"Users":      func(ctx context.Context, d *document) error { return failure(d.v.Users(ctx, "nobody")) },
	"Versions":   func(ctx context.Context, d *document) error { return failure(d.v.Versions(ctx, d.id, preview.Page{})) },
}

// maxDelay is how long a method may take to return after its context has ended.
const maxDelay = 2 * time.Second

// soon reports a call that does not come back. What it comes back with does not matter.
func soon(name string, call func() error) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = guard(call)
	}()
	select {
	case <-done:
		return nil
	case <-time.After(maxDelay):
		return fmt.Errorf("%s has not returned after %v", name, maxDelay)
	}
}

// callers is how many goroutines call at once, each for one of the documents.
const callers = 16

// concurrent reports calls that fail only beside others.
func concurrent(ctx context.Context, s *subject) error {
	var errs []error
	for name, call := range readers {
		docs := slices.DeleteFunc(slices.Clone(s.docs), func(d *document) bool { return call(ctx, d) != nil })
		if len(docs) == 0 {
			continue // It fails alone as well, which is another rule.
		}
		err := parallel(callers, func(i int) error { return call(ctx, docs[i%len(docs)]) })
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

// parallel calls f for 0 to n-1 at the same time, and joins the errors.
func parallel(n int, f func(i int) error) error {
	errs := make([]error, n)
	var group sync.WaitGroup
	for i := range errs {
		group.Go(func() {
			if err := guard(func() error { return f(i) }); err != nil {
				errs[i] = fmt.Errorf("%d of %d at once: %w", i+1, n, err)
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

// refusalRules are about who and what a Store refuses, and how.
var refusalRules = []rule{
	refusal("missing-file", "File of a document that does not exist is ErrNotFound", missing, asks((*document).File), preview.ErrNotFound),
	refusal("missing-download", "Download of a document that does not exist is ErrNotFound", missing, askDownload, preview.ErrNotFound),
	requestRule("missing-permission", "Permission of a document that does not exist is not an internal error", missing, func(ctx context.Context, d *document) error {
		if _, err := d.Permission(ctx); err != nil && d.s.is(err, errors.New("unknown")) {
			return fmt.Errorf("it is code %d: %w", d.s.code(err), err)
		}
		return nil
	}),
	requestRule("denied-permission", "a user who may not read has a Permission that allows nothing, or ErrForbidden", denied, func(ctx context.Context, d *document) error {
		p, err := d.Permission(ctx)
		if err != nil {
			return d.s.denied("Permission", err)
		}
		if p != (preview.Permission{UserID: p.UserID}) {
			return fmt.Errorf("it allows something: %v", p)
		}
		return nil
	}),
	refusal("denied-download", "Download refuses a user who may not read, by itself, with ErrForbidden", denied, askDownload,
		preview.ErrForbidden, preview.ErrUnauthorized, preview.ErrNotFound),
	refusal("nobody-permission", "Permission for an unknown token is ErrUnauthorized", nobody, asks((*document).Permission), preview.ErrUnauthorized),
	refusal("nobody-download", "Download refuses an unknown token", nobody, askDownload,
		preview.ErrUnauthorized, preview.ErrForbidden, preview.ErrNotFound),
}

func missing(f Fixture) preview.Request { return f.Missing }
func denied(f Fixture) preview.Request  { return f.Denied }
func nobody(f Fixture) preview.Request  { return f.NoUser }

// requestRule is a rule about a document that does not exist, or is not for the user.
func requestRule(name, explain string, request func(Fixture) preview.Request, check asking) rule {
	return rule{name, explain, func(ctx context.Context, s *subject) error {
		r := request(s.Fixture)
		if r.FileID == "" {
			return skipped("the fixture has no such request")
		}
		return check(ctx, s.document(r))
	}}
}

// refusal is a rule that a call fails in one of some ways.
func refusal(name, explain string, request func(Fixture) preview.Request, ask asking, wanted ...error) rule {
	return requestRule(name, explain, request, func(ctx context.Context, d *document) error {
		return d.s.refused(strconv.Quote(d.id), ask(ctx, d), wanted...)
	})
}

// everyDenied calls check for each user of the fixture who may not do something with a
// part of the Config.
func (s *subject) everyDenied(ctx context.Context, part string, there bool, may func(preview.Permission) bool, check func(d *document) error) error {
	if err := s.has(part, there); err != nil {
		return err
	}
	var who []*document
	if s.Denied.FileID != "" {
		who = append(who, s.document(s.Denied))
	}
	for _, d := range s.docs {
		if p, err := d.Permission(ctx); err == nil && !may(p) {
			who = append(who, d)
		}
	}
	if len(who) == 0 {
		return skipped("the fixture has no Denied, and the users of Existing may")
	}
	return (&subject{docs: who}).each(check)
}
