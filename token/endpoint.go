package token

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice"
	"github.com/weboffice-go/weboffice/internal/callback"
	"github.com/weboffice-go/weboffice/internal/observe"
	"github.com/weboffice-go/weboffice/internal/redact"
)

const (
	attemptTimeout = 4 * time.Second        // three of them and their pauses fit into DefaultFetchTimeout, two into DefaultTimeout
	firstRetry     = 200 * time.Millisecond // doubled each time, up to
	maxRetry       = 5 * time.Second
	maxAnswer      = 256 << 10 // bytes of an answer
)

// ownClient is a copy of hc that follows no redirect: client_secret is sent only to the
// host that the configuration names.
func ownClient(hc *http.Client) *http.Client {
	own := &http.Client{}
	if hc != nil {
		*own = *hc
	}
	own.Timeout = cmp.Or(own.Timeout, attemptTimeout)
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return own
}

// ask makes up to Attempts attempts.
func (c *ClientCredentials) ask(ctx context.Context, appID string, f form) (Token, error) {
	for attempt := 1; ; attempt++ {
		t, err := c.observed(ctx, appID, attempt, f)
		if err == nil || attempt >= c.cfg.Attempts || ctx.Err() != nil || !passing(err) {
			return t, err
		}
		pause := backoff(attempt, err)
		c.cfg.Logger.LogAttrs(ctx, slog.LevelWarn, "token: the endpoint failed, asking again",
			slog.String("app_id", appID), slog.Int("attempt", attempt), slog.Duration("pause", pause),
			slog.String("error", redact.Error(err, f.secrets...).Error()))
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return Token{}, fmt.Errorf("%w, after %w", whyEnded(ctx), err)
		}
	}
}

// observed makes one attempt.
func (c *ClientCredentials) observed(ctx context.Context, appID string, attempt int, f form) (t Token, err error) {
	out := weboffice.Outcome{App: appID}
	ctx, end := observe.Start(ctx, c.cfg.Observe, weboffice.Operation{Name: "token.fetch", Attempt: attempt})
	defer func() {
		out.Error = kind(err)
		end(out)
	}()
	// The life that the answer states counts from before the request.
	asked := c.cfg.Now()
	resp, body, err := c.post(ctx, f.body) //nolint:bodyclose // post has closed it.
	if resp != nil {
		out.Status, out.RequestID = resp.StatusCode, callback.RequestID(resp.Header)
	}
	if err != nil {
		return Token{}, withCause(ctx, err)
	}
	t, failure := readGrant(resp, body, asked, f.secrets)
	if failure != nil {
		out.Code = failure.Code
		return Token{}, failure
	}
	return t, nil
}

func (c *ClientCredentials) post(ctx context.Context, form string) (*http.Response, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.cfg.URL, strings.NewReader(form)) //nolint:gosec // The URL is the configuration's.
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	resp, err := c.cfg.HTTPClient.Do(req) //nolint:gosec // As above.
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		err = fmt.Errorf("read the answer of %s: %w", c.name(), err)
	}
	return resp, body, err
}

// kind is the weboffice.Outcome.Error of an attempt.
func kind(err error) string {
	var answer *EndpointError
	var timeout interface{ Timeout() bool }
	switch {
	case err == nil:
		return ""
	case errors.As(err, &answer) && answer.StatusCode == http.StatusTooManyRequests:
		return "rate_limited"
	case answer != nil && answer.refused:
		return "refused"
	case answer != nil:
		return "invalid"
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout():
		return "timeout"
	default:
		return "network"
	}
}

// withCause adds why ctx ended, if err does not say it.
func withCause(ctx context.Context, err error) error {
	if ctx.Err() == nil || errors.Is(err, ctx.Err()) && errors.Is(err, context.Cause(ctx)) {
		return err
	}
	return fmt.Errorf("%w: %w", whyEnded(ctx), err)
}

// passing reports whether another attempt may succeed: the network failed, or the
// endpoint says that it is busy or broken.
func passing(err error) bool {
	var answer *EndpointError
	if errors.As(err, &answer) {
		return answer.StatusCode >= 500 || answer.StatusCode == http.StatusTooManyRequests
	}
	return true
}

// backoff is the pause after an attempt. A random part keeps many machines from asking
// together, and a Retry-After is obeyed up to maxRetry.
func backoff(attempt int, err error) time.Duration {
	pause := min(firstRetry<<min(attempt-1, 10), maxRetry)
	pause = pause/2 + rand.N(pause/2) //nolint:gosec // A pause is not a secret.
	var answer *EndpointError
	if errors.As(err, &answer) {
		pause = max(pause, min(answer.retryAfter, maxRetry))
	}
	return pause
}
