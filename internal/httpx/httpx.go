// Package httpx is the HTTP client of convert and webhook: resty, with the rules that
// a signed call needs. One call is one attempt. The bytes that are signed are the bytes
// that are sent; no redirect is followed; an answer is read up to a limit; no error
// contains the query of a URL.
//
// It is the only package that imports resty.
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

// idlePerHost is the number of connections kept for the next call: as many as a
// backend has calls in progress. With the default of net/http, 2, it would reconnect.
const idlePerHost = 100

// Config configures New.
type Config struct {
	HTTPClient *http.Client                        // Copied. nil: one with DefaultTimeout.
	MaxBody    int64                               // Bytes of an answer.
	Sign       func(h http.Header, payload []byte) // Signs the body, or the request target. nil: unsigned.
	UserAgent  string                              // Sent with each call.
	Secrets    []string                            // Never in an error.
}

// Client makes signed calls. It is safe for concurrent use.
type Client struct {
	resty     *resty.Client
	cfg       Config
	userAgent []string // a header value, shared by all calls
	timeout   time.Duration
	secrets   func() []string // a function, since fmt would print the strings themselves
}

// New copies the http.Client before resty writes into it.
func New(cfg Config) *Client {
	hc := Copy(cfg.HTTPClient)
	timeout := hc.Timeout
	hc.Timeout = 0 // Do applies it: net/http would start a goroutine for each call through noRedirect
	hc.Transport = noRedirect{hc.Transport}
	secrets := slices.Clone(cfg.Secrets)
	cfg.HTTPClient, cfg.Secrets = nil, nil
	c := &Client{
		resty: resty.NewWithClient(hc), cfg: cfg, userAgent: []string{cfg.UserAgent},
		timeout: timeout, secrets: func() []string { return secrets },
	}
	c.resty.SetLogger(silent{}) // the default one prints URLs to stderr
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
	if !ok { // the program replaced http.DefaultTransport; use theirs
		return http.DefaultTransport
	}
	t := standard.Clone()
	t.MaxIdleConns, t.MaxIdleConnsPerHost = 0, idlePerHost
	return t
}

// Request is one call.
type Request struct {
	Method string
	URL    string // Escaped as it is sent.
	Body   []byte // JSON; empty: none.
}

// Response is the answer, whatever its status.
type Response struct {
	StatusCode int
	Header     http.Header
	Body       []byte
	Redirect   string // Scheme and host that a 3xx points to; empty if there is none, or it cannot be read.
}

var (
	// ErrTooLarge is an answer of more than MaxBody bytes.
	ErrTooLarge = errors.New("the answer is larger than MaxBody")

	// ErrNotSent is in an error of [Client.Do] if the request certainly never left: no
	// connection was made, or the context ended before.
	ErrNotSent = errors.New("the request was not sent")
)

// Do makes one attempt. Its error has no secrets. Together with [ErrTooLarge] there is
// a Response, whose body is cut.
func (c *Client) Do(ctx context.Context, req Request) (*Response, error) {
	if ended := Ended(ctx); ended != nil {
		return nil, notSent{redact.Error(ended, c.secrets()...)}
	}
	bounded, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	attempt := &attempt{
		Context: bounded, cancel: cancel, payload: req.Body,
		safe: req.Method == http.MethodGet || req.Method == http.MethodHead,
	}
	if c.timeout > 0 {
		timer := time.AfterFunc(c.timeout, func() { cancel(timeoutError{}) })
		defer timer.Stop()
	}
	r := c.resty.R().SetContext(attempt.watch()).SetDoNotParseResponse(true) //nolint:contextcheck // It has the caller's.
	r.Header["Content-Type"], r.Header["User-Agent"] = contentType, c.userAgent
	if len(req.Body) > 0 {
		r.SetBody(req.Body)
	}
	answer, err := r.Execute(req.Method, req.URL)
	if err != nil {
		err = c.clean(ctx, err)
		if attempt.neverLeft() {
			err = notSent{err}
		}
		return nil, err
	}
	defer func() { _ = answer.RawBody().Close() }()
	body, err := readAll(answer.RawBody(), c.cfg.MaxBody)
	if err != nil && !errors.Is(err, ErrTooLarge) {
		return nil, c.clean(ctx, fmt.Errorf("read answer: %w", err))
	}
	return &Response{StatusCode: answer.StatusCode(), Header: answer.Header(), Body: body, Redirect: attempt.redirect}, err
}

var contentType = []string{signing.ContentType}

// notSent makes an error be ErrNotSent, without changing its text.
type notSent struct{ cause error }

func (e notSent) Error() string        { return e.cause.Error() }
func (e notSent) Unwrap() error        { return e.cause }
func (e notSent) Is(target error) bool { return target == ErrNotSent }

// sign runs on the request as net/http is going to send it.
func (c *Client) sign(_ *resty.Client, req *http.Request) error {
	if c.cfg.Sign == nil {
		return nil
	}
	payload := attemptOf(req.Context()).payload
	switch {
	case len(payload) == 0:
		payload = []byte(req.URL.RequestURI())
	case req.ContentLength != int64(len(payload)):
		return errors.New("a call by this method has no body") // resty leaves out the body of some methods
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
	for _, why := range []error{ctx.Err(), context.Cause(ctx)} {
		if why != nil && !errors.Is(err, why) {
			err = fmt.Errorf("%w: %w", err, redact.Error(why, c.secrets()...))
		}
	}
	return err
}

// readAll reads at most limit bytes; of a longer answer it returns the first ones. It
// gives no memory for a declared length, which may be a lie.
func readAll(r io.Reader, limit int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, max(limit, limit+1))) // limit+1 may overflow
	switch {
	case int64(len(body)) > limit:
		return body[:limit], ErrTooLarge
	case err != nil:
		return nil, err
	default:
		return body, nil
	}
}

// silent is a logger for resty, whose messages contain URLs.
type silent struct{}

func (silent) Errorf(string, ...any) {}
func (silent) Warnf(string, ...any)  {}
func (silent) Debugf(string, ...any) {}
