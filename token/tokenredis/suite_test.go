package tokenredis_test

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokenredis"
	"github.com/weboffice-go/weboffice/token/tokentest"
)

const (
	app          = "SX2024"
	clientSecret = "CANARY-client-secret"
	accessToken  = "CANARY-access-token"
	sealingKey   = "CANARY-sealing-key of thirty-two bytes"
)

// config is that of a replica, with a Source of its own.
func config(client redis.UniversalClient, source token.Source) tokenredis.Config {
	return tokenredis.Config{
		Client: client, Source: source, Keys: []signing.Secret{signing.NewSecret(sealingKey)}, Timeout: 10 * time.Second,
		ClientSecret: func(_ context.Context, appID string) (signing.Secret, error) {
			return map[string]signing.Secret{app: signing.NewSecret(clientSecret)}[appID], nil
		},
	}
}

func newSource(tb testing.TB, cfg tokenredis.Config) *tokenredis.Source {
	tb.Helper()
	s, err := tokenredis.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func valid(text string, life time.Duration) token.Token {
	return token.Token{AccessToken: signing.NewSecret(text), ExpiresAt: time.Now().Add(life)}
}

func TestSourceConforms(t *testing.T) {
	t.Parallel()
	for name, start := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr := start(t)
			tokentest.RunSource(t, func(t *testing.T) token.Source {
				t.Helper()
				client := newClient(t, addr)
				if err := client.FlushAll(t.Context()).Err(); err != nil {
					t.Fatal(err)
				}
				return newSource(t, config(client, &tokentest.Source{Tokens: map[string]token.Token{app: valid(accessToken, 2*time.Hour)}}))
			}, app, "unknown")
		})
	}
}
