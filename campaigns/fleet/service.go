package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/weboffice-go/weboffice/convert/converttest"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token/tokentest"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

const (
	appID     = "fleet"
	appKey    = "fleet-app-key"
	robotPath = "/robot/of-the-fleet"
	// The proxy in front of the fleet, as the service and the users know it.
	gateway = "http://fleet.test"
	// The API of the fleet, as the product knows it.
	api = "http://api.fleet.test"
)

// service plays the service, and counts.
type service struct {
	url      string
	convert  *converttest.Server
	chat     *webhooktest.Server
	endpoint *tokentest.Endpoint
	proxy    *proxy
	client   *http.Client // reaches the fleet through a proxy
	limited  refusals     // calls of the conversion API beyond its limit
	server   *http.Server
}

func startService(ctx context.Context, f *fleet) (*service, error) {
	s := &service{proxy: &proxy{fleet: f}}
	s.client = &http.Client{Transport: s.proxy}
	credentials := signing.App(appID, signing.NewSecret(appKey))
	s.convert = converttest.NewServer(&converttest.Options{
		Credentials: []signing.Credentials{credentials}, CallsPerSecond: f.calls,
		Converter: converttest.Script{converttest.Pending(50), converttest.Success([]byte("%PDF converted"))},
		Logger:    slog.New(&s.limited),
	})
	s.chat = webhooktest.NewServer(&webhooktest.Options{HTTPClient: s.client})
	if err := s.chat.Add(webhooktest.Robot{Key: webhooktest.TestKey(), PerMinute: f.perMinute}); err != nil {
		return nil, err
	}
	s.endpoint = tokentest.NewEndpoint(&tokentest.EndpointOptions{
		Clients: map[string]signing.Secret{appID: signing.NewSecret(appKey)}, Life: f.tokenLife,
	})
	mux := http.NewServeMux()
	mux.Handle(converttest.PathPrefix, s.convert)
	mux.Handle(webhook.SendPath, s.chat)
	mux.Handle(tokentest.EndpointPath, s.endpoint)
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s.url = "http://" + listener.Addr().String()
	s.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.server.Serve(listener) }()
	return s, nil
}

// connect enters the callback of the robot in the chat.
func (s *service) connect(ctx context.Context) error {
	return s.chat.Register(ctx, webhooktest.TestKey(), gateway+robotPath)
}

func (s *service) close() {
	_ = s.server.Close()
	s.convert.Close()
}

// refusals counts what a fake logs about its limit.
type refusals struct{ n atomic.Int64 }

// Enabled implements slog.Handler.
func (*refusals) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements slog.Handler.
func (c *refusals) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "why" && strings.Contains(a.Value.String(), "CallsPerSecond") {
			c.n.Add(1)
		}
		return true
	})
	return nil
}

// WithAttrs implements slog.Handler.
func (c *refusals) WithAttrs([]slog.Attr) slog.Handler { return c }

// WithGroup implements slog.Handler.
func (c *refusals) WithGroup(string) slog.Handler { return c }

// proxy passes requests for the fleet to one replica after the other, and repeats what a
// replica did not answer or could not do, as a proxy and the callers behind it do.
type proxy struct {
	fleet   *fleet
	next    atomic.Int64
	repeats atomic.Int64
}

type firstKey struct{}

// first makes a replica the first that gets a request.
func first(ctx context.Context, replica int) context.Context {
	return context.WithValue(ctx, firstKey{}, replica)
}

// patience is how long a request is repeated. It is longer than the claim of a replica
// that died on an event.
const patience = 2 * time.Minute

// RoundTrip implements http.RoundTripper.
func (p *proxy) RoundTrip(req *http.Request) (*http.Response, error) {
	base := "http://" + req.URL.Host
	if base != gateway && base != api {
		return http.DefaultTransport.RoundTrip(req)
	}
	ctx := req.Context()
	i, chosen := ctx.Value(firstKey{}).(int)
	if !chosen {
		i = int(p.next.Add(1))
	}
	body, err := content(req)
	if err != nil {
		return nil, err
	}
	for began := time.Now(); ; i++ {
		r := p.fleet.replicas[i%len(p.fleet.replicas)]
		again := req.Clone(ctx)
		again.URL.Host = r.public
		if base == api {
			again.URL.Host = r.internal
		}
		again.Body, again.GetBody = nil, nil
		if body != nil {
			again.Body = http.NoBody
			if again.ContentLength = int64(len(body)); len(body) > 0 {
				again.Body = reader(body)
			}
		}
		resp, err := http.DefaultTransport.RoundTrip(again)
		if err == nil && resp.StatusCode < http.StatusInternalServerError {
			return resp, nil
		}
		if time.Since(began) > patience || ctx.Err() != nil {
			return resp, err
		}
		if err == nil {
			_ = resp.Body.Close()
		}
		p.repeats.Add(1)
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
