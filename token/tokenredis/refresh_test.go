package tokenredis_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokenredis"
)

// endpoint gives tokens "1", "2", … that live so long. If it has a gate, each call waits
// until it may go on.
type endpoint struct {
	life  time.Duration
	begun chan int
	gate  chan error

	calls atomic.Int64
}

func (e *endpoint) Token(ctx context.Context, _ string) (token.Token, error) {
	n := int(e.calls.Add(1))
	if e.gate != nil {
		e.begun <- n
		select {
		case err := <-e.gate:
			if err != nil {
				return token.Token{}, err
			}
		case <-ctx.Done():
			return token.Token{}, ctx.Err()
		}
	}
	return valid(fmt.Sprint(n), e.life), nil
}

func gated(life time.Duration) *endpoint {
	return &endpoint{life: life, begun: make(chan int, 10), gate: make(chan error)}
}

// expect asks for a token and compares it.
func expect(t *testing.T, s token.Source, want string) token.Token {
	t.Helper()
	got, err := s.Token(t.Context(), app)
	if err != nil || got.AccessToken.Reveal() != want {
		t.Errorf("Token = %s, %v, want %s", got.AccessToken.Reveal(), err, want)
	}
	return got
}

// Many callers of three replicas, each with its own cache, begin without a token: there is
// one fetch.
func TestOneFetchForAllReplicas(t *testing.T) {
	t.Parallel()
	for name, start := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr := start(t)
			source := &endpoint{life: time.Hour}
			var callers sync.WaitGroup
			for range 3 {
				cache := token.NewCache(newSource(t, config(newClient(t, addr), source)), nil)
				direct := newSource(t, config(newClient(t, addr), source))
				for i := range 20 {
					callers.Go(func() { expect(t, []token.Source{cache, direct}[i%2], "1") })
				}
			}
			callers.Wait()
			if n := source.calls.Load(); n != 1 {
				t.Errorf("%d fetches, want 1", n)
			}
		})
	}
}

// newReplicas returns two replicas and their server, whose clock stands still.
func newReplicas(t *testing.T, source token.Source) (server *miniredis.Miniredis, a, b *tokenredis.Source) {
	t.Helper()
	server = miniredis.RunT(t)
	server.SetTime(time.Now())
	a = newSource(t, config(newClient(t, server.Addr()), source))
	return server, a, newSource(t, config(newClient(t, server.Addr()), source))
}

// forward sets the clock of the server, by which tokens get old.
func forward(server *miniredis.Miniredis, d time.Duration) { server.SetTime(time.Now().Add(d)) }

// Within five minutes of the expiry, one replica fetches and the others get the old token
// immediately. Its expiry is told by the clock of the server.
func TestOldTokenMeanwhile(t *testing.T) {
	t.Parallel()
	source := gated(time.Hour)
	server, a, b := newReplicas(t, source)
	go func() { source.gate <- nil }()
	expect(t, a, "1")
	forward(server, 54*time.Minute)
	if got := expect(t, b, "1"); time.Until(got.ExpiresAt).Round(time.Minute) != 6*time.Minute {
		t.Errorf("ExpiresAt is in %v, want 6 minutes", time.Until(got.ExpiresAt))
	}
	forward(server, 55*time.Minute)
	refreshed := make(chan struct{})
	<-source.begun
	go func() {
		defer close(refreshed)
		expect(t, a, "2")
	}()
	<-source.begun
	for range 5 {
		expect(t, b, "1")
	}
	source.gate <- nil
	<-refreshed
	expect(t, b, "2")
	if n := source.calls.Load(); n != 2 {
		t.Errorf("%d fetches, want 2", n)
	}
}

// If a refresh fails, the old token is returned and the next call tries again; without an
// old token, the error is that of the endpoint.
func TestFailedRefresh(t *testing.T) {
	t.Parallel()
	source := gated(time.Hour)
	server, a, b := newReplicas(t, source)
	failure := errors.New("the endpoint fails")
	go func() {
		for _, err := range []error{failure, nil, failure, nil} {
			source.gate <- err
		}
	}()
	if _, err := a.Token(t.Context(), app); !errors.Is(err, failure) {
		t.Errorf("Token = %v", err)
	}
	expect(t, b, "2")
	forward(server, 55*time.Minute)
	expect(t, a, "2")
	expect(t, b, "4")
	expect(t, a, "4")
}

// A process stops in a fetch until its lock has expired and another one has fetched. Its
// answer is older, and is neither stored nor returned.
func TestOlderAnswerReplacesNothing(t *testing.T) {
	t.Parallel()
	slow := gated(2 * time.Hour)
	server, a, _ := newReplicas(t, slow)
	quick := newSource(t, config(newClient(t, server.Addr()), &endpoint{life: time.Hour}))
	late := make(chan token.Token)
	go func() {
		got, err := a.Token(t.Context(), app)
		if err != nil {
			t.Error(err)
		}
		late <- got
	}()
	<-slow.begun
	forward(server, time.Minute)
	fast := expect(t, quick, "1")
	slow.gate <- nil
	if got := <-late; got.ExpiresAt.Sub(fast.ExpiresAt).Abs() > time.Minute {
		t.Errorf("the late fetch returns a token until %v, want that of the later fetch, until %v", got.ExpiresAt, fast.ExpiresAt)
	}
	if got := expect(t, quick, "1"); got.ExpiresAt.Sub(fast.ExpiresAt).Abs() > time.Minute {
		t.Errorf("the older answer is stored, until %v", got.ExpiresAt)
	}
}

// A process that dies in a fetch delays the others for as long as a fetch may take.
func TestFetcherDies(t *testing.T) {
	t.Parallel()
	dead := gated(time.Hour)
	server, a, _ := newReplicas(t, dead)
	next := newSource(t, config(newClient(t, server.Addr()), &endpoint{life: time.Hour}))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { _, _ = a.Token(ctx, app) }()
	<-dead.begun
	short, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer stop()
	if _, err := next.Token(short, app); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Token = %v", err)
	}
	forward(server, time.Minute)
	expect(t, next, "1")
}

// What is kept of an app expires with its token, or with the fetch that it waits for.
func TestExpiryOfKeys(t *testing.T) {
	t.Parallel()
	source := gated(time.Hour)
	server, a, _ := newReplicas(t, source)
	left := func() time.Duration { return server.TTL(server.Keys()[0]) }
	fetched := make(chan struct{})
	go func() {
		defer close(fetched)
		expect(t, a, "1")
	}()
	<-source.begun
	if got := left(); got < tokenredis.DefaultFetchTimeout || got > time.Minute {
		t.Errorf("during a fetch %v are left, want the time that it may take, and a little", got)
	}
	source.gate <- nil
	<-fetched
	if got := left(); got < time.Hour || got > time.Hour+time.Minute {
		t.Errorf("%v are left, want an hour and a little", got)
	}
}

// The clock of the server is set back, or another server has another clock: a token is not
// valid for longer than it was, and nobody waits for longer than a fetch may take.
func TestServersClockIsSetBack(t *testing.T) {
	t.Parallel()
	server, a, _ := newReplicas(t, &endpoint{life: time.Hour})
	now := time.Now()
	server.SetTime(now)
	if got := expect(t, a, "1"); time.Until(got.ExpiresAt) > time.Hour {
		t.Errorf("a token has %v left", time.Until(got.ExpiresAt))
	}
	server.SetTime(now.Add(-24 * time.Hour))
	if got := expect(t, a, "2"); time.Until(got.ExpiresAt) > time.Hour {
		t.Errorf("a token has %v left", time.Until(got.ExpiresAt))
	}

	dead := gated(time.Hour)
	stuck := newSource(t, config(newClient(t, server.Addr()), dead))
	if err := a.Forget(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { _, _ = stuck.Token(ctx, app) }()
	<-dead.begun
	server.SetTime(now.Add(-48 * time.Hour))
	expect(t, a, "3")
}

// A caller that leaves ends its fetch, and the next one need not wait.
func TestCallerLeavesItsFetch(t *testing.T) {
	t.Parallel()
	source := gated(time.Hour)
	_, a, b := newReplicas(t, source)
	ctx, leave := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		_, err := a.Token(ctx, app)
		failed <- err
	}()
	<-source.begun
	leave()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("Token = %v", err)
	}
	go func() { source.gate <- nil }()
	expect(t, b, "2")
}

// A forgotten token is not returned, and a fetch that runs meanwhile is not kept.
func TestForget(t *testing.T) {
	t.Parallel()
	source := gated(time.Hour)
	_, a, b := newReplicas(t, source)
	fetched := make(chan struct{})
	go func() {
		defer close(fetched)
		expect(t, a, "1")
	}()
	<-source.begun
	if err := b.Forget(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	source.gate <- nil
	<-fetched
	go func() { source.gate <- nil }()
	expect(t, b, "2")
	expect(t, a, "2")
	if err := b.Forget(t.Context(), "unknown"); !errors.Is(err, token.ErrUnknownApp) {
		t.Errorf("Forget = %v", err)
	}
}

// Tokens of one secret are not used with another, and the sealing key can be replaced
// without another fetch.
func TestRotation(t *testing.T) {
	t.Parallel()
	client := newClient(t, miniredis.RunT(t).Addr())
	source := &endpoint{life: time.Hour}
	replica := func(secret string, keys ...string) *tokenredis.Source {
		cfg := config(client, source)
		cfg.ClientSecret = func(context.Context, string) (signing.Secret, error) { return signing.NewSecret(secret), nil }
		cfg.Keys = nil
		for _, key := range keys {
			cfg.Keys = append(cfg.Keys, signing.NewSecret(strings.Repeat(key, tokenredis.MinKey)))
		}
		return newSource(t, cfg)
	}
	expect(t, replica("secret", "a"), "1")
	expect(t, replica("secret", "b", "a"), "1")
	expect(t, replica("secret", "b"), "2") // no key in common: another fetch
	expect(t, replica("secret", "a", "b"), "2")
	expect(t, replica("other secret", "a", "b"), "3")
	expect(t, replica("secret", "b"), "2")
}

// twice is a client that asks again, as go-redis does if an answer was lost.
type twice struct{ redis.UniversalClient }

func (c twice) EvalSha(ctx context.Context, sha string, keys []string, args ...any) *redis.Cmd {
	c.UniversalClient.EvalSha(ctx, sha, keys, args...)
	return c.UniversalClient.EvalSha(ctx, sha, keys, args...)
}

func TestLostAnswers(t *testing.T) {
	t.Parallel()
	s := newSource(t, config(twice{newClient(t, miniredis.RunT(t).Addr())}, &endpoint{life: time.Hour}))
	for range 3 {
		expect(t, s, "1")
	}
}

// A token without ExpiresAt cannot be kept, and one that is empty is not.
func TestTokensThatCannotBeKept(t *testing.T) {
	t.Parallel()
	for name, given := range map[string]token.Token{
		"no expiry": {AccessToken: signing.NewSecret("x")},
		"empty":     {ExpiresAt: time.Now().Add(time.Hour)},
		"expired":   {AccessToken: signing.NewSecret("x"), ExpiresAt: time.Now().Add(-time.Hour)},
	} {
		calls := 0
		s := newSource(t, config(newClient(t, miniredis.RunT(t).Addr()), token.SourceFunc(func(context.Context, string) (token.Token, error) {
			calls++
			return given, nil
		})))
		for range 2 {
			if got, err := s.Token(t.Context(), app); err != nil || !got.AccessToken.Equal(given.AccessToken) || !got.ExpiresAt.Equal(given.ExpiresAt) {
				t.Errorf("%s: Token = %v, %v", name, got, err)
			}
		}
		if calls != 2 {
			t.Errorf("%s: %d fetches, want 2", name, calls)
		}
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	_, err := tokenredis.New(tokenredis.Config{Early: -1, FetchTimeout: -1, Timeout: -1})
	for _, want := range []string{"Client", "Source", "ClientSecret", "Keys", "Early", "FetchTimeout", "Timeout"} {
		if err == nil || !strings.Contains(err.Error(), "tokenredis: config: "+want+" ") {
			t.Errorf("New = %v, which does not name %s", err, want)
		}
	}
}
