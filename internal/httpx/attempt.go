package httpx

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
)

// attempt is one request on its way through net/http. It is also the context of the
// request.
type attempt struct {
	context.Context //nolint:containedctx // See above; a context of its own would be one more.

	payload  []byte // of the body
	safe     bool   // the method is GET or HEAD
	redirect string // see Response.Redirect
	cancel   context.CancelCauseFunc

	trace     httptrace.ClientTrace
	asked     atomic.Bool // for a connection
	connected atomic.Bool
	writes    atomic.Int32 // complete requests
}

type attemptKey struct{}

// Value returns the attempt itself for attemptKey.
func (a *attempt) Value(key any) any {
	if key == (attemptKey{}) {
		return a
	}
	return a.Context.Value(key)
}

// Err returns why the attempt ended. Over HTTP/2, net/http makes it the error of the
// request, and not the cause, which would be "context canceled" for a Timeout too.
func (a *attempt) Err() error { return context.Cause(a.Context) }

// attemptOf returns the attempt that a request belongs to.
func attemptOf(ctx context.Context) *attempt {
	a, _ := ctx.Value(attemptKey{}).(*attempt)
	return a
}

// watch returns a context by which net/http reports to a.
func (a *attempt) watch() context.Context {
	a.trace = httptrace.ClientTrace{GetConn: a.getConn, GotConn: a.gotConn, WroteRequest: a.wroteRequest}
	return httptrace.WithClientTrace(a, &a.trace)
}

// neverLeft reports whether there was no connection to send on. Only a transport that
// supports httptrace, as that of net/http, can prove it.
func (a *attempt) neverLeft() bool { return a.asked.Load() && !a.connected.Load() }

func (a *attempt) getConn(string) { a.asked.Store(true) }

func (a *attempt) wroteRequest(info httptrace.WroteRequestInfo) {
	if info.Err == nil {
		a.writes.Add(1)
	}
}

var errRepeat = errors.New("the request was sent, and the connection or the stream was reset before an answer")

// gotConn stops a repeat that net/http starts on its own after it has written the
// request. With HTTP/2 it does so any number of times and without a pause, for any
// method: each of these is a message or a task more. A GET may be repeated once, since
// net/http does so if a connection of HTTP/1 turns out to be closed.
func (a *attempt) gotConn(httptrace.GotConnInfo) {
	a.connected.Store(true)
	if writes := a.writes.Load(); writes > 1 || writes > 0 && !a.safe {
		a.cancel(errRepeat)
	}
}

// Once returns a transport of downloads, which net/http does not repeat either (see
// gotConn). Each redirect is a request of its own.
func Once(next http.RoundTripper) http.RoundTripper { return once{next} }

type once struct{ next http.RoundTripper }

func (t once) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	a := &attempt{Context: ctx, cancel: cancel, safe: true}
	resp, err := t.next.RoundTrip(req.WithContext(a.watch())) //nolint:contextcheck // It has the caller's.
	if ended := context.Cause(ctx); err != nil && ended != nil {
		err = ended
	}
	return resp, err
}

// CloseIdleConnections is for http.Client.
func (t once) CloseIdleConnections() { (&http.Client{Transport: t.next}).CloseIdleConnections() }

// noRedirect keeps net/http from following a redirect, which would send the signature
// to another host, and from putting its URL into an error.
type noRedirect struct{ next http.RoundTripper }

func (t noRedirect) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(req)
	if err == nil && resp != nil && resp.StatusCode/100 == 3 {
		location := resp.Header.Get("Location")
		if to, err := req.URL.Parse(location); err == nil && location != "" {
			attemptOf(req.Context()).redirect = (&url.URL{Scheme: to.Scheme, Host: to.Host}).String()
		}
		resp.Header.Del("Location")
	}
	return resp, err
}
