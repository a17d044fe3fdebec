package convert

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/internal/httpx"
)

const userAgent = "weboffice-go"

// Client calls the conversion API. Keep it: it has its own connections and, unless
// Config.Limiter is set, its own rate limit. It is safe for concurrent use. To change the
// app key, make another with the same Limiter.
type Client struct {
	cfg   Config
	base  string // BaseURL without a final slash
	app   string // id, for observations
	calls *httpx.Client
	files *http.Client     // downloads
	clock func() time.Time // for durations; Config.Now may stand still
}

// New reports every problem of cfg at once, each as a [*FieldError].
func New(cfg Config) (*Client, error) {
	signer, problems := cfg.check()
	if err := problems.join("config"); err != nil {
		return nil, err
	}
	cfg.setDefaults()
	shared := httpx.Copy(cfg.HTTPClient)
	clock := time.Now
	return &Client{
		cfg:  cfg,
		base: strings.TrimRight(cfg.BaseURL, "/"),
		app:  cfg.Credentials.Caller().AppID,
		calls: httpx.New(httpx.Config{
			HTTPClient: shared,
			MaxBody:    cfg.MaxBody,
			Sign:       func(h http.Header, payload []byte) { signer.Sign(h, payload, cfg.Now()) },
			UserAgent:  userAgent,
		}),
		files: downloadClient(shared),
		clock: clock,
	}, nil
}

// WaitOptions change how a [Client] waits.
type WaitOptions struct {
	_       [0]func()
	Backoff Backoff       // As Config.Backoff. If zero, that of the Client.
	MaxWait time.Duration // As Config.MaxWait. If zero, that of the Client.
}

// WithWait returns a Client that waits with other options and shares everything else
// with c.
func (c *Client) WithWait(o WaitOptions) *Client {
	other := *c
	if o.Backoff.Min > 0 || o.Backoff.Max > 0 {
		other.cfg.Backoff = o.Backoff
		other.cfg.Backoff.Min = max(o.Backoff.Min, 0)
		other.cfg.Backoff.setDefaults()
	}
	other.cfg.MaxWait = cmp.Or(o.MaxWait, c.cfg.MaxWait)
	return &other
}

// CloseIdleConnections closes the connections that no call is using.
func (c *Client) CloseIdleConnections() { c.files.CloseIdleConnections() }

// Format prints only the URL of the service.
func (c *Client) Format(f fmt.State, _ rune) { _, _ = fmt.Fprintf(f, "convert.Client(%s)", c.base) }

// NewLimiter returns a [Limiter] that lets calls start in any period per, in the order
// in which they ask; since the service counts arrivals, it adds a tenth to per. All
// Clients of an app id need the same one. If calls or per is not positive, it is
// [DefaultCallsPerSecond] or a second.
func NewLimiter(calls int, per time.Duration) Limiter {
	if calls <= 0 {
		calls = DefaultCallsPerSecond
	}
	if per <= 0 {
		per = time.Second
	}
	w := &window{slots: make(chan struct{}, calls), period: per + per/10}
	for range calls {
		w.slots <- struct{}{}
	}
	return w
}

// window is a Limiter: each call takes a slot, and returns it a period later.
type window struct {
	slots  chan struct{}
	period time.Duration
}

// Wait takes a slot, unless ctx has ended.
func (w *window) Wait(ctx context.Context) error {
	if err := httpx.Ended(ctx); err != nil {
		return err
	}
	select {
	case <-w.slots:
		time.AfterFunc(w.period, func() { w.slots <- struct{}{} })
		return nil
	case <-ctx.Done():
		return httpx.Ended(ctx)
	}
}
