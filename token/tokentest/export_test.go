package tokentest

import (
	"context"

	"github.com/weboffice-go/weboffice/token"
)

// ErrSkip is what a rule gives that a fixture says nothing about.
var ErrSkip = errSkip

// Rules runs the rules of Run, each by itself, and returns what each found.
func Rules(ctx context.Context, newFixture func() Fixture) map[string]error {
	found := map[string]error{}
	for _, r := range rules {
		s, err := newSession(newFixture())
		if err == nil {
			err = r.check(ctx, s)
		}
		found[r.name] = err
	}
	return found
}

// SourceRules does so with those of RunSource.
func SourceRules(ctx context.Context, newSource func() token.Source, known, unknown string) map[string]error {
	found := map[string]error{}
	for _, r := range sourceRules {
		found[r.name] = r.check(ctx, store{newSource(), known, unknown})
	}
	return found
}
