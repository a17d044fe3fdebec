package previewtest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/internal/memhttp"
	"github.com/weboffice-go/weboffice/internal/redact"
	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/signing"
)

// defaultBaseURL is the address of a Handler without a BaseURL.
const defaultBaseURL = "http://integrator.example"

// ViewerConfig is for [NewViewer].
type ViewerConfig struct {
	// The gateway URL, without preview.PathPrefix (public reference 3.1). Required without
	// Handler.
	BaseURL string

	// Called in memory, also in a synctest bubble.
	Handler http.Handler

	// Path prefix that a proxy removes before Handler is called. It is signed.
	ProxyStrips string

	// Who signs, as signing.App. Zero: requests are not signed.
	Credentials signing.Credentials

	WebOfficeToken signing.Secret // X-WebOffice-Token. Zero: left out.
	UserQuery      url.Values     // X-User-Query. Empty: left out.

	// For the callbacks without Handler, and for the bytes. If nil, a client of its own.
	HTTPClient *http.Client

	// The clock that signs. If nil, time.Now.
	Now func() time.Time
}

// Viewer signs and asks as the service does, and holds every answer to the protocol. A
// method that finds a rule broken also returns what it could read.
type Viewer struct {
	base      string
	callbacks interface {
		Do(r *http.Request) (*http.Response, error)
	}
	bytes     *http.Client
	signer    *signing.Signer // nil: unsigned
	appID     string
	token     signing.Secret
	userQuery signing.Secret // a user query may hold anything
	inMemory  bool
	now       func() time.Time
}

// NewViewer reports every problem of cfg at once.
func NewViewer(cfg ViewerConfig) (*Viewer, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.ProxyStrips = strings.TrimSuffix(cfg.ProxyStrips, "/")
	base, errs := cfg.base()
	v := &Viewer{
		base:      base,
		bytes:     cmp.Or(cfg.HTTPClient, &http.Client{}),
		token:     cfg.WebOfficeToken,
		userQuery: signing.NewSecret(cfg.UserQuery.Encode()),
		inMemory:  cfg.Handler != nil,
		now:       cfg.Now,
	}
	callbacks := *v.bytes
	if cfg.Handler != nil {
		callbacks = *memhttp.Client(strip(cfg.ProxyStrips, cfg.Handler))
	}
	// A signed request must not be repeated elsewhere, nor under another path.
	callbacks.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	v.callbacks = &callbacks
	if !cfg.Credentials.IsZero() {
		signer, err := signing.NewSigner(cfg.Credentials)
		v.signer, v.appID = signer, cfg.Credentials.Caller().AppID
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("previewtest: viewer: Credentials: %w", err))
		case v.appID == "":
			errs = append(errs, errors.New("previewtest: viewer: Credentials must be an app's: callbacks are not signed by robots"))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return v, nil
}

// base gives the gateway address without a slash at its end.
func (cfg *ViewerConfig) base() (base string, errs []error) {
	add := func(bad bool, text string) {
		if bad {
			errs = append(errs, errors.New("previewtest: viewer: "+text))
		}
	}
	strips := cfg.ProxyStrips
	add(strips != "" && cfg.Handler == nil, "ProxyStrips has no effect without Handler")
	add(strips != "" && strips[0] != '/' || strings.ContainsAny(strips, "?#"), `ProxyStrips must be a path that starts with "/"`)
	if cfg.BaseURL == "" {
		add(cfg.Handler == nil, "either BaseURL or Handler is required")
		return defaultBaseURL + strips, errs
	}
	u, err := url.Parse(cfg.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		add(true, "BaseURL must be an absolute address, http or https")
		return "", errs
	}
	add(u.RawQuery != "" || u.Fragment != "" || u.User != nil, "BaseURL must have no query, no fragment and no user")
	add(strings.HasSuffix(strings.TrimSuffix(u.Path, "/")+"/", preview.PathPrefix), "BaseURL is given without "+preview.PathPrefix+": the service adds it")
	add(!strings.HasPrefix(u.Path+"/", strips+"/"), "ProxyStrips is not where the path of BaseURL starts")
	return strings.TrimSuffix(cfg.BaseURL, "/"), errs
}

// strip is a proxy that takes prefix away before it passes a request on.
func strip(prefix string, h http.Handler) http.Handler {
	return http.StripPrefix(prefix, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.RequestURI = strings.TrimPrefix(r.RequestURI, prefix)
		h.ServeHTTP(w, r)
	}))
}

// HTTPClient returns a client whose requests h answers in memory, for
// ViewerConfig.HTTPClient.
func HTTPClient(h http.Handler) *http.Client { return memhttp.Client(h) }

// As returns the Viewer of another user.
func (v *Viewer) As(token signing.Secret) *Viewer {
	other := *v
	other.token = token
	return &other
}

// Do sends any signed request, and returns the answer unread. target follows the gateway
// URL: an escaped path, and possibly a query.
func (v *Viewer) Do(ctx context.Context, method, target string, body []byte) (*http.Response, error) {
	path, _, _ := strings.Cut(target, "?")
	if !strings.HasPrefix(target, "/") { // or it could be a part of the host
		return nil, fmt.Errorf("previewtest: %s %q: the target must start with a slash", method, path)
	}
	var res *http.Response
	req, err := v.request(ctx, method, target, body)
	if err == nil {
		res, err = v.callbacks.Do(req)
	}
	if err != nil {
		return nil, fmt.Errorf("previewtest: %s %s: %w", method, path, v.clean(err))
	}
	return res, nil
}

// clean takes out of an error what it must not show.
func (v *Viewer) clean(err error) error {
	return redact.Error(err, hidden(v.token, v.userQuery)...)
}

func (v *Viewer) request(ctx context.Context, method, target string, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, v.base+target, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	set := func(name, value string) {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	set("X-App-Id", v.appID)
	set("X-WebOffice-Token", v.token.Reveal())
	set("X-User-Query", v.userQuery.Reveal())
	set("X-Request-Id", rand.Text())
	payload := body
	if len(body) == 0 {
		payload = []byte(req.URL.RequestURI())
	} else {
		set("Content-Type", signing.ContentType)
	}
	if v.signer != nil {
		v.signer.Sign(req.Header, payload, v.now())
	}
	return req, nil
}
