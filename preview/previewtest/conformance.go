package previewtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/weboffice-go/weboffice/preview"
)

// Fixture is a store, and what is in it. The rules of a zero field are skipped. In requests
// set FileID, and WebOfficeToken and UserQuery if the store needs them.
type Fixture struct {
	_ [0]func()

	// Required, as for preview.NewHandler. Auth is not used.
	Config preview.Config

	// Required. Documents, each with a user. With Update and Rename in its Permission, Run
	// saves and renames; without, that must be refused. List the first with Update for
	// two users: both then save it at the same time.
	Existing []preview.Request

	Missing preview.Request // Of an unknown document.
	Denied  preview.Request // Of an existing document, and a user who may not read it.
	NoUser  preview.Request // Of an existing document, with an unknown token.
	UserIDs []string        // Of existing users.

	// Fetches the bytes of a download. If nil, by HTTP, except from hosts that are reserved
	// for documentation.
	Get func(ctx context.Context, d preview.Download) (io.ReadCloser, error)

	// Uploads the bytes of a save. If nil, by HTTP.
	Put func(ctx context.Context, a preview.UploadAddress, body []byte) (preview.UploadResult, error)
}

// rule is one sentence of the contract between preview.Store and its caller.
type rule struct {
	name    string // Of the subtest.
	explain string // The sentence, with its place in the protocol.
	check   func(ctx context.Context, s *subject) error
}

// documentRule is a rule about each existing document.
func documentRule(name, explain string, check asking) rule {
	return rule{name, explain, func(ctx context.Context, s *subject) error {
		return s.each(func(d *document) error { return check(ctx, d) })
	}}
}

// answeredRule is the rule that ask is answered, rightly or not.
func answeredRule(name, explain string, ask asking) rule {
	return documentRule(name, explain, func(ctx context.Context, d *document) error {
		if _, err := d.identified(ctx); err != nil {
			return nil // another rule reports it
		}
		return other(ask(ctx, d))
	})
}

// fieldRule is a rule that the Handler enforces, about some fields of an answer.
func fieldRule(name, explain string, ask asking, fields ...string) rule {
	return documentRule(name, explain, func(ctx context.Context, d *document) error { return about(ask(ctx, d), fields...) })
}

// skipped is why a rule could not be checked.
type skipped string

func (s skipped) Error() string { return string(s) }

// quiet passes on why something was skipped. Another rule reports other errors.
func quiet(err error) error {
	var reason skipped
	if errors.As(err, &reason) {
		return reason
	}
	return nil
}

// Run checks a store: one subtest for each sentence of its contract, each with a fixture of
// its own. It saves and renames, so newFixture makes a store that nothing else uses.
func Run(t *testing.T, newFixture func(t *testing.T) Fixture) {
	t.Helper()
	for _, r := range slices.Concat(reading, writing) {
		t.Run(r.name, func(t *testing.T) {
			s, err := newSubject(newFixture(t))
			if err != nil {
				t.Fatal(err)
			}
			err = s.run(t.Context(), r)
			switch reason := quiet(err); {
			case reason != nil:
				t.Skipf("not checked: %s: %s", r.explain, reason)
			case err != nil:
				t.Errorf("%s\n%v", r.explain, err)
			}
		})
	}
}

// Check is [Run] outside of tests. It only reads, and fetches each document twice and up to
// three of its versions once.
func Check(ctx context.Context, f Fixture) error {
	s, err := newSubject(f)
	if err != nil {
		return err
	}
	var errs []error
	for _, r := range reading {
		if err := ctx.Err(); err != nil {
			return errors.Join(append(errs, fmt.Errorf("previewtest: check: %w", err))...)
		}
		err := s.run(ctx, r)
		if err != nil && quiet(err) == nil {
			errs = append(errs, fmt.Errorf("previewtest: %s: %s: %w", r.name, r.explain, err))
		}
	}
	return errors.Join(errs...)
}

// The rules, in the order in which they are best read.
var (
	reading = slices.Concat(fileRules, permissionRules, downloadRules, refusalRules, callRules, userRules, historyRules)
	writing = slices.Concat(saveRules, togetherRules, renameRules)
)
