package tokentest

import (
	"encoding/json"
	"maps"
	"mime"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/weboffice-go/weboffice/internal/memhttp"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
	"github.com/weboffice-go/weboffice/token"
)

// EndpointPath is the path of an [Endpoint].
const EndpointPath = "/oauth2/token"

// EndpointOptions are the settings of an [Endpoint].
type EndpointOptions struct {
	Clients map[string]signing.Secret           // client_secret by client_id. If nil, one: the app of signingtest.Credentials.
	Life    time.Duration                       // Of a token, in whole seconds. If zero, two hours.
	Token   func(clientID string, n int) string // Makes the n-th token of a client, from 1. If nil, "<client id>-token-<n>".
	Now     func() time.Time                    // The clock of what Config returns. If nil, time.Now.
}

// Endpoint is an http.Handler that plays the token endpoint: an OAuth client credentials
// grant (public reference 7.2). Each answer has a new token.
type Endpoint struct {
	opts EndpointOptions

	mu       sync.Mutex
	issued   map[string]int
	failures []failure
}

type failure struct {
	status, code int
	msg          string
}

// NewEndpoint returns an Endpoint. A nil opts is the zero EndpointOptions.
func NewEndpoint(opts *EndpointOptions) *Endpoint {
	e := &Endpoint{issued: map[string]int{}}
	if opts != nil {
		e.opts = *opts
	}
	if e.opts.Clients = maps.Clone(e.opts.Clients); e.opts.Clients == nil {
		e.opts.Clients = map[string]signing.Secret{signingtest.Credentials().Caller().AppID: signing.NewSecret(defaultSecret)}
	}
	if e.opts.Life <= 0 {
		e.opts.Life = 2 * time.Hour
	}
	if e.opts.Token == nil {
		e.opts.Token = func(clientID string, n int) string { return clientID + "-token-" + strconv.Itoa(n) }
	}
	return e
}

// defaultSecret is the key of signingtest.Credentials, which do not reveal it.
const defaultSecret = "test-app-key" //nolint:gosec // It is public.

// ServeHTTP answers one grant.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
	status, answer := e.answer(r)
	body, _ := json.Marshal(answer) // strings and numbers always encode
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// answer reads the grant. The first three digits of a code are the HTTP status.
func (e *Endpoint) answer(r *http.Request) (status int, answer map[string]any) {
	mediaType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	unread := r.ParseForm()
	clientID := r.PostForm.Get("client_id")
	secret, known := e.opts.Clients[clientID]
	e.mu.Lock()
	defer e.mu.Unlock()
	f := failure{}
	switch {
	case len(e.failures) > 0:
		f, e.failures = e.failures[0], e.failures[1:]
	case r.URL.Path != EndpointPath:
		f = failure{http.StatusNotFound, 404000001, "no such path"}
	case r.Method != http.MethodPost:
		f = failure{http.StatusMethodNotAllowed, 405000001, "the method must be POST"}
	case mediaType != "application/x-www-form-urlencoded":
		f = failure{http.StatusUnsupportedMediaType, 415000001, "Content-Type must be application/x-www-form-urlencoded"}
	case unread != nil:
		f = failure{http.StatusBadRequest, 400000001, "the form cannot be read"}
	case r.PostForm.Get("grant_type") != "client_credentials":
		f = failure{http.StatusBadRequest, 400000002, "grant_type must be client_credentials"}
	case !known || !secret.Equal(signing.NewSecret(r.PostForm.Get("client_secret"))):
		f = failure{http.StatusUnauthorized, 401000001, "client_id or client_secret is wrong"}
	default:
		e.issued[clientID]++
		return http.StatusOK, map[string]any{
			"access_token": e.opts.Token(clientID, e.issued[clientID]),
			"expires_in":   int64(e.opts.Life / time.Second),
			"token_type":   "bearer",
		}
	}
	return f.status, map[string]any{"code": f.code, "msg": f.msg}
}

// Config returns a configuration with every client, whose app id is its client id. It
// connects to e in memory.
func (e *Endpoint) Config() token.ClientCredentialsConfig {
	clients := make(map[string]token.Client, len(e.opts.Clients))
	for id, secret := range e.opts.Clients {
		clients[id] = token.Client{Secret: secret}
	}
	return token.ClientCredentialsConfig{
		URL:        "https://endpoint.test" + EndpointPath,
		Clients:    clients,
		HTTPClient: memhttp.Client(e),
		Now:        e.opts.Now,
	}
}

// Issued returns how many tokens the client got.
func (e *Endpoint) Issued(clientID string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.issued[clientID]
}

// FailNext makes the next n requests fail, after those of earlier calls.
func (e *Endpoint) FailNext(n, status, code int, msg string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for range n {
		e.failures = append(e.failures, failure{status, code, msg})
	}
}
