package webhookredis

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/weboffice-go/weboffice/webhook"
)

// DefaultKeep is how long a finished event is remembered.
const DefaultKeep = 24 * time.Hour

// SeenConfig says where events are remembered.
type SeenConfig struct {
	// Required. Its time-outs bound what goes on after a caller has left. It is not closed.
	Client redis.UniversalClient

	// How long a finished event is remembered: longer than the service delivers it again.
	// If zero, DefaultKeep.
	Keep time.Duration

	// How the names of keys start. If empty, DefaultPrefix.
	Prefix string

	// How long Redis may take for one answer. If zero, DefaultTimeout.
	Timeout time.Duration

	// Asked instead while Redis is not available, usually a webhook.NewSeen. Neither knows
	// the events of the other, so one that is delivered again may be handled again. If nil,
	// the methods return an error that is ErrUnavailable, and a webhook.Receiver handles
	// nothing and answers 503.
	Fallback webhook.SeenStore

	// Told at Warn when Redis is not available, and at Info when it is again. If nil,
	// nothing is logged.
	Logger *slog.Logger
}

// Seen is a [webhook.SeenStore] that processes share.
type Seen struct {
	server   *server
	taking   *redis.Script
	ending   *redis.Script
	stem     string
	keep     time.Duration
	fallback webhook.SeenStore
	owner    string
	calls    atomic.Uint64
}

// NewSeen copies cfg, fills in its defaults, and reports every problem at once. It does
// not connect.
func NewSeen(cfg SeenConfig) (*Seen, error) {
	var errs []error
	problem := func(bad bool, text string) {
		if bad {
			errs = append(errs, errors.New("webhookredis: seen: "+text))
		}
	}
	problem(cfg.Client == nil || holdsNil(cfg.Client), "Client is required")
	problem(cfg.Keep != 0 && cfg.Keep < time.Millisecond, "Keep must be at least a millisecond")
	problem(cfg.Timeout < 0, "Timeout must not be negative")
	problem(holdsNil(cfg.Fallback), "Fallback is a nil func or pointer; leave it out")
	if errs != nil {
		return nil, errors.Join(errs...)
	}
	return &Seen{
		server: newServer(cfg.Client, cfg.Timeout, cfg.Logger),
		taking: redis.NewScript(takeSource), ending: redis.NewScript(releaseSource),
		stem: cmp.Or(cfg.Prefix, DefaultPrefix) + "event:",
		keep: cmp.Or(cfg.Keep, DefaultKeep), fallback: cfg.Fallback, owner: rand.Text(),
	}, nil
}

// Format prints the name of the type.
func (s *Seen) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "webhookredis.Seen") }

// finished is the value of an event that was handled. Of one that is claimed it is the
// store and the call that claimed it.
const finished = "finished"

// An answer that was lost makes the client ask again, so a claim of the same call counts.
const takeSource = `
local held = redis.call('GET', KEYS[1])
if held == ARGV[2] then return 2 end
if held and held ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
return 1`

// A claim that has expired may be that of another process by now.
const releaseSource = `
local held = redis.call('GET', KEYS[1])
if held and string.sub(held, 1, #ARGV[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 0`

// Take is that of [webhook.SeenStore]. The lease is counted by the clock of the server.
func (s *Seen) Take(ctx context.Context, id string, lease time.Duration) (taken, done bool, err error) {
	claim := s.owner + ":" + strconv.FormatUint(s.calls.Add(1), 36)
	state, err := ask(ctx, s.server, func(ctx context.Context) (int64, error) {
		return s.taking.Run(ctx, s.server.client, []string{s.stem + id}, claim, finished, max(1, lease.Milliseconds())).Int64()
	}, func(state int64) {
		if state == 1 {
			_ = s.release(context.WithoutCancel(ctx), id, claim)
		}
	})
	if s.falls(err) {
		return s.fallback.Take(ctx, id, lease)
	}
	if err != nil {
		return false, false, fmt.Errorf("webhookredis: take event: %w", err)
	}
	return state == 1, state == 2, nil
}

// Finish is that of [webhook.SeenStore].
func (s *Seen) Finish(ctx context.Context, id string) error {
	_, err := ask(ctx, s.server, func(ctx context.Context) (string, error) {
		return s.server.client.Set(ctx, s.stem+id, finished, s.keep).Result()
	}, nil)
	if s.falls(err) {
		return s.fallback.Finish(ctx, id)
	}
	if err != nil {
		return fmt.Errorf("webhookredis: finish event: %w", err)
	}
	return nil
}

// Release is that of [webhook.SeenStore]. It does not end a claim of another Seen.
func (s *Seen) Release(ctx context.Context, id string) error {
	err := s.release(ctx, id, s.owner+":")
	if s.falls(err) {
		return s.fallback.Release(ctx, id)
	}
	if err != nil {
		return fmt.Errorf("webhookredis: release event: %w", err)
	}
	return nil
}

// release ends a claim that starts with owner.
func (s *Seen) release(ctx context.Context, id, owner string) error {
	_, err := ask(ctx, s.server, func(ctx context.Context) (int64, error) {
		return s.ending.Run(ctx, s.server.client, []string{s.stem + id}, owner).Int64()
	}, nil)
	return err
}

func (s *Seen) falls(err error) bool { return s.fallback != nil && errors.Is(err, ErrUnavailable) }
