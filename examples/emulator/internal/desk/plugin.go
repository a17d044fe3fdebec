package desk

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokentest"
)

// plugin plays the presentation plugin, and the token endpoint.
type plugin struct {
	desk  *Desk
	calls *ring[PluginCall]

	mu       sync.Mutex
	clients  map[string]string // Secrets by id.
	life     time.Duration
	endpoint *tokentest.Endpoint
}

// PluginCall is a call of the token callback.
type PluginCall struct {
	ID        string       `json:"id"`
	At        time.Time    `json:"at"`
	URL       string       `json:"url"`
	AppID     string       `json:"app_id"`
	FileID    string       `json:"file_id"`
	OK        bool         `json:"ok"`
	Summary   string       `json:"summary"`
	Broken    []BrokenRule `json:"broken"`
	ExpiresAt *time.Time   `json:"expires_at,omitempty"`
	ExpiresIn *float64     `json:"expires_in,omitempty"`
	Token     *Token       `json:"token,omitempty"`
	Exchange  string       `json:"exchange,omitempty"`
}

// Token is an access token, taken apart.
type Token struct {
	Shown  string          `json:"shown"`
	JWT    bool            `json:"jwt"`
	Header json.RawMessage `json:"header,omitempty"`
	Claims json.RawMessage `json:"claims,omitempty"`
	Note   string          `json:"note,omitempty"`
}

// Client is one of the token endpoint.
type Client struct {
	ID     string `json:"id"`
	Secret string `json:"secret"`
	Issued int    `json:"issued"`
}

// tokenLife is how long a token works, unless that is changed.
const tokenLife = 2 * time.Hour

func newPlugin(d *Desk) *plugin {
	p := &plugin{desk: d, calls: newRing[PluginCall]("p", maxPluginCalls)}
	p.start()
	return p
}

// start begins without clients.
func (p *plugin) start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clients, p.life = map[string]string{}, tokenLife
	p.renew()
}

// renew makes a new endpoint. The plugin is locked.
func (p *plugin) renew() {
	clients := map[string]signing.Secret{}
	for id, secret := range p.clients {
		clients[id] = signing.NewSecret(secret)
	}
	p.endpoint = tokentest.NewEndpoint(&tokentest.EndpointOptions{Clients: clients, Life: p.life, Now: p.desk.clock.now, Token: p.jwt(p.life)})
}

// jwt makes tokens as the service does (protocol 2.11). Nobody checks their signature.
func (p *plugin) jwt(life time.Duration) func(clientID string, n int) string {
	encode := func(v any) string {
		text, _ := json.Marshal(v) // Strings and numbers always encode.
		return base64.RawURLEncoding.EncodeToString(text)
	}
	return func(clientID string, n int) string {
		now := p.desk.clock.now()
		token := encode(map[string]string{"alg": "HS256", "typ": "JWT"}) + "." + encode(map[string]any{
			"iss": p.desk.cfg.URL, "sub": clientID, "jti": clientID + "-" + strconv.Itoa(n), "iat": now.Unix(), "exp": now.Add(life).Unix(),
		})
		mac := hmac.New(sha256.New, []byte(p.desk.self))
		mac.Write([]byte(token))
		return token + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	}
}

// ServeHTTP answers grants.
func (p *plugin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	endpoint := p.endpoint
	p.mu.Unlock()
	endpoint.ServeHTTP(w, r)
}

func (p *plugin) allClients() []Client {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := []Client{}
	for _, id := range slices.Sorted(maps.Keys(p.clients)) {
		all = append(all, Client{id, p.clients[id], p.endpoint.Issued(id)})
	}
	return all
}

// setClient adds a client or changes its secret.
func (p *plugin) setClient(id, secret string) (Client, error) {
	switch {
	case secret == "" || len(secret) > 200:
		return Client{}, problem{"secret", "secret must have 1 to 200 characters"}
	case len(id) > 200:
		return Client{}, problem{"id", "id must have at most 200 characters"}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, known := p.clients[id]; !known && len(p.clients) == maxClients {
		return Client{}, problem{"id", fmt.Sprintf("there are %d clients already", maxClients)}
	}
	p.clients[id] = secret
	p.renew()
	return Client{ID: id, Secret: secret}, nil
}

// newCall is what a call of the callback is made of.
type newCall struct {
	URL      string `json:"url"`
	FileID   string `json:"file_id"`
	Token    string `json:"token"`
	AppID    string `json:"app_id"`
	Unsigned bool   `json:"unsigned"`
}

// call calls the token callback as the plugin does.
func (p *plugin) call(ctx context.Context, n newCall) (PluginCall, error) {
	d := p.desk
	switch {
	case safeURL(n.URL) == "":
		return PluginCall{}, problem{"url", "url must be an absolute http or https URL"}
	case n.FileID == "":
		return PluginCall{}, problem{"file_id", "file_id is required"}
	}
	app, err := d.app(n.AppID)
	if err != nil {
		return PluginCall{}, err
	}
	now := func() time.Time { return d.clock.dateNow().Add(d.faults.skew(areaPlugin)) }
	cfg := tokentest.PluginConfig{URL: n.URL, HTTPClient: d.client(areaPlugin), Now: now}
	if !n.Unsigned {
		cfg.Credentials = p.desk.credentials(app)
	}
	player, err := tokentest.NewPlugin(cfg)
	if err != nil {
		return PluginCall{}, problem{"url", err.Error()}
	}
	t := &trace{secrets: []string{n.Token}}
	asked := now()
	got, err := player.Token(withTrace(ctx, t), token.Request{AppID: app.ID, FileID: n.FileID, WebOfficeToken: signing.NewSecret(n.Token)})
	c := PluginCall{At: d.clock.now().UTC(), URL: withoutQuery(n.URL), AppID: app.ID, FileID: n.FileID, OK: err == nil, Broken: broken(err)}
	if ids := t.ids(); len(ids) > 0 {
		c.Exchange = ids[len(ids)-1]
	}
	if err == nil {
		life := got.ExpiresAt.Sub(asked)
		expires := c.At.Add(life)
		c.ExpiresAt, c.Token = &expires, takeApart(got.AccessToken, expires)
		c.Summary = fmt.Sprintf("A token for %v.", life.Round(time.Second))
	} else {
		c.Summary = summaryOf(Step{Broken: c.Broken})
		p.blame(c.Exchange, c.Broken)
	}
	c = p.calls.add(func(id string) PluginCall {
		c.ID = id
		return c
	})
	state := stateOK
	if !c.OK {
		state = stateFailed
	}
	d.journal.add(Event{Kind: kindToken, Area: areaPlugin, State: state, Ref: c.ID, Text: c.FileID + " " + c.Summary})
	return p.aged(c), nil
}

// blame puts the rules that were broken to the exchange.
func (p *plugin) blame(exchange string, rules []BrokenRule) {
	p.desk.exchanges.change(exchange, func(x *Exchange) {
		detail := *x.Detail
		detail.Broken = rules
		x.Detail, x.Refused = &detail, true
		if x.Reason == "" && len(rules) > 0 {
			x.Reason = rules[0].Rule
		}
	})
}

// aged is the call with what is left of its token.
func (p *plugin) aged(c PluginCall) PluginCall {
	if c.ExpiresAt != nil {
		left := c.ExpiresAt.Sub(p.desk.clock.now()).Seconds()
		c.ExpiresIn = &left
	}
	return c
}

// takeApart decodes a token, if it is a JWT. It does not show the signature.
func takeApart(secret signing.Secret, expires time.Time) *Token {
	text := secret.Reveal()
	t := &Token{Shown: hidden}
	if len(text) > 20 {
		t.Shown = text[:4] + "…" + text[len(text)-4:]
	}
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		t.Note = "It is not a JWT, which protocol 2.11 says that it is."
		return t
	}
	header, claims := jsonPart(parts[0]), jsonPart(parts[1])
	if header == nil || claims == nil {
		t.Note = "It has three parts as a JWT has, but they are not JSON in base64url."
		return t
	}
	t.JWT, t.Header, t.Claims = true, header, claims
	var known struct {
		Exp float64 `json:"exp"`
	}
	if json.Unmarshal(claims, &known) == nil && known.Exp > 0 {
		if off := time.Unix(int64(known.Exp), 0).Sub(expires); off < -time.Minute {
			t.Note = fmt.Sprintf("Its exp is %v before the end that expires_in says.", (-off).Round(time.Second))
		}
	}
	return t
}

func jsonPart(s string) json.RawMessage {
	b, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(s, "="))
	var compact bytes.Buffer
	if err != nil || json.Compact(&compact, b) != nil {
		return nil
	}
	return compact.Bytes()
}
