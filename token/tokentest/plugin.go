package tokentest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
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
	Handler     http.Handler        // Called in memory at token.Path. It or URL is required.
	URL         string              // Called over HTTP; without a path it gets token.Path.
	Credentials signing.Credentials // Who signs. Zero: requests are not signed.
	HTTPClient  *http.Client        // With URL. If nil, a plain one.
	Now         func() time.Time    // For Date and for Token.ExpiresAt. If nil, time.Now.
}

// Plugin plays the presentation plugin.
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
	a, err := p.send(ctx, newCall("", r))
	if err != nil {
		return token.Token{}, fmt.Errorf("tokentest: plugin: %w", redact.Error(err, r.WebOfficeToken.Reveal()))
	}
	granted, failed := a.success()
	if failed != nil {
		secrets := []string{r.WebOfficeToken.Reveal(), granted.token.Reveal()}
		failed.Body, failed.Message = []byte(redact.Text(string(failed.Body), secrets...)), redact.Text(failed.Message, secrets...)
		return token.Token{}, failed
	}
	return token.Token{AccessToken: granted.token, ExpiresAt: asked.Add(granted.life)}, nil
}

// call is a request to send, which a rule may change.
type call struct {
	what        string // Names it in errors.
	names       string // What the message of a refusal must contain.
	method      string
	contentType string
	members     map[string]any
	body        string // If not empty, instead of members.
	requestID   string
	unsigned    bool
	chunked     bool   // Without a Content-Length.
	sent        string // If not empty, what is sent instead of the body that was signed.
}

func newCall(what string, r token.Request) call {
	return call{
		what:        what,
		method:      http.MethodPost,
		contentType: signing.ContentType,
		requestID:   r.RequestID,
		members:     map[string]any{"app_id": r.AppID, "file_id": r.FileID, "weboffice_token": r.WebOfficeToken.Reveal()},
	}
}

func (c call) text() string { return cmp.Or(c.body, object(c.members)) }

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
	req, err := http.NewRequestWithContext(ctx, c.method, p.cfg.URL, strings.NewReader(c.text()))
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
	return newAnswer(resp, body), nil
}

// AnswerError is an answer that is a refusal, or breaks a rule.
type AnswerError struct {
	StatusCode int // Of HTTP.
	Code       int // Zero if it could not be read.
	Message    string
	Rule       string // The rule that the answer breaks; empty for a refusal in the right form.
	Body       []byte // Without the user's token and the access token.
}

func (e *AnswerError) Error() string {
	if e.Rule != "" {
		return fmt.Sprintf("tokentest: the answer (HTTP %d) breaks a rule: %s", e.StatusCode, e.Rule)
	}
	return fmt.Sprintf("tokentest: refused: HTTP %d, code %d: %s", e.StatusCode, e.Code, e.Message)
}

// answer is what a handler sent. Its Rule is one that every answer must keep (protocol 7
// rule 1).
type answer struct {
	AnswerError
	header http.Header
	data   json.RawMessage
}

// members are those of a JSON object, by their exact names.
type members map[string]json.RawMessage

func newAnswer(resp *http.Response, body []byte) *answer {
	mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	var m members
	_ = json.Unmarshal(body, &m) // nil if it is not an object
	code, notNumber := strconv.Atoi(string(m["code"]))
	message, isText := m.text("message")
	rule := ""
	switch {
	case mediaType != signing.ContentType:
		rule = "Content-Type is application/json"
	case m == nil:
		rule = "the body is a JSON object"
	case notNumber != nil:
		rule = "code is a number (protocol 7 rule 1)"
	case !isText:
		rule = "message is a string (protocol 2.11)"
	}
	return &answer{AnswerError{resp.StatusCode, code, message, rule, body}, resp.Header, m["data"]}
}

// grant is a success of protocol 2.11.
type grant struct {
	token signing.Secret
	life  time.Duration
}

// success checks an answer against protocol 2.11 and 4.3. What it could read of a
// bad answer comes with the error.
func (a *answer) success() (g grant, failed *AnswerError) {
	e := a.AnswerError
	if e.Rule != "" || e.Code != 0 {
		return g, &e
	}
	var data members
	_ = json.Unmarshal(a.data, &data) // nil if it is not an object
	accessToken, isText := data.text("access_token")
	tokenType, _ := data.text("token_type")
	seconds, err := strconv.ParseInt(string(data["expires_in"]), 10, 32)
	g = grant{signing.NewSecret(accessToken), time.Duration(seconds) * time.Second}
	switch {
	case data == nil:
		e.Rule = "data is an object (protocol 2.11)"
	case e.StatusCode != http.StatusOK:
		e.Rule = "a success has HTTP status 200 (protocol 4.3)"
	case !isText || accessToken == "":
		e.Rule = "data.access_token is a string and not empty (protocol 2.11)"
	case tokenType != "bearer":
		e.Rule = `data.token_type is "bearer" (protocol 2.11)`
	case err != nil || seconds < 1:
		e.Rule = "data.expires_in is a whole number of seconds, at least 1 (protocol 2.11)"
	default:
		return g, nil
	}
	return g, &e
}

// text is a member that is a string.
func (m members) text(name string) (s string, ok bool) {
	raw := m[name]
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}
