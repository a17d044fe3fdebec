// Package webhookredis shares two things among the processes of one product, by way of
// a Redis server: the rate limit of a robot or an app ([Limiter]), and the memory of
// events that were handled ([Seen]).
//
// Each replica is wired in the same way. Together, they then send no more than one
// process may, and handle a mention once although it is delivered to two of them:
//
//	client := redis.NewClient(&redis.Options{Addr: "redis:6379"})
//
//	limiter, err := webhookredis.NewLimiter(webhookredis.LimiterConfig{Client: client, RobotURL: url})
//	...
//	robot, err := webhook.NewRobot(webhook.Config{URL: url, Limiter: limiter})
//
//	calls, err := webhookredis.NewLimiter(webhookredis.LimiterConfig{Client: client, AppID: "SX2024"})
//	...
//	converter, err := convert.New(convert.Config{AppID: "SX2024", Limiter: calls, ...})
//
//	seen, err := webhookredis.NewSeen(webhookredis.SeenConfig{Client: client})
//	...
//	receiver, err := webhook.NewReceiver(webhook.ReceiverConfig{Seen: seen, ...})
//
// # The limit
//
// A robot may send 20 messages in any minute. A token bucket or a counter for each
// minute lets up to 39 through at the wrong moment. A Limiter keeps the time of each
// message of the last minute, and a queue of callers, and one script on the server
// decides by the server's clock. Callers get their slots in the order in which they
// asked. One that leaves the queue gives its slot to the next. A caller asks again now and
// then to keep its place, so the slot of one whose process has died is lost for at most four
// seconds.
//
// As a margin, the period is longer by a tenth, at most by a second: messages overtake
// each other on the network, and the service counts arrivals. Half of it is for the
// way from Redis: a slot whose answer took longer is not used, and asked for again. If
// that happens ten times in a row, Redis counts as not available. So the round trip must
// take less than 500 ms for a robot and 50 ms for convert, or Margin must be longer.
//
// # When Redis is not available
//
// By default [Limiter.Wait] returns an error that is [ErrUnavailable], so that a limit
// is never exceeded; for a [webhook.Robot] that is webhook.ErrNotSent. [Seen.Take] does
// the same, so that no event is handled twice; a [webhook.Receiver] then answers 503. A
// Fallback in the configuration is asked instead, and its limits are those of one process:
// see [LimiterConfig] and [SeenConfig]. It is asked only for as long as Redis fails.
// go-redis itself writes to stderr that it cannot connect; redis.SetLogger changes that.
//
// # What Redis may forget
//
// What Redis loses is as if it had never happened: a message may be sent early, and an
// event may be handled again. It loses
//
//   - at a restart, what it had not written to the disk: with "appendonly yes" and
//     "appendfsync everysec" the last second, with snapshots only more;
//   - at a failover, what the new primary had not received yet;
//   - keys that it evicts: use "maxmemory-policy noeviction", because every key here has an
//     expiry and would be evicted first by volatile-lru.
//
// After a failover the limit is as exact as the clocks of the two servers agree: if the
// new one is ahead by more than half of the margin, up to twice the messages pass once. If it
// is behind, or the clock is set back, what was sent counts for one more period.
//
// # Keys
//
// The names start with Prefix. That of a limit has a SHA-256 of the robot key or the app
// id, not the key itself, in braces, so that its parts are in one slot of a cluster:
//
//	weboffice:limit:{FINGERPRINT}:sent    sorted set: what was sent within the period
//	weboffice:limit:{FINGERPRINT}:queue   sorted set: callers in the order in which they asked
//	weboffice:limit:{FINGERPRINT}:alive   sorted set: until when each caller keeps its place
//	weboffice:event:ID                    string: webhook.Event.ID is an HMAC
//
// Every key expires. Redis 5 or newer is needed, for scripts that ask for the time.
//
// # Concurrency
//
// [Limiter] and [Seen] are safe for concurrent use. If a caller leaves while it waits for
// an answer of Redis, the question goes on in the background, at most for as long as the
// time-outs of the client allow; a slot or a claim that it gets is given back.
package webhookredis
