package tokentest

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/weboffice-go/weboffice/token"
)

// Source is a token.Source in memory. Its fields must be set before the first call. It must
// not be copied.
type Source struct {
	Tokens map[string]token.Token // By app id. Others are token.ErrUnknownApp.
	Err    error                  // If not nil, what every call returns.

	calls atomic.Int64
}

// Token implements token.Source.
func (s *Source) Token(ctx context.Context, appID string) (token.Token, error) {
	s.calls.Add(1)
	if err := ctx.Err(); err != nil {
		return token.Token{}, err
	}
	if s.Err != nil {
		return token.Token{}, s.Err
	}
	t, known := s.Tokens[appID]
	if !known {
		return token.Token{}, fmt.Errorf("%w %q", token.ErrUnknownApp, appID)
	}
	return t, nil
}

// Calls returns how often Token was called.
func (s *Source) Calls() int { return int(s.calls.Load()) }
