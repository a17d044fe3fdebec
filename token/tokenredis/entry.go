package tokenredis

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/weboffice-go/weboffice/token"
)

// entry is what one call does with the token of an app.
type entry struct {
	source     *Source
	key, appID string
	owner      string // names the call
}

// reply is what a script answers.
type reply struct {
	sealed string
	left   time.Duration // until the token expires
	number int64
}

// look returns the token that is kept, if it is valid. If it has to be refreshed and no
// other call does that, fence is the number of the fetch that this call has to make.
func (e *entry) look(ctx context.Context) (kept token.Token, fence int64, err error) {
	s := e.source
	for _, ignore := range []int{0, 1} {
		asked := s.cfg.Now()
		r, err := run(ctx, s, lookScript, e.key, func(reply) { e.release(ctx) },
			e.owner, micros(s.cfg.Early), micros(s.lease), ignore)
		if err != nil {
			return token.Token{}, 0, err
		}
		if kept := e.token(r, asked); r.sealed == "" || !kept.AccessToken.IsZero() {
			return kept, r.number, nil
		}
		s.server.logger.WarnContext(ctx, "tokenredis: a token cannot be opened: have all processes the same keys?", slog.String("app_id", e.appID))
	}
	return token.Token{}, 0, errors.New("a script did not ignore a token") // it does
}

// token opens r. Its life counts from before the server was asked.
func (e *entry) token(r reply, asked time.Time) token.Token {
	t := token.Token{AccessToken: e.open(r.sealed)}
	if !t.AccessToken.IsZero() {
		t.ExpiresAt = asked.Add(r.left)
	}
	return t
}

// fetch asks Config.Source and keeps the result. The old token is returned if that fails.
func (e *entry) fetch(ctx context.Context, old token.Token, fence int64) (token.Token, error) {
	defer e.release(ctx)
	s := e.source
	fetching, cancel := context.WithTimeout(ctx, s.cfg.FetchTimeout)
	defer cancel()
	t, err := s.cfg.Source.Token(fetching, e.appID)
	switch {
	case err == nil:
		return e.store(ctx, t, fence), nil
	case old.AccessToken.IsZero() || ctx.Err() != nil:
		return token.Token{}, err
	default:
		s.server.logger.WarnContext(ctx, "tokenredis: refresh failed, the old token is still valid",
			slog.String("app_id", e.appID), slog.Duration("left", old.ExpiresAt.Sub(s.cfg.Now())), slog.String("error", err.Error()))
		return old, nil
	}
}

// store keeps t, or returns what a later fetch has stored. A token that cannot be kept is
// still a token.
func (e *entry) store(ctx context.Context, t token.Token, fence int64) token.Token {
	s := e.source
	asked := s.cfg.Now()
	left := t.ExpiresAt.Sub(asked)
	if t.AccessToken.IsZero() || t.ExpiresAt.IsZero() || left < time.Millisecond {
		return t
	}
	r, err := run(ctx, s, storeScript, e.key, nil, fence, e.seal(t.AccessToken), micros(left), micros(s.lease))
	if err != nil {
		s.server.logger.WarnContext(ctx, "tokenredis: a token was fetched and cannot be stored",
			slog.String("app_id", e.appID), slog.String("error", err.Error()))
		return t
	}
	if newer := e.token(r, asked); !newer.AccessToken.IsZero() {
		return newer
	}
	return t
}

// release lets another call fetch. If Redis does not learn of it, the lease expires.
func (e *entry) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	_, _ = run(ctx, e.source, releaseScript, e.key, nil, e.owner)
}

// farewell is how long a call that fails waits for Redis to know.
const farewell = 250 * time.Millisecond

// run runs a script about one key.
func run(ctx context.Context, s *Source, source, key string, late func(reply), args ...any) (reply, error) {
	return ask(ctx, s.server, func(ctx context.Context) (reply, error) {
		// A new Script is cheap beside the call, and Run sends its text only once for each server.
		v, err := redis.NewScript(source).Run(ctx, s.cfg.Client, []string{key}, args...).Slice()
		if err != nil {
			return reply{}, err
		}
		if len(v) == 3 {
			sealed, isText := v[0].(string)
			left, isLeft := v[1].(int64)
			number, isNumber := v[2].(int64)
			if isText && isLeft && isNumber {
				return reply{sealed, time.Duration(left) * time.Microsecond, number}, nil
			}
		}
		return reply{}, errors.New("its answer to the script has an unknown form")
	}, late)
}

func micros(d time.Duration) int64 { return d.Microseconds() }
