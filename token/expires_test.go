package token_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokentest"
)

// TestExpiresInIsWhatIsLeft takes tokens at random moments of their lives: the
// answer counts whole seconds, never 0, never more than the endpoint gave, and
// never more than there is.
func TestExpiresInIsWhatIsLeft(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		gave := time.Duration(1+random.IntN(7200)) * time.Second
		passed := time.Duration(random.Int64N(int64(gave) + int64(5*time.Second)))
		if random.IntN(4) == 0 {
			passed = passed.Truncate(time.Second)
		}
		now := noon
		endpoint := tokentest.NewEndpoint(&tokentest.EndpointOptions{Life: gave, Now: func() time.Time { return now }})
		source, err := token.NewClientCredentials(endpoint.Config())
		if err != nil {
			t.Fatal(err)
		}
		issued, err := source.Token(t.Context(), "test-app")
		if err != nil {
			t.Fatal(err)
		}
		now = now.Add(passed)
		h := newHandler(t, func(cfg *token.Config) {
			cfg.Source = token.SourceFunc(func(context.Context, string) (token.Token, error) { return issued, nil })
			cfg.Now = func() time.Time { return now }
		})
		rec := post(h, goodBody)
		var answer struct {
			Code int
			Data *struct {
				ExpiresIn int64 `json:"expires_in"`
			}
		}
		if err := json.Unmarshal(rec.Body.Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
		left := gave - passed
		switch {
		case left < time.Second:
			want(t, rec, 500, `{"code":50001,"message":"internal error"}`)
		case answer.Data == nil:
			t.Errorf("%v of %v left, and no token: %s", left, gave, rec.Body)
		default:
			told := time.Duration(answer.Data.ExpiresIn) * time.Second
			if told < time.Second || told > gave || told > left || left-told >= time.Second {
				t.Errorf("%v of %v left, told %v", left, gave, told)
			}
		}
	}
}

func TestExpiresInNeedsAnEnd(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]token.Token{
		"no token":      {ExpiresAt: noon.Add(time.Hour)},
		"no end":        {AccessToken: signing.NewSecret("x")},
		"ended":         {AccessToken: signing.NewSecret("x"), ExpiresAt: noon.Add(-time.Hour)},
		"ends now":      {AccessToken: signing.NewSecret("x"), ExpiresAt: noon},
		"less than 1 s": {AccessToken: signing.NewSecret("x"), ExpiresAt: noon.Add(time.Second - 1)},
	} {
		h := newHandler(t, func(cfg *token.Config) {
			cfg.Source = token.SourceFunc(func(context.Context, string) (token.Token, error) { return bad, nil })
		})
		t.Log(name)
		want(t, post(h, goodBody), 500, `{"code":50001,"message":"internal error"}`)
	}
}
