package webhookredis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// DefaultPrefix is how the names of keys start.
	DefaultPrefix = "weboffice:"
	// DefaultTimeout is how long Redis may take for one answer.
	DefaultTimeout = time.Second
)

// ErrUnavailable is every error of a Redis server that does not answer, or answers with
// an error. It wraps that error.
var ErrUnavailable = errors.New("redis is not available")

// server is Redis, and whether it answered last time.
type server struct {
	client  redis.UniversalClient
	timeout time.Duration
	logger  *slog.Logger
	away    atomic.Bool
}

func newServer(client redis.UniversalClient, timeout time.Duration, logger *slog.Logger) *server {
	return &server{
		client: client, timeout: cmp.Or(timeout, DefaultTimeout),
		logger: cmp.Or(logger, slog.New(slog.DiscardHandler)),
	}
}

// holdsNil reports whether an interface holds a nil, which would panic when it is called.
func holdsNil(v any) bool {
	r := reflect.ValueOf(v)
	return (r.Kind() == reflect.Pointer || r.Kind() == reflect.Func) && r.IsNil()
}

// ask returns the answer to question, or an error if ctx ends or the time is over. The
// client does not watch its context while it reads, so the question may go on; its late
// answer is given to late, which may be nil.
func ask[T any](ctx context.Context, s *server, question func(context.Context) (T, error), late func(T)) (T, error) {
	type result struct {
		answer T
		err    error
	}
	var none T
	if err := ended(ctx); err != nil {
		return none, err
	}
	asked, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	results := make(chan result, 1)
	go func() {
		answer, err := question(asked)
		results <- result{answer, err}
	}()
	select {
	case r := <-results:
		if err := ended(ctx); r.err != nil && err != nil {
			return none, err
		}
		if r.err != nil {
			return none, s.failed(ctx, r.err)
		}
		s.answered(ctx)
		return r.answer, nil
	case <-asked.Done():
	}
	if late != nil {
		go func() { late((<-results).answer) }()
	}
	if err := ended(ctx); err != nil {
		return none, err
	}
	return none, s.failed(ctx, fmt.Errorf("no answer within %v", s.timeout))
}

// failed and answered log the first failure, and the first answer after it.
func (s *server) failed(ctx context.Context, err error) error {
	err = fmt.Errorf("%w: %w", ErrUnavailable, err)
	if !s.away.Swap(true) {
		s.logger.WarnContext(ctx, "webhookredis: redis is not available", slog.String("error", err.Error()))
	}
	return err
}

func (s *server) answered(ctx context.Context) {
	if s.away.Load() && s.away.Swap(false) {
		s.logger.InfoContext(ctx, "webhookredis: redis is available again")
	}
}

// ended returns why ctx has ended, or nil.
func ended(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if err == nil || errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}
