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
		found[r.name] = r.run(ctx, newFixture())
	}
	return found
}

// SourceRules does so with those of RunSource.
func SourceRules(ctx context.Context, newSource func() token.Source, known, unknown string) map[string]error {
	found := map[string]error{}
	for _, r := range sourceRules {
		found[r.name] = r.check(ctx, newSource(), known, unknown)
	}
	return found
}
