package webhook_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
)

// serverOf returns the URL of a server.
func serverOf(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(h)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(server.Close)
	return server.URL
}

// roundTripper is a transport of its own kind.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A connection that could not be made has carried nothing.
func TestSendWithoutAConnection(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(secure.Close)
	proxy := serverOf(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	arrived := make(chan struct{}, 1)
	hangs := serverOf(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		arrived <- struct{}{}
		<-r.Context().Done()
	})
	through := func(address string) http.RoundTripper {
		return &http.Transport{Proxy: func(r *http.Request) (*url.URL, error) { return r.URL.Parse(address) }}
	}
	unknownHost := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.DNSError{Err: "no such host", Name: "chat.example.com", IsNotFound: true}
	}}
	for name, tt := range map[string]struct {
		base      string
		transport http.RoundTripper
		want      bool
	}{
		"refused":           {"http://" + closed, nil, true},
		"no such host":      {"https://chat.example.com", unknownHost, true},
		"unknown authority": {secure.URL, nil, true},
		"not TLS":           {strings.Replace(hangs, "http:", "https:", 1), nil, true},
		"proxy is down":     {"https://chat.example.com", through("http://" + closed), true},
		"proxy says no":     {"https://chat.example.com", through(proxy), true},
		"no answer":         {hangs, nil, false},
		"read of another": {"https://chat.example.com", roundTripper(func(*http.Request) (*http.Response, error) {
			return nil, &net.OpError{Op: "read", Err: errors.New("x")}
		}), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := webhook.Config{URL: signing.NewSecret(tt.base + webhook.SendPath + "?key=k"), HTTPClient: &http.Client{Transport: tt.transport}}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if name == "no answer" {
				go func() {
					<-arrived
					cancel()
				}()
			}
			err := newRobot(t, cfg).Send(ctx, webhook.Text{Content: "hi"})
			if err == nil || errors.Is(err, webhook.ErrNotSent) != tt.want || errors.Is(err, webhook.ErrNotAccepted) != tt.want {
				t.Errorf("Send = %v, want an error that is ErrNotSent: %t", err, tt.want)
			}
		})
	}
}
