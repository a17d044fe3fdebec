package tokenredis_test

import (
	"context"
	"fmt"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokenredis"
	"github.com/weboffice-go/weboffice/token/tokentest"
)

// Two replicas, each with a cache of its own, fetch one token.
func Example() {
	server := miniredis.NewMiniRedis() // plays a Redis server
	if err := server.Start(); err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	service := tokentest.NewEndpoint(nil) // plays the token endpoint
	cfg := service.Config()
	for range 2 { // each in a process of its own
		endpoint, err := token.NewClientCredentials(cfg)
		if err != nil {
			fmt.Println(err)
			return
		}
		client := redis.NewClient(&redis.Options{Addr: server.Addr()})
		defer func() { _ = client.Close() }()
		shared, err := tokenredis.New(tokenredis.Config{
			Client: client,
			Source: endpoint,
			Keys:   []signing.Secret{signing.NewSecret("the output of: openssl rand -hex 32")},
			ClientSecret: func(_ context.Context, appID string) (signing.Secret, error) {
				return cfg.Clients[appID].Secret, nil
			},
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		t, err := token.NewCache(shared, nil).Token(context.Background(), "test-app") // for token.Config
		fmt.Println(t.AccessToken, time.Until(t.ExpiresAt).Round(time.Hour), err)
	}
	fmt.Println("asked the endpoint for", service.Issued("test-app"))
	// Output:
	// [secret] 2h0m0s <nil>
	// [secret] 2h0m0s <nil>
	// asked the endpoint for 1
}
