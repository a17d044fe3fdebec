package webhookredis

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	_ "embed" // the script
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
)

// LimiterConfig says what is limited. All processes must use the same values for what
// they share.
type LimiterConfig struct {
	// Required. Its time-outs bound what goes on after a caller has left. It is not closed.
	Client redis.UniversalClient

	// The robot whose messages are limited: its webhook URL, as in webhook.Config. Redis
	// gets a fingerprint of the key in it. Either this or AppID is required.
	RobotURL signing.Secret

	// The app whose calls are limited, for convert.Config.
	AppID string

	// How many slots there are in any period of length Per. If zero,
	// webhook.MessagesPerMinute for a robot, and convert.DefaultCallsPerSecond for an app.
	Limit int

	// If zero, a minute for a robot, and a second for an app.
	Per time.Duration

	// How much longer than Per the period is. If zero, a tenth of Per, at most a second.
	Margin time.Duration

	// How the names of keys start. If empty, DefaultPrefix.
	Prefix string

	// How long Redis may take for one answer. If zero, DefaultTimeout. A caller whose
	// context ends sooner gets the error of that, and not ErrUnavailable.
	Timeout time.Duration

	// Asked instead while Redis is not available, usually a webhook.Window or a
	// convert.NewLimiter of Limit divided by the number of processes. It does not know what
	// was sent before: in the periods in which Redis goes and comes back, up to twice the
	// limit may pass. If nil, Wait returns an error that is ErrUnavailable.
	Fallback webhook.Limiter

	// Told at Warn when Redis is not available, and at Info when it is again. If nil,
	// nothing is logged.
	Logger *slog.Logger
}

// Limiter is a [webhook.Limiter] and a [convert.Limiter] that processes share.
type Limiter struct {
	server   *server
	script   *redis.Script
	keys     []string
	limit    int
	period   time.Duration // with the margin
	most     time.Duration // that an answer may take
	fallback webhook.Limiter
	owner    string
	calls    atomic.Uint64
}

// source takes a slot, or a place in the queue.
//
//go:embed limiter.lua
var source string

// NewLimiter copies cfg, fills in its defaults, and reports every problem at once. It
// does not connect.
func NewLimiter(cfg LimiterConfig) (*Limiter, error) {
	key, err := robotKey(cfg.RobotURL)
	limit, per := webhook.MessagesPerMinute, time.Minute
	name := "robot\x00" + key
	if cfg.AppID != "" {
		limit, per, name = convert.DefaultCallsPerSecond, time.Second, "app\x00"+cfg.AppID
	}
	cfg.Limit, cfg.Per = cmp.Or(cfg.Limit, limit), cmp.Or(cfg.Per, per)
	cfg.Margin = cmp.Or(cfg.Margin, min(cfg.Per/10, time.Second))
	var errs []error
	problem := func(bad bool, text string) {
		if bad {
			errs = append(errs, errors.New("webhookredis: limiter: "+text))
		}
	}
	problem(cfg.Client == nil || holdsNil(cfg.Client), "Client is required")
	problem(cfg.RobotURL.IsZero() == (cfg.AppID == ""), "either RobotURL or AppID is required")
	problem(err != nil, "RobotURL must be the whole webhook URL, with ?key=")
	problem(cfg.Limit < 0, "Limit must not be negative")
	problem(cfg.Per < time.Millisecond, "Per must be at least a millisecond")
	problem(cfg.Margin < 0, "Margin must not be negative")
	problem(cfg.Timeout < 0, "Timeout must not be negative")
	problem(holdsNil(cfg.Fallback), "Fallback is a nil func or pointer; leave it out")
	if errs != nil {
		return nil, errors.Join(errs...)
	}
	fingerprint := sha256.Sum256([]byte(name))
	stem := cmp.Or(cfg.Prefix, DefaultPrefix) + "limit:{" + hex.EncodeToString(fingerprint[:16]) + "}:"
	return &Limiter{
		server: newServer(cfg.Client, cfg.Timeout, cfg.Logger),
		script: redis.NewScript(source),
		keys:   []string{stem + "sent", stem + "queue", stem + "alive"},
		limit:  cfg.Limit, period: cfg.Per + cfg.Margin, most: cfg.Margin / 2,
		fallback: cfg.Fallback, owner: rand.Text(),
	}, nil
}

// robotKey returns the key in a webhook URL, as a robot reads it, or "" if there is no
// URL.
func robotKey(address signing.Secret) (string, error) {
	if address.IsZero() {
		return "", nil
	}
	robot, err := webhook.NewRobot(webhook.Config{URL: address, AllowInsecureHTTP: true})
	if err != nil {
		return "", err
	}
	return robot.Key().Reveal(), nil
}

// Format prints the name of the type.
func (l *Limiter) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "webhookredis.Limiter") }

// Wait waits for a slot after all who asked before, in all processes, and takes it. If
// the deadline of ctx comes before its slot, it returns a [*webhook.LimitError]
// immediately and takes none. If ctx ends during the wait, the error wraps one and the
// reason, and the next caller moves up. If Redis is not available, Fallback decides.
func (l *Limiter) Wait(ctx context.Context) error {
	err := l.wait(ctx)
	if l.fallback != nil && errors.Is(err, ErrUnavailable) {
		return l.fallback.Wait(ctx)
	}
	return err
}

const tries = 10 // of a slot whose answer comes too late

func (l *Limiter) wait(ctx context.Context) error {
	id := l.owner + ":" + strconv.FormatUint(l.calls.Add(1), 36)
	for late := 0; ; {
		start := now()
		a, err := l.ask(ctx, id)
		took := now().Sub(start)
		next := now().Add(a.wait)
		switch {
		case err != nil:
			return fmt.Errorf("webhookredis: limiter: %w", err)
		case a.state == refused:
			return &webhook.LimitError{Next: next}
		case a.state == taken && took <= l.most:
			return nil
		case a.state == taken:
			if late++; late < tries {
				continue
			}
			l.leave(ctx, id)
			err := l.server.failed(ctx, fmt.Errorf("its answers take %v, and the margin allows %v", took, l.most))
			return fmt.Errorf("webhookredis: limiter: %w", err)
		}
		timer := time.NewTimer(min(a.wait, a.beat))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			l.leave(ctx, id)
			return fmt.Errorf("webhookredis: limiter: %w: %w", &webhook.LimitError{Next: next}, ended(ctx))
		}
	}
}

// answer is what the script says.
type answer struct {
	state int64
	wait  time.Duration // until the slot
	beat  time.Duration // until the caller must ask again to keep its place
}

// The states of an answer.
const (
	queued int64 = iota
	taken
	refused
)

// ask runs the script. If the caller is gone before the answer, it gives up its place.
func (l *Limiter) ask(ctx context.Context, id string) (answer, error) {
	patience := int64(-1)
	if end, ok := ctx.Deadline(); ok {
		patience = max(0, end.Sub(now()).Microseconds())
	}
	return ask(ctx, l.server, func(ctx context.Context) (answer, error) {
		v, err := l.script.Run(ctx, l.server.client, l.keys, id, l.limit, l.period.Microseconds(), patience).Int64Slice()
		if err != nil {
			return answer{}, err
		}
		if len(v) != 3 {
			return answer{}, errors.New("its answer to the script is not one")
		}
		return answer{v[0], time.Duration(v[1]) * time.Microsecond, time.Duration(v[2]) * time.Microsecond}, nil
	}, func(answer) { l.leave(ctx, id) })
}

// leave gives up the place of a caller. If Redis does not learn of it, the place expires.
func (l *Limiter) leave(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	_, _ = ask(ctx, l.server, func(ctx context.Context) (struct{}, error) {
		_, err := l.server.client.Pipelined(ctx, func(p redis.Pipeliner) error {
			for _, key := range l.keys {
				p.ZRem(ctx, key, id)
			}
			return nil
		})
		return struct{}{}, err
	}, nil)
}

// farewell is how long a caller that leaves waits for Redis to know.
const farewell = 250 * time.Millisecond

// now is the machine's clock, by which timers and deadlines go.
func now() time.Time {
	clock := time.Now
	return clock()
}
