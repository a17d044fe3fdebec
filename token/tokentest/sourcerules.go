package tokentest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/token"
)

// sourceRule is one sentence of the contract of token.Source.
type sourceRule struct {
	name     string
	sentence string
	check    func(ctx context.Context, s token.Source, known, unknown string) error
}

// RunSource checks a Source that has a token for the app known and none for the app
// unknown, in one subtest for each sentence of the contract of token.Source. newSource is
// called for each.
func RunSource(t *testing.T, newSource func(t *testing.T) token.Source, known, unknown string) {
	t.Helper()
	for _, r := range sourceRules {
		t.Run(r.name, func(t *testing.T) {
			report(t, r.sentence, r.check(t.Context(), newSource(t), known, unknown))
		})
	}
}

// sourceRules are the sentences that RunSource checks.
var sourceRules = []sourceRule{
	{"token", "an app that is known has a token", checkToken},
	{"end", "a token says when it expires, and has at least a second left", checkEnd},
	{"again", "a token can be asked for repeatedly", checkAgain},
	{"unknown app", "for an unknown app the error is token.ErrUnknownApp, alone or wrapped", checkUnknownApp},
	{"concurrent", "a Source is called concurrently", checkSourceConcurrent},
	{"context", "a Source obeys its context", checkContext},
	{"after a cancelled call", "a call whose context has ended does not spoil the next one", checkAfterCancel},
}

func checkToken(ctx context.Context, s token.Source, known, _ string) error {
	t, err := s.Token(ctx, known)
	if err != nil {
		return fmt.Errorf("Token(%q): %w", known, err)
	}
	if t.AccessToken.IsZero() {
		return fmt.Errorf("Token(%q) is empty", known)
	}
	return nil
}

func checkEnd(ctx context.Context, s token.Source, known, _ string) error {
	t, err := s.Token(ctx, known)
	if err != nil {
		return nil //nolint:nilerr // Another rule reports it.
	}
	if time.Until(t.ExpiresAt) < time.Second {
		return fmt.Errorf("ExpiresAt is %v", t.ExpiresAt)
	}
	return nil
}

func checkAgain(ctx context.Context, s token.Source, known, _ string) error {
	if _, err := s.Token(ctx, known); err != nil {
		return nil //nolint:nilerr // Another rule reports it.
	}
	for range 3 {
		if _, err := s.Token(ctx, known); err != nil {
			return fmt.Errorf("asked again: %w", err)
		}
	}
	return nil
}

func checkUnknownApp(ctx context.Context, s token.Source, _, unknown string) error {
	if _, err := s.Token(ctx, unknown); !errors.Is(err, token.ErrUnknownApp) {
		return fmt.Errorf("Token(%q) gave the error %w", unknown, err)
	}
	return nil
}

func checkSourceConcurrent(ctx context.Context, s token.Source, known, _ string) error {
	return concurrently(func() error {
		_, err := s.Token(ctx, known)
		return err
	})
}

// returnLimit is how long a call may take after its context has ended.
const returnLimit = 5 * time.Second

func checkContext(ctx context.Context, s token.Source, known, _ string) error {
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = s.Token(ctx, known)
	}()
	select {
	case <-done:
		return nil
	case <-time.After(returnLimit):
		return fmt.Errorf("Token(%q) did not return within %v of the end of its context", known, returnLimit)
	}
}

func checkAfterCancel(ctx context.Context, s token.Source, known, _ string) error {
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, _ = s.Token(ended, known)
	if _, err := s.Token(ctx, known); err != nil {
		return fmt.Errorf("the next call failed: %w", err)
	}
	return nil
}
