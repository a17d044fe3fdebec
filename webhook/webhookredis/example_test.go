package webhookredis_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhookredis"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

// runRedis plays a Redis server, so that the examples run.
func runRedis() (client *redis.Client, stop func()) {
	server := miniredis.NewMiniRedis()
	if err := server.Start(); err != nil {
		panic(err)
	}
	client = redis.NewClient(&redis.Options{Addr: server.Addr()})
	return client, func() { _ = client.Close(); server.Close() }
}

// Two replicas answer mentions. The service delivers one to both.
func Example() {
	client, stop := runRedis()
	defer stop()
	service, key := webhooktest.NewServer(nil), webhooktest.TestKey()
	for range 2 { // each in a process of its own
		cfg := service.Config(key)
		limiter, err := webhookredis.NewLimiter(webhookredis.LimiterConfig{Client: client, RobotURL: cfg.URL})
		if err != nil {
			fmt.Println(err)
			return
		}
		cfg.Limiter = limiter
		robot, err := webhook.NewRobot(cfg)
		if err != nil {
			fmt.Println(err)
			return
		}
		seen, err := webhookredis.NewSeen(webhookredis.SeenConfig{Client: client})
		if err != nil {
			fmt.Println(err)
			return
		}
		receiver, err := webhook.NewReceiver(webhook.ReceiverConfig{
			RobotKeys: []signing.Secret{key},
			Seen:      seen,
			Handle: func(ctx context.Context, e webhook.Event) error {
				return robot.Send(ctx, webhook.Text{Content: "You said: " + e.Text()})
			},
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		if err := service.RegisterHandler(context.Background(), key, receiver); err != nil {
			fmt.Println(err)
			return
		}
		err = service.Mention(context.Background(), webhook.Event{
			RobotKey: key, ChatID: 1001, SenderID: 2001, Content: "@bot hello", CTime: 1735689600,
		})
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	for _, sent := range service.Sent() {
		fmt.Printf("%s\n", sent.Body)
	}
	// Output: {"msgtype":"text","text":{"content":"You said: hello"}}
}

// Two replicas share the calls of an app. A caller whose slot would come after its
// deadline learns it immediately.
func ExampleNewLimiter() {
	client, stop := runRedis()
	defer stop()
	var limiters [2]convert.Limiter
	for i := range limiters {
		limiter, err := webhookredis.NewLimiter(webhookredis.LimiterConfig{
			Client: client, AppID: "SX2024", Limit: 3, Per: time.Hour, // usually zero: ten in any second
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		limiters[i] = limiter // for convert.Config
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for i := range 4 {
		err := limiters[i%2].Wait(ctx)
		fmt.Println(err == nil, errors.Is(err, webhook.ErrRateLimited))
	}
	// Output:
	// true false
	// true false
	// true false
	// false true
}

// Without Redis, each of three replicas keeps to a third of the limit.
func ExampleLimiterConfig_fallback() {
	url := signing.NewSecret("https://chat.example/api/v1/webhook/send?key=KEY")
	limiter, err := webhookredis.NewLimiter(webhookredis.LimiterConfig{
		Client:   redis.NewClient(&redis.Options{Addr: "127.0.0.1:1", DialerRetries: 1, MaxRetries: -1}), // no server
		RobotURL: url,
		Fallback: webhook.NewWindow(webhook.MessagesPerMinute/3, time.Minute),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	robot, err := webhook.NewRobot(webhook.Config{URL: url, Limiter: limiter})
	fmt.Println(robot != nil, err, limiter.Wait(context.Background()))
	// Output: true <nil> <nil>
}

// Without Redis, each replica remembers its own events.
func ExampleNewSeen_fallback() {
	client, stop := runRedis()
	defer stop()
	seen, err := webhookredis.NewSeen(webhookredis.SeenConfig{Client: client, Fallback: webhook.NewSeen(1000)})
	if err != nil {
		fmt.Println(err)
		return
	}
	id := webhook.Event{ChatID: 1001, SenderID: 2001, Content: "@bot hello", CTime: 1735689600}.ID()
	for range 2 {
		taken, finished, err := seen.Take(context.Background(), id, time.Minute)
		fmt.Println(taken, finished, err, seen.Finish(context.Background(), id))
	}
	// Output:
	// true false <nil> <nil>
	// false true <nil> <nil>
}
