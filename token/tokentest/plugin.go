package tokentest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/internal/callback"
	"github.com/weboffice-go/weboffice/internal/memhttp"
	"github.com/weboffice-go/weboffice/internal/redact"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
)

// PluginConfig configures [NewPlugin].
type PluginConfig struct {
	Handler     http.Handler        // Called in memory at token.Path. Required without URL.
	URL         string              // Called over HTTP; without a path it gets token.Path. Required without Handler.
	Credentials signing.Credentials // Who signs. Zero: requests are not signed.
	HTTPClient  *http.Client        // With URL. If nil, a plain one.
	Now         func() time.Time    // For Date and for Token.ExpiresAt. If nil, time.Now.
}

// Plugin plays the presentation plugin. It is safe for concurrent use.
type Plugin struct {
	cfg    PluginConfig
	signer *signing.Signer // nil: unsigned
}

// NewPlugin reports every problem of cfg.
func NewPlugin(cfg PluginConfig) (*Plugin, error) {
	var errs []error
	if (cfg.Handler == nil) == (cfg.URL == "") {
		errs = append(errs, errors.New("tokentest: plugin: give Handler or URL, not both"))
	}
	if cfg.Handler != nil {
		cfg.URL, cfg.HTTPClient = "http://backend.test", memhttp.Client(cfg.Handler)
	}
	u, err := url.Parse(cfg.URL)
	if cfg.URL != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		errs = append(errs, errors.New("tokentest: plugin: URL must be an absolute http or https URL"))
	} else if u.Path == "" || u.Path == "/" {
		u.Path = token.Path
		cfg.URL = u.String()
	}
	var signer *signing.Signer
	if !cfg.Credentials.IsZero() {
		if signer, err = signing.NewSigner(cfg.Credentials); err != nil {
			errs = append(errs, fmt.Errorf("tokentest: plugin: Credentials: %w", err))
		}
	}
	if errs != nil {
		return nil, errors.Join(errs...)
	}
	client := *cmp.Or(cfg.HTTPClient, &http.Client{})
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	cfg.HTTPClient = &client
	cfg.Now = callback.Clock(cfg.Now)
	return &Plugin{cfg, signer}, nil
}

// Token asks for a token and checks every field of the answer (protocol 2.11), which may be
// an [*AnswerError].
func (p *Plugin) Token(ctx context.Context, r token.Request) (token.Token, error) {
	asked := p.cfg.Now()
	a, err := p.send(ctx, newCall(r))
	if err != nil {
		return token.Token{}, fmt.Errorf("tokentest: plugin: %w", redact.Error(err, r.WebOfficeToken.Reveal()))
	}
	granted, failed := a.success()
	if failed != nil {
		failed.hide(r.WebOfficeToken, granted.token)
		return token.Token{}, failed
	}
	return token.Token{AccessToken: granted.token, ExpiresAt: asked.Add(granted.life)}, nil
}

// call is a request to send, which a rule may change.
type call struct {
	method      string
	contentType string
	body        string
	requestID   string
	unsigned    bool
	chunked     bool   // Without a Content-Length.
	sent        string // If not empty, what is sent instead of the body that was signed.
}

func newCall(r token.Request) call {
	return call{
		method:      http.MethodPost,
		contentType: signing.ContentType,
		requestID:   r.RequestID,
		body: object(map[string]any{
			"app_id": r.AppID, "file_id": r.FileID, "weboffice_token": r.WebOfficeToken.Reveal(),
		}),
	}
}

// object encodes m without HTML escapes, as most senders do.
func object(m map[string]any) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(m) // strings and numbers always encode
	return strings.TrimSuffix(b.String(), "\n")
}

// maxAnswer is far more than a token needs.
const maxAnswer = 1 << 20

func (p *Plugin) send(ctx context.Context, c call) (*answer, error) {
	req, err := http.NewRequestWithContext(ctx, c.method, p.cfg.URL, strings.NewReader(c.body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", c.contentType)
	if c.requestID != "" {
		req.Header.Set("X-Request-Id", c.requestID)
	}
	if p.signer != nil && !c.unsigned {
		if err := p.signer.SignRequest(req, p.cfg.Now()); err != nil {
			return nil, err
		}
	}
	if c.sent != "" {
		req.Body, req.ContentLength, req.GetBody = io.NopCloser(strings.NewReader(c.sent)), int64(len(c.sent)), nil
	}
	if c.chunked {
		req.ContentLength = -1
	}
	resp, err := p.cfg.HTTPClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	return &answer{status: resp.StatusCode, header: resp.Header, body: body}, nil
}
