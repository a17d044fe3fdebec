package tokentest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weboffice-go/weboffice/token"
)

// store is a Source that has a token for the app known, and none for the app unknown.
type store struct {
	token.Source
	known, unknown string
}

// sourceRules are the sentences that RunSource checks.
var sourceRules = []rule[store]{
	{"token", "an app that is known has a token", checkToken},
	{"end", "a token says when it expires, and has at least a second left", checkEnd},
	{"again", "a token can be asked for repeatedly", checkAgain},
	{"unknown app", "for an unknown app the error is token.ErrUnknownApp, alone or wrapped", checkUnknownApp},
	{"concurrent", "a Source is called concurrently", func(ctx context.Context, s store) error {
		return concurrently(func() error {
			_, err := s.Token(ctx, s.known)
			return err
		})
	}},
	{"context", "a Source obeys its context", checkContext},
	{"after a cancelled call", "a call whose context has ended does not spoil the next one", checkAfterCancel},
}

func checkToken(ctx context.Context, s store) error {
	t, err := s.Token(ctx, s.known)
	if err != nil {
		return fmt.Errorf("Token(%q): %w", s.known, err)
	}
	if t.AccessToken.IsZero() {
		return fmt.Errorf("Token(%q) is empty", s.known)
	}
	return nil
}

func checkEnd(ctx context.Context, s store) error {
	t, err := s.Token(ctx, s.known)
	if err == nil && time.Until(t.ExpiresAt) < time.Second {
		return fmt.Errorf("ExpiresAt is %v", t.ExpiresAt)
	}
	return nil // another rule reports err
}

func checkAgain(ctx context.Context, s store) error {
	_, err := s.Token(ctx, s.known)
	for n := 0; err == nil && n < 3; n++ {
		if _, again := s.Token(ctx, s.known); again != nil {
			return fmt.Errorf("asked again: %w", again)
		}
	}
	return nil // another rule reports err
}

func checkUnknownApp(ctx context.Context, s store) error {
	if _, err := s.Token(ctx, s.unknown); !errors.Is(err, token.ErrUnknownApp) {
		return fmt.Errorf("Token(%q) gave the error %w", s.unknown, err)
	}
	return nil
}

// returnLimit is how long a call may take after its context has ended.
const returnLimit = 5 * time.Second

func checkContext(ctx context.Context, s store) error {
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = s.Token(ctx, s.known)
	}()
	select {
	case <-done:
		return nil
	case <-time.After(returnLimit):
		return fmt.Errorf("Token(%q) did not return within %v of the end of its context", s.known, returnLimit)
	}
}

func checkAfterCancel(ctx context.Context, s store) error {
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, _ = s.Token(ended, s.known)
	if _, err := s.Token(ctx, s.known); err != nil {
		return fmt.Errorf("the next call failed: %w", err)
	}
	return nil
}
