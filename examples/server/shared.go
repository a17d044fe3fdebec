package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokenredis"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhookredis"
)

// shared is what all replicas have in common: in Redis, or in the memory of the one
// process that there is.
type shared struct {
	calls, messages limiter
	seen            webhook.SeenStore
	tokens          func(source token.Source, secret signing.Secret) (token.Source, error)
	ready           func(ctx context.Context) error // nil: always
	close           func() error
}

// rememberedEvents is how many events one process remembers.
const rememberedEvents = 10_000

func openShared(s *settings, logger *slog.Logger) (*shared, error) {
	if !s.redisURL.IsZero() {
		return openRedis(s, logger)
	}
	return &shared{
		calls:    convert.NewLimiter(s.callsPerSecond, time.Second),
		messages: webhook.NewWindow(s.messagesPerMinute, time.Minute),
		seen:     webhook.NewSeen(rememberedEvents),
		tokens:   func(source token.Source, _ signing.Secret) (token.Source, error) { return source, nil },
		close:    func() error { return nil },
	}, nil
}

// openRedis has no fallback: while Redis is away jobs wait and mentions are answered with
// 503, so that no limit is exceeded and nothing is handled twice.
func openRedis(s *settings, logger *slog.Logger) (_ *shared, err error) {
	opts, err := redis.ParseURL(s.redisURL.Reveal())
	if err != nil {
		return nil, errRedisURL
	}
	client := redis.NewClient(opts)
	defer func() {
		if err != nil {
			_ = client.Close()
		}
	}()
	shared := &shared{
		ready: func(ctx context.Context) error { return client.Ping(ctx).Err() },
		close: client.Close,
		tokens: func(source token.Source, secret signing.Secret) (token.Source, error) {
			return tokenredis.New(tokenredis.Config{
				Client: client, Source: source, Logger: logger,
				Keys: []signing.Secret{signing.NewSecret(string(derive(s.linkKey, "access tokens in redis")))},
				ClientSecret: func(_ context.Context, appID string) (signing.Secret, error) {
					if appID != s.appID {
						return signing.Secret{}, token.ErrUnknownApp
					}
					return secret, nil
				},
			})
		},
	}
	calls, err := webhookredis.NewLimiter(webhookredis.LimiterConfig{
		Client: client, AppID: s.appID, Limit: s.callsPerSecond, Per: time.Second, Logger: logger,
	})
	if err != nil {
		return nil, err
	}
	shared.calls = calls
	if !s.robotURL.IsZero() {
		messages, err := webhookredis.NewLimiter(webhookredis.LimiterConfig{
			Client: client, RobotURL: s.robotURL, Limit: s.messagesPerMinute, Per: time.Minute, Logger: logger,
		})
		if err != nil {
			return nil, err
		}
		shared.messages = messages
	}
	shared.seen, err = webhookredis.NewSeen(webhookredis.SeenConfig{Client: client, Logger: logger})
	return shared, err
}
