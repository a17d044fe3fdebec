package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/weboffice-go/weboffice/examples/internal/serve"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokentest"
)

// The two apps of the demo, and the one document that there is.
const (
	slides = "SX-slides"
	wiki   = "SX-wiki"
	report = "quarterly-report"
)

// show serves the callback on a port of this machine, plays the plugin, the token
// endpoint and the user service, and prints what happens.
func show(ctx context.Context, out io.Writer, logger *slog.Logger) error {
	keys := map[string]signing.Secret{slides: signing.NewSecret("key of slides"), wiki: signing.NewSecret("key of wiki")}
	endpoint := tokentest.NewEndpoint(&tokentest.EndpointOptions{Clients: keys})
	others := http.NewServeMux()
	others.Handle(tokentest.EndpointPath, endpoint)
	others.HandleFunc("/may-open", userService)
	url, stop, err := serve.Start(ctx, serve.Local, others)
	if err != nil {
		return err
	}
	defer func() { _ = stop() }()

	cfg := config{AuthURL: url + tokentest.EndpointPath, UsersURL: url + "/may-open", Apps: map[string]app{}}
	for id, key := range keys {
		cfg.Apps[id] = app{key: key, secret: key}
	}
	handler, err := cfg.handler(logger)
	if err != nil {
		return err
	}
	backend, end, err := serve.Start(ctx, serve.Local, handler)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "The callback listens on %s%s for %v.\n", backend, token.Path, cfg.apps())
	s := scene{out: out, backend: backend, keys: keys, endpoint: endpoint}
	return errors.Join(s.play(ctx), end())
}

// userService knows alice, who may open the report, and bob, who may not.
func userService(w http.ResponseWriter, r *http.Request) {
	status := http.StatusUnauthorized
	switch r.Header.Get("Authorization") {
	case "Bearer session of alice":
		status = http.StatusNoContent
	case "Bearer session of bob":
		status = http.StatusForbidden
	}
	if status != http.StatusUnauthorized && r.FormValue("file_id") != report {
		status = http.StatusNotFound
	}
	w.WriteHeader(status)
}

// scene is what the steps of the demo need.
type scene struct {
	out      io.Writer
	backend  string
	keys     map[string]signing.Secret
	endpoint *tokentest.Endpoint
}

func (s *scene) play(ctx context.Context) error {
	steps := []struct {
		what                   string
		signer, app, file, who string
		times                  int
		code                   int
	}{
		{"alice opens the report in slides", slides, slides, report, "alice", 1, 0},
		{"alice opens it again", slides, slides, report, "alice", 1, 0},
		{"100 windows of alice open it in wiki", wiki, wiki, report, "alice", 100, 0},
		{"bob, who may not open it", slides, slides, report, "bob", 1, 40003},
		{"a user without a session", slides, slides, report, "mallory", 1, 40002},
		{"alice asks for a document that is gone", slides, slides, "lost", "alice", 1, 40004},
		{"slides asks for the token of wiki", slides, wiki, report, "alice", 1, 40003},
	}
	for _, step := range steps {
		plugin, err := tokentest.NewPlugin(tokentest.PluginConfig{URL: s.backend, Credentials: signing.App(step.signer, s.keys[step.signer])})
		if err != nil {
			return err
		}
		t, err := ask(ctx, plugin, step.times, token.Request{
			AppID: step.app, FileID: step.file, WebOfficeToken: signing.NewSecret("session of " + step.who),
		})
		var refused *tokentest.AnswerError
		switch {
		case err == nil && step.code == 0:
			fmt.Fprintf(s.out, "  %-45s a token for %v\n", step.what, time.Until(t.ExpiresAt).Round(time.Minute))
		case errors.As(err, &refused) && refused.Rule == "" && refused.Code == step.code:
			fmt.Fprintf(s.out, "  %-45s refused: %d %s\n", step.what, refused.Code, refused.Message)
		default:
			return fmt.Errorf("%s: got %w, want code %d", step.what, err, step.code)
		}
	}
	fmt.Fprintf(s.out, "Tokens made by the endpoint: %d for slides and %d for wiki.\n", s.endpoint.Issued(slides), s.endpoint.Issued(wiki))
	return nil
}

// ask asks for a token many times at once, and returns one of them.
func ask(ctx context.Context, plugin *tokentest.Plugin, times int, r token.Request) (t token.Token, err error) {
	tokens, errs := make([]token.Token, times), make([]error, times)
	var wg sync.WaitGroup
	for i := range times {
		wg.Go(func() { tokens[i], errs[i] = plugin.Token(ctx, r) })
	}
	wg.Wait()
	return tokens[0], errors.Join(errs...)
}
