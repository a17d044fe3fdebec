package webhookredis_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// mortal is the client of a process that can die: from then on nothing reaches the server.
type mortal struct {
	redis.UniversalClient
	dead atomic.Bool
}

var errDead = errors.New("the process has died")

func (m *mortal) die() { m.dead.Store(true) }

// travel is the way to the server or back. Sometimes it takes longer than a slot may be
// late.
func (m *mortal) travel() {
	if rand.IntN(200) == 0 {
		time.Sleep(time.Second)
	}
	time.Sleep(rand.N(10 * time.Millisecond))
}

func (m *mortal) EvalSha(ctx context.Context, sha string, keys []string, args ...any) *redis.Cmd {
	if m.dead.Load() {
		cmd := redis.NewCmd(ctx)
		cmd.SetErr(errDead)
		return cmd
	}
	m.travel()
	defer m.travel()
	return m.UniversalClient.EvalSha(ctx, sha, keys, args...)
}

func (m *mortal) Pipelined(ctx context.Context, fn func(redis.Pipeliner) error) ([]redis.Cmder, error) {
	if m.dead.Load() {
		return nil, errDead
	}
	m.travel()
	return m.UniversalClient.Pipelined(ctx, fn)
}
