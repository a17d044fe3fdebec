package token

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
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

// Token asks the endpoint. Its error is [ErrUnknownApp], an [*EndpointError], or a failure
// of Lookup or the network, without secrets and the query of the URL.
func (c *ClientCredentials) Token(ctx context.Context, appID string) (Token, error) {
	client, err := c.client(ctx, appID)
	if err != nil {
		return Token{}, err
	}
	form, secrets := c.form(appID, client)
	for n := 1; ; n++ {
		t, err := c.attempt(ctx, appID, n, form, secrets)
		if err == nil {
			return t, nil
		}
		err = redact.Error(err, secrets...)
		wait, again := pause(n, err)
		if n >= c.cfg.Attempts || ctx.Err() != nil || !again {
			return Token{}, fmt.Errorf("token: fetch for app %q: %w", appID, err)
		}
		c.cfg.Logger.LogAttrs(ctx, slog.LevelWarn, "token: the endpoint failed, asking again",
			slog.String("app_id", appID), slog.Int("attempt", n), slog.Duration("pause", wait), slog.String("error", err.Error()))
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return Token{}, fmt.Errorf("token: fetch for app %q: %w, after %w", appID, whyEnded(ctx), err)
		}
	}
}

// form returns the body of a grant, and what must not be shown of it.
func (c *ClientCredentials) form(appID string, client Client) (body string, secrets []string) {
	_, query, _ := strings.Cut(c.cfg.URL, "?")
	secrets = []string{client.Secret.Reveal(), query}
	asked, _ := url.ParseQuery(query) // the parts that can be read
	for _, values := range []url.Values{client.Extra, asked} {
		for _, list := range values {
			for _, v := range list {
				if len(v) >= redact.MinPart { // "locale=de" must not hide each "de"
					secrets = append(secrets, v)
				}
			}
		}
	}
	fields := url.Values{}
	maps.Copy(fields, client.Extra)
	fields.Set("grant_type", "client_credentials")
	fields.Set("client_id", cmp.Or(client.ID, appID))
	fields.Set("client_secret", client.Secret.Reveal())
	return fields.Encode(), secrets
}

// attempt asks once.
func (c *ClientCredentials) attempt(ctx context.Context, appID string, n int, form string, secrets []string) (t Token, err error) {
	out := weboffice.Outcome{App: appID}
	ctx, end := observe.Start(ctx, c.cfg.Observe, weboffice.Operation{Name: "token.fetch", Attempt: n})
	defer func() {
		out.Error = kind(err)
		end(out)
	}()
	asked := c.cfg.Now()                                                                             // expires_in counts from before the request
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.cfg.URL, strings.NewReader(form)) //nolint:gosec // The URL is the configuration's.
	if err != nil {
		return Token{}, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	resp, err := c.cfg.HTTPClient.Do(req) //nolint:gosec // As above.
	if err != nil {
		return Token{}, withCause(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	out.Status, out.RequestID = resp.StatusCode, callback.RequestID(resp.Header)
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return Token{}, withCause(ctx, fmt.Errorf("read the answer of %s: %w", c.name(), err))
	}
	t, failure := readGrant(resp, body, asked, secrets)
	if failure != nil {
		out.Code = failure.Code
		return Token{}, failure
	}
	return t, nil
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

// pause is how long to wait after a failed attempt, and whether another one may succeed: the
// network failed, or the endpoint says that it is busy or broken. A random part keeps many
// machines from asking together, and a Retry-After is obeyed up to maxRetry.
func pause(attempt int, err error) (wait time.Duration, again bool) {
	wait = min(firstRetry<<min(attempt-1, 10), maxRetry)
	wait = wait/2 + rand.N(wait/2) //nolint:gosec // A pause is not a secret.
	var answer *EndpointError
	if !errors.As(err, &answer) {
		return wait, true
	}
	return max(wait, min(answer.retryAfter, maxRetry)), answer.StatusCode >= 500 || answer.StatusCode == http.StatusTooManyRequests
}
