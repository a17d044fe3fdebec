package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/riverqueue/river"

	"github.com/weboffice-go/weboffice"
	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/webhook"
)

// app is everything that one process has.
type app struct {
	settings *settings
	logger   *slog.Logger
	metrics  *metrics
	observe  weboffice.Observer
	local    *local        // nil: a real service
	leaving  atomic.Bool   // /readyz says no
	ending   chan struct{} // closed when jobs are to end
	shared   *shared
	viewers  viewers
	storage  *storage
	sample   string // file id
	queue    *queue

	convert  *convert.Client
	robot    *webhook.Robot    // nil: none
	receiver *webhook.Receiver // nil: none
	preview  *preview.Handler
	tokens   *token.Handler // nil: none

	closers []func() error // in the order in which they were opened
}

// open makes every part, and connects to those that are elsewhere.
func open(ctx context.Context, s *settings, logger *slog.Logger) (_ *app, err error) {
	a := &app{settings: s, logger: logger, metrics: newMetrics(), ending: make(chan struct{})}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.close())
		}
	}()
	if err := s.prepare(); err != nil {
		return nil, err
	}
	if s.temporary {
		a.onClose(func() error { return os.RemoveAll(s.data) })
	}
	tracer, stop, err := newTracer(ctx, s.otlpURL)
	if err != nil {
		return nil, err
	}
	a.onClose(stop)
	a.observe = observer(a.metrics, tracer)
	if s.service == "" {
		if a.local, err = startLocal(ctx, s, logger); err != nil {
			return nil, err
		}
		a.onClose(a.local.close)
	}
	a.viewers = newViewers(s.linkKey)
	if a.shared, err = openShared(s, logger); err != nil {
		return nil, err
	}
	a.onClose(a.shared.close)
	if a.storage, err = openStorage(ctx, s, a.viewers); err != nil {
		return nil, err
	}
	a.onClose(a.storage.close)
	if a.local != nil {
		if a.sample, err = putSample(s, a.storage); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(a.openClients(), a.openCallbacks()); err != nil {
		return nil, err
	}
	return a, a.openJobs(ctx)
}

// credentials are those of the app.
func (s *settings) credentials() signing.Credentials {
	return signing.AppWithScheme(s.scheme, s.appID, s.appKey)
}

// openClients makes what calls the service.
func (a *app) openClients() (err error) {
	s := a.settings
	a.convert, err = convert.New(convert.Config{
		BaseURL: s.service, AllowInsecureHTTP: s.allowHTTP,
		Credentials: s.credentials(),
		Limiter:     marking{a.shared.calls, a.ending},
		Observe:     a.observe, Logger: quiet(a.logger),
	})
	if err != nil || s.robotURL.IsZero() {
		return err
	}
	a.robot, err = webhook.NewRobot(webhook.Config{
		URL: s.robotURL, SigningSecret: s.robotSecret, AllowInsecureHTTP: s.allowHTTP,
		Limiter: marking{a.shared.messages, a.ending}, Name: "robot",
		Observe: a.observe, Logger: quiet(a.logger),
	})
	return err
}

// openCallbacks makes what the service calls.
func (a *app) openCallbacks() error {
	s := a.settings
	verifier, err := signing.NewVerifier(signing.VerifierConfig{
		Credentials: []signing.Credentials{s.credentials()}, PublicPrefix: s.proxyStrips,
	})
	if err != nil {
		return err
	}
	docs := a.storage.documents
	a.preview, err = preview.NewHandler(preview.Config{
		Store: docs, Saver: docs, Renamer: docs, History: docs, Users: a.viewers,
		Auth: verifier.VerifyRequest, Identify: a.viewers.identify,
		Observe: a.observe, Logger: a.logger,
	})
	if err != nil {
		return err
	}
	return errors.Join(a.openTokens(verifier), a.openReceiver())
}

// openJobs makes the queue, which works once it is started.
func (a *app) openJobs(ctx context.Context) (err error) {
	workers := river.NewWorkers()
	river.AddWorker(workers, &converter{app: a})
	river.AddWorker(workers, &messenger{app: a})
	river.AddWorker(workers, &sweeper{app: a})
	if a.queue, err = openQueue(ctx, a.settings, a.logger, workers); err != nil {
		return err
	}
	a.onClose(a.queue.close)
	a.metrics.watch(a.queue.backlog, a.logger)
	return nil
}

// openTokens serves the access tokens of the app.
func (a *app) openTokens(verifier *signing.Verifier) error {
	s := a.settings
	if s.tokenURL == "" {
		return nil
	}
	secret := s.tokenSecret
	if secret.IsZero() {
		secret = s.appKey
	}
	endpoint, err := token.NewClientCredentials(token.ClientCredentialsConfig{
		URL: s.tokenURL, AllowInsecureHTTP: s.allowHTTP,
		Clients: map[string]token.Client{s.appID: {Secret: secret}},
		Observe: a.observe, Logger: a.logger,
	})
	if err != nil {
		return err
	}
	source, err := a.shared.tokens(endpoint, secret)
	if err != nil {
		return err
	}
	a.tokens, err = token.NewHandler(token.Config{
		Auth: verifier.VerifyRequest, Authorize: a.viewers.authorize,
		Source:  token.NewCache(source, &token.CacheOptions{Logger: a.logger}),
		Observe: a.observe, Logger: a.logger,
	})
	return err
}

func (a *app) onClose(f func() error) { a.closers = append(a.closers, f) }

// close closes what open opened, the last first.
func (a *app) close() (err error) {
	for _, f := range slices.Backward(a.closers) {
		err = errors.Join(err, f())
	}
	a.closers = nil
	return err
}

// public is what is served on -addr: only what the service calls.
func (a *app) public() http.Handler {
	mux := http.NewServeMux()
	handle := func(path, route string, h http.Handler) { mux.Handle(path, a.logged(route, h)) }
	handle(preview.PathPrefix, "preview", a.preview)
	if a.tokens != nil {
		handle(token.Path, "token", a.tokens)
	}
	if a.receiver != nil {
		handle(a.settings.robotPath.Reveal(), "robot", a.receiver)
	}
	if a.storage.links != nil {
		handle(contentPath, "content", a.storage.links)
	}
	handle("/", "none", http.HandlerFunc(notFound))
	return mux
}

// internal is what is served on -internal-addr.
func (a *app) internal() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", a.readyz)
	mux.Handle("GET /metrics", a.metrics.handler())
	mux.Handle("/api/", a.logged("api", a.bearer(a.api())))
	mux.HandleFunc("/", notFound)
	return mux
}

// readHeader is how long the header of a request may take to arrive.
const readHeader = 10 * time.Second
