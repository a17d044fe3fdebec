package convert

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/internal/httpx"
)

const userAgent = "weboffice-go"

// Client talks to the conversion API. Make one with [New] and keep it: its
// connections and its rate limit are its own. It is safe for concurrent use.
type Client struct {
	cfg   Config
	base  string // BaseURL without a final slash
	calls *httpx.Client
	files *http.Client     // downloads
	clock func() time.Time // of durations, which Config.Now need not show
}

// New checks cfg, fills in its defaults and returns a Client. It reports every
// problem at once, each as a [*FieldError], and contacts nobody.
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

// CloseIdleConnections closes the connections that no call is using. With a
// Config.HTTPClient they are those of its Transport.
func (c *Client) CloseIdleConnections() { c.files.CloseIdleConnections() }

// Format prints the address of the service alone: all else in a Client is secret,
// or changes while others use it.
func (c *Client) Format(f fmt.State, _ rune) { _, _ = fmt.Fprintf(f, "convert.Client(%s)", c.base) }
