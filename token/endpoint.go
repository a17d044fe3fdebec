package token

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/internal/redact"
)

const (
	// DefaultAttemptTimeout bounds one attempt of a [ClientCredentials] whose
	// HTTPClient has no Timeout of its own.
	DefaultAttemptTimeout = 10 * time.Second
	// MaxEndpointBody is how many bytes of the endpoint's answer are read; a longer
	// answer is an [*EndpointError].
	MaxEndpointBody = 256 << 10
)

const (
	firstRetry = 200 * time.Millisecond // and twice as long each time, up to
	maxRetry   = 5 * time.Second
)

// ownClient is a copy of hc that follows no redirect: client_secret stays with
// the host that the configuration names.
func ownClient(hc *http.Client) *http.Client {
	own := &http.Client{}
	if hc != nil {
		*own = *hc
	}
	if own.Transport == nil {
		own.Transport = newTransport()
	}
	if own.Timeout == 0 {
		own.Timeout = DefaultAttemptTimeout
	}
	own.Transport = noRedirect{own.Transport}
	return own
}

// newTransport has connections of its own, not those of the whole program.
func newTransport() http.RoundTripper {
	standard, ok := http.DefaultTransport.(*http.Transport)
	if !ok { // somebody replaced it, and means it
		return http.DefaultTransport
	}
	return standard.Clone()
}

// noRedirect keeps net/http from following a redirect, and from putting its
// address into an error.
type noRedirect struct{ next http.RoundTripper }

func (t noRedirect) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(req)
	if err == nil && resp.StatusCode/100 == 3 {
		resp.Header.Del("Location")
	}
	return resp, err
}

// ask makes up to Attempts attempts.
func (c *ClientCredentials) ask(ctx context.Context, appID string, f form) (Token, error) {
	for attempt := 1; ; attempt++ {
		t, err := c.attempt(ctx, f)
		if err == nil || attempt >= c.attempts || ctx.Err() != nil || !passing(err) {
			return t, err
		}
		pause := backoff(attempt, err)
		c.logger.LogAttrs(ctx, slog.LevelWarn, "token: the endpoint failed, asking again",
			slog.String("app_id", appID), slog.Int("attempt", attempt), slog.Duration("pause", pause),
			slog.String("error", redact.Error(err, f.texts()...).Error()))
		if !sleep(ctx, pause) {
			return Token{}, fmt.Errorf("%w, after %w", whyEnded(ctx), err)
		}
	}
}

// attempt asks once. What the answer says of a token's life counts from before
// the question.
func (c *ClientCredentials) attempt(ctx context.Context, f form) (Token, error) {
	asked := c.now()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url.Reveal(), strings.NewReader(f.body.Reveal())) //nolint:gosec // The address is the configuration's.
	if err != nil {
		return Token{}, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	resp, err := c.client.Do(req) //nolint:gosec // As above.
	if err != nil {
		return Token{}, withCause(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, MaxEndpointBody+1))
	if err != nil {
		return Token{}, withCause(ctx, fmt.Errorf("read the answer: %w", err))
	}
	return readGrant(resp, body, asked, f.hide)
}

// withCause adds why ctx ended where err does not say.
func withCause(ctx context.Context, err error) error {
	if ctx.Err() == nil || errors.Is(err, ctx.Err()) && errors.Is(err, context.Cause(ctx)) {
		return err
	}
	return fmt.Errorf("%w: %w", whyEnded(ctx), err)
}

// passing reports whether the same question may be answered another time: the
// network failed, or the endpoint says that it is busy or broken.
func passing(err error) bool {
	var answer *EndpointError
	if errors.As(err, &answer) {
		return answer.StatusCode >= 500 || answer.StatusCode == http.StatusTooManyRequests
	}
	return true
}

// backoff is how long to wait after so many attempts: a random part keeps many
// machines from asking in step, and a Retry-After is obeyed within reason.
func backoff(attempt int, err error) time.Duration {
	pause := min(firstRetry<<min(attempt-1, 10), maxRetry)
	pause = pause/2 + rand.N(pause/2) //nolint:gosec // Nobody gains by guessing a pause.
	var answer *EndpointError
	if errors.As(err, &answer) {
		pause = max(pause, min(answer.retryAfter, maxRetry))
	}
	return pause
}

// sleep reports whether it slept to the end.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
