package tokenredis

import (
	"cmp"
	"context"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
)

// DefaultFetchTimeout is how long one call of Config.Source may take.
const DefaultFetchTimeout = 15 * time.Second

// Config says where tokens come from and how they are kept.
type Config struct {
	// Required. Its time-outs bound what goes on after a caller has left. It is not closed.
	Client redis.UniversalClient

	// Required. Where tokens come from, usually a token.ClientCredentials.
	Source token.Source

	// Required. Returns the client secret of an app, which is part of the name under which
	// its token is kept. For an unknown app it returns token.ErrUnknownApp or no secret.
	ClientSecret func(ctx context.Context, appID string) (signing.Secret, error)

	// Required. Texts of at least MinKey random bytes. The first seals tokens; each opens
	// them.
	Keys []signing.Secret

	// A token is fetched again this long before it expires, or at half of its life if that
	// is later. Use the same as for the cache. If zero, token.DefaultEarly.
	Early time.Duration

	// How long one call of Source may take. If a process dies in it, the others wait as
	// long. If zero, DefaultFetchTimeout.
	FetchTimeout time.Duration

	// How the names of keys start. If empty, DefaultPrefix.
	Prefix string

	// How long Redis may take for one answer. If zero, DefaultTimeout.
	Timeout time.Duration

	// Asked instead while Redis is not available, usually the same as Source. Each process
	// then has tokens of its own. If nil, Token returns an error that is ErrUnavailable.
	Fallback token.Source

	// Told at Warn when Redis is not available, when a fetch fails and the old token is
	// used, and when a token cannot be opened or stored. If nil, nothing is logged.
	Logger *slog.Logger

	// The clock of ExpiresAt, as of Source. If nil, time.Now.
	Now func() time.Time
}

// Source is a [token.Source] whose tokens are kept in Redis. It is safe for concurrent
// use. If a caller leaves while it waits for an answer of Redis, the question goes on in the
// background, at most for as long as the time-outs of the client allow.
type Source struct {
	cfg    Config
	server *server
	seals  []cipher.AEAD
	lease  time.Duration
	owner  string
	calls  atomic.Uint64
}

// New copies cfg, fills in its defaults, and reports every problem at once. It does not
// connect.
func New(cfg Config) (*Source, error) {
	var errs []error
	problem := func(bad bool, text string) {
		if bad {
			errs = append(errs, errors.New("tokenredis: config: "+text))
		}
	}
	problem(cfg.Client == nil, "Client is required")
	problem(cfg.Source == nil, "Source is required")
	problem(cfg.ClientSecret == nil, "ClientSecret is required")
	problem(cfg.Early < 0, "Early must not be negative")
	problem(cfg.FetchTimeout < 0, "FetchTimeout must not be negative")
	problem(cfg.Timeout < 0, "Timeout must not be negative")
	seals, err := newSeals(cfg.Keys)
	if errs = append(errs, err); errors.Join(errs...) != nil {
		return nil, errors.Join(errs...)
	}
	cfg.Early = cmp.Or(cfg.Early, token.DefaultEarly)
	cfg.FetchTimeout = cmp.Or(cfg.FetchTimeout, DefaultFetchTimeout)
	cfg.Prefix = cmp.Or(cfg.Prefix, DefaultPrefix)
	cfg.Keys = nil
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	s := &Source{cfg: cfg, server: newServer(cfg.Client, cfg.Timeout, cfg.Logger), seals: seals, owner: rand.Text()}
	s.lease = cfg.FetchTimeout + 2*s.server.timeout
	return s, nil
}

// Format prints the name of the type.
func (s *Source) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "tokenredis.Source") }

// Token returns the token that is kept, or fetches one. Its error is that of
// Config.Source or Config.ClientSecret, is [ErrUnavailable], or wraps why ctx ended.
func (s *Source) Token(ctx context.Context, appID string) (token.Token, error) {
	t, err := s.shared(ctx, appID)
	if s.cfg.Fallback != nil && errors.Is(err, ErrUnavailable) {
		return s.cfg.Fallback.Token(ctx, appID)
	}
	return t, err
}

const (
	firstPause = 50 * time.Millisecond // of those who wait for a fetch, doubled each time, up to
	maxPause   = 500 * time.Millisecond
)

func (s *Source) shared(ctx context.Context, appID string) (token.Token, error) {
	key, err := s.key(ctx, appID)
	if err != nil {
		return token.Token{}, err
	}
	e := &entry{source: s, key: key, appID: appID, owner: s.owner + ":" + strconv.FormatUint(s.calls.Add(1), 36)}
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		old, fence, err := e.look(ctx)
		switch {
		case err != nil:
			return token.Token{}, fmt.Errorf("tokenredis: token of app %q: %w", appID, err)
		case fence != 0:
			return e.fetch(ctx, old, fence)
		case !old.AccessToken.IsZero():
			return old, nil
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return token.Token{}, fmt.Errorf("tokenredis: token of app %q: waiting for another process: %w", appID, ended(ctx))
		}
	}
}

// Forget drops the token of an app, for example because it was revoked. The result of a
// fetch that runs meanwhile is not kept. Each process has to call token.Cache.Forget after
// it; one that does not keeps its token.
func (s *Source) Forget(ctx context.Context, appID string) error {
	key, err := s.key(ctx, appID)
	if err != nil {
		return err
	}
	if _, err := run(ctx, s, forgetScript, key, nil, micros(s.lease)); err != nil {
		return fmt.Errorf("tokenredis: forget the token of app %q: %w", appID, err)
	}
	return nil
}

// key is the name under which the token of an app is kept.
func (s *Source) key(ctx context.Context, appID string) (string, error) {
	secret, err := s.cfg.ClientSecret(ctx, appID)
	if err != nil {
		return "", fmt.Errorf("tokenredis: client secret of app %q: %w", appID, err)
	}
	if secret.IsZero() {
		return "", fmt.Errorf("%w %q", token.ErrUnknownApp, appID)
	}
	h := sha256.New()
	for _, part := range []string{"weboffice tokenredis", appID, secret.Reveal()} {
		_ = binary.Write(h, binary.BigEndian, uint64(len(part)))
		_, _ = io.WriteString(h, part)
	}
	return s.cfg.Prefix + "token:" + appID + ":" + hex.EncodeToString(h.Sum(nil)[:16]), nil
}
