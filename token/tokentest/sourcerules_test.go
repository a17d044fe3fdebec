package tokentest_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokentest"
)

// goodSource knows the app "known".
func goodSource() *tokentest.Source {
	return &tokentest.Source{Tokens: map[string]token.Token{
		"known": {AccessToken: signing.NewSecret("x"), ExpiresAt: time.Now().Add(time.Hour)},
	}}
}

func TestRunSourceOnGoodSources(t *testing.T) {
	t.Parallel()
	endpoint := tokentest.NewEndpoint(nil)
	credentials := func(t *testing.T) token.Source {
		t.Helper()
		c, err := token.NewClientCredentials(endpoint.Config())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for name, source := range map[string]func(t *testing.T) token.Source{
		"ClientCredentials": credentials,
		"Cache":             func(t *testing.T) token.Source { t.Helper(); return token.NewCache(credentials(t), nil) },
		"Source": func(t *testing.T) token.Source {
			t.Helper()
			s := goodSource()
			s.Tokens["test-app"] = s.Tokens["known"]
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tokentest.RunSource(t, source, "test-app", "other-app")
		})
	}
}

// brokenSources has one Source for each rule, which breaks that rule and no other.
// Each call takes a second, so that concurrent ones overlap.
var brokenSources = map[string]func() token.SourceFunc{
	"token": func() token.SourceFunc {
		return change(func(t token.Token) token.Token { t.AccessToken = signing.Secret{}; return t })
	},
	"end": func() token.SourceFunc {
		return change(func(t token.Token) token.Token { t.ExpiresAt = time.Time{}; return t })
	},
	"again": func() token.SourceFunc {
		finished := make(chan struct{}, 100)
		good := slow(goodSource())
		return func(ctx context.Context, appID string) (token.Token, error) {
			if len(finished) > 0 {
				return token.Token{}, errors.New("there is one token for everybody")
			}
			t, err := good.Token(ctx, appID)
			if err == nil {
				finished <- struct{}{}
			}
			return t, err
		}
	},
	"unknown app": func() token.SourceFunc {
		good := slow(goodSource())
		return func(ctx context.Context, appID string) (token.Token, error) {
			t, err := good.Token(ctx, appID)
			if errors.Is(err, token.ErrUnknownApp) {
				err = errors.New("no rows")
			}
			return t, err
		}
	},
	"concurrent": func() token.SourceFunc {
		busy := make(chan struct{}, 1)
		good := slow(goodSource())
		return func(ctx context.Context, appID string) (token.Token, error) {
			select {
			case busy <- struct{}{}:
				defer func() { <-busy }()
				return good.Token(ctx, appID)
			default:
				return token.Token{}, errors.New("busy")
			}
		}
	},
	"context": func() token.SourceFunc {
		good := slow(goodSource())
		return func(ctx context.Context, appID string) (token.Token, error) {
			if ctx.Err() != nil {
				time.Sleep(time.Minute)
			}
			return good.Token(ctx, appID)
		}
	},
	"after a cancelled call": func() token.SourceFunc {
		good := slow(goodSource())
		var spoiled atomic.Bool
		return func(ctx context.Context, appID string) (token.Token, error) {
			if ctx.Err() != nil {
				spoiled.Store(true)
			}
			if spoiled.Load() {
				return token.Token{}, context.Canceled
			}
			return good.Token(ctx, appID)
		}
	},
}

func change(change func(token.Token) token.Token) token.SourceFunc {
	good := slow(goodSource())
	return func(ctx context.Context, appID string) (token.Token, error) {
		t, err := good.Token(ctx, appID)
		return change(t), err
	}
}

func slow(s token.Source) token.Source {
	return token.SourceFunc(func(ctx context.Context, appID string) (token.Token, error) {
		if ctx.Err() == nil {
			time.Sleep(time.Second)
		}
		return s.Token(ctx, appID)
	})
}

func TestEachSourceRuleBites(t *testing.T) {
	t.Parallel()
	for name, source := range brokenSources {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				found := tokentest.SourceRules(t.Context(), func() token.Source { return source() }, "known", "unknown")
				wantOnly(t, name, found)
				if diff := cmp.Diff(slices.Sorted(maps.Keys(found)), slices.Sorted(maps.Keys(brokenSources))); diff != "" {
					t.Errorf("rules and broken sources (-rules +broken):\n%s", diff)
				}
			})
		})
	}
}

// TestSourceWhoseTokensEnd gives them with too little left.
func TestSourceWhoseTokensEnd(t *testing.T) {
	t.Parallel()
	for _, left := range []time.Duration{-time.Hour, 0, time.Second - 1} {
		synctest.Test(t, func(t *testing.T) {
			wantOnly(t, "end", tokentest.SourceRules(t.Context(), func() token.Source {
				return change(func(got token.Token) token.Token { got.ExpiresAt = time.Now().Add(left); return got })
			}, "known", "unknown"))
		})
	}
}

func TestSource(t *testing.T) {
	t.Parallel()
	var zero tokentest.Source
	if _, err := zero.Token(t.Context(), "app"); !errors.Is(err, token.ErrUnknownApp) {
		t.Errorf("the zero Source gives %v, want ErrUnknownApp", err)
	}
	s := goodSource()
	s.Err = errors.New("down")
	if _, err := s.Token(t.Context(), "known"); !errors.Is(err, s.Err) {
		t.Errorf("Token = %v, want Err", err)
	}
	s.Err = nil
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Token(ctx, "known"); !errors.Is(err, context.Canceled) {
		t.Errorf("Token = %v, want context.Canceled", err)
	}
	if got, err := s.Token(t.Context(), "known"); err != nil || got.AccessToken.Reveal() != "x" || s.Calls() != 3 {
		t.Errorf("Token = %v, %v after %d calls", got, err, s.Calls())
	}
}
