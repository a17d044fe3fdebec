// Package httpx is the HTTP client below convert and webhook: resty, with the
// rules that a signed call needs. One call is one attempt. The bytes that are
// signed are the bytes that go out; no redirect is followed; an answer is read up
// to a limit; no error holds the query of an address.
//
// It is the one package that imports resty.
package httpx

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/go-resty/resty/v2"

	"github.com/weboffice-go/weboffice/internal/redact"
	"github.com/weboffice-go/weboffice/signing"
)

// DefaultTimeout bounds a call of a client that brings no http.Client.
const DefaultTimeout = 30 * time.Second

// idlePerHost is how many connections wait for the next call: as many as a
// backend has calls under way. The default of net/http is 2, and reconnects.
const idlePerHost = 100

// Config configures New.
type Config struct {
	HTTPClient *http.Client                        // Copied. nil: one with DefaultTimeout.
	MaxBody    int64                               // Bytes of an answer.
	Sign       func(h http.Header, payload []byte) // Signs the body, or the request target. nil: unsigned.
	UserAgent  string                              // Of each call.
	Secrets    []string                            // Never in an error.
}

// Client makes signed calls. It is safe for concurrent use.
type Client struct {
	resty   *resty.Client
	cfg     Config
	timeout time.Duration
	secrets func() []string // a function, since fmt prints texts wherever it finds them
}

// New copies the http.Client before resty writes into it.
func New(cfg Config) *Client {
	hc := Copy(cfg.HTTPClient)
	timeout := hc.Timeout
	hc.Timeout = 0 // in Do: net/http would start a goroutine for each call through noRedirect
	hc.Transport = noRedirect{hc.Transport}
	secrets := slices.Clone(cfg.Secrets)
	cfg.HTTPClient, cfg.Secrets = nil, nil
	c := &Client{resty: resty.NewWithClient(hc), cfg: cfg, timeout: timeout, secrets: func() []string { return secrets }}
	c.resty.SetLogger(silent{}) // its default prints addresses to stderr
	c.resty.SetPreRequestHook(c.sign)
	return c
}

// Copy returns a copy of hc whose Transport is set and keeps enough connections;
// of nil, a plain client with DefaultTimeout.
func Copy(hc *http.Client) *http.Client {
	plain := &http.Client{Timeout: DefaultTimeout}
	if hc != nil {
		*plain = *hc
	}
	if plain.Transport == nil {
		plain.Transport = newTransport()
	}
	return plain
}

func newTransport() http.RoundTripper {
	standard, ok := http.DefaultTransport.(*http.Transport)
	if !ok { // somebody replaced it, and means it
		return http.DefaultTransport
	}
	t := standard.Clone()
	t.MaxIdleConns, t.MaxIdleConnsPerHost = 0, idlePerHost
	return t
}

// Request is one call.
type Request struct {
	Method string
	URL    string // Escaped as it goes out.
	Body   []byte // JSON; empty: none.
}

// Response is the answer to it, whatever its status.
type Response struct {
	StatusCode int
	Header     http.Header
	Body       []byte
}

// ErrTooLarge is an answer of more than MaxBody bytes.
var ErrTooLarge = errors.New("the answer is larger than MaxBody")

// Do makes one attempt. Its error has no secrets. Together with [ErrTooLarge]
// there is a Response, whose body is cut.
func (c *Client) Do(ctx context.Context, req Request) (*Response, error) {
	bounded := ctx
	if c.timeout > 0 {
		var cancel context.CancelFunc
		bounded, cancel = context.WithTimeoutCause(ctx, c.timeout, timeoutError{})
		defer cancel()
	}
	r := c.resty.R().
		SetContext(context.WithValue(bounded, payloadKey{}, req.Body)).
		SetDoNotParseResponse(true)
	r.SetHeader("Content-Type", signing.ContentType)
	r.SetHeader("User-Agent", c.cfg.UserAgent)
	if len(req.Body) > 0 {
		r.SetBody(req.Body)
	}
	answer, err := r.Execute(req.Method, req.URL)
	if err != nil {
		return nil, c.clean(ctx, err)
	}
	defer func() { _ = answer.RawBody().Close() }()
	body, err := readAll(answer.RawBody(), c.cfg.MaxBody, answer.RawResponse.ContentLength)
	if err != nil && !errors.Is(err, ErrTooLarge) {
		return nil, c.clean(ctx, fmt.Errorf("read answer: %w", err))
	}
	return &Response{StatusCode: answer.StatusCode(), Header: answer.Header(), Body: body}, err
}

type payloadKey struct{}

var errBodyless = errors.New("a call by this method has no body")

// sign runs on the request as net/http is going to send it.
func (c *Client) sign(_ *resty.Client, req *http.Request) error {
	if c.cfg.Sign == nil {
		return nil
	}
	payload, _ := req.Context().Value(payloadKey{}).([]byte)
	switch {
	case len(payload) == 0:
		payload = []byte(req.URL.RequestURI())
	case req.ContentLength != int64(len(payload)):
		return errBodyless // resty leaves the body of some methods out
	}
	c.cfg.Sign(req.Header, payload)
	return nil
}

// timeoutError says that it was the Timeout of the http.Client that ended a call.
type timeoutError struct{}

func (timeoutError) Error() string        { return "the Timeout of the http.Client has passed" }
func (timeoutError) Timeout() bool        { return true }
func (timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// clean redacts err, and makes sure that it says why the context ended, if it did.
func (c *Client) clean(ctx context.Context, err error) error {
	err = redact.Error(err, c.secrets()...)
	if ended := Ended(ctx); ended != nil && !(errors.Is(err, ctx.Err()) && errors.Is(err, context.Cause(ctx))) {
		return fmt.Errorf("%w: %w", err, redact.Error(ended, c.secrets()...))
	}
	return err
}

// readAll reads at most limit bytes; of more it returns the first ones.
func readAll(r io.Reader, limit, length int64) ([]byte, error) {
	room := int64(512)
	if length >= 0 {
		room = min(length, limit) + 1 // one more, for the read that finds the end
	}
	body := make([]byte, 0, room)
	limited := io.LimitReader(r, limit+1)
	for {
		n, err := limited.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case int64(len(body)) > limit:
			return body[:limit], ErrTooLarge
		case errors.Is(err, io.EOF):
			return body, nil
		case err != nil:
			return nil, err
		case len(body) == cap(body):
			body = append(body, 0)[:len(body)]
		}
	}
}

// noRedirect keeps net/http from following a redirect, which would take the
// signature to another host, and from putting its address into an error.
type noRedirect struct{ next http.RoundTripper }

func (t noRedirect) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(req)
	if err == nil && resp != nil && resp.StatusCode/100 == 3 {
		resp.Header.Del("Location")
	}
	return resp, err
}

// silent is a logger for resty, whose messages repeat addresses.
type silent struct{}

func (silent) Errorf(string, ...any) {}
func (silent) Warnf(string, ...any)  {}
func (silent) Debugf(string, ...any) {}
