package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"

	"github.com/weboffice-go/weboffice/convert/converttest"
	"github.com/weboffice-go/weboffice/examples/internal/office"
	"github.com/weboffice-go/weboffice/examples/internal/serve"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token/tokentest"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

// local is the service, played in this process on a port of this machine: conversions
// by the engine of the examples, a chat with one robot, and a token endpoint.
type local struct {
	url     string
	engine  *office.Engine
	service *converttest.Server
	chat    *webhooktest.Server
	stop    func() error
}

// localApp is the app that the local service knows.
const localApp = "local"

// startLocal starts the service and enters it into the settings.
func startLocal(ctx context.Context, s *settings, logger *slog.Logger) (_ *local, err error) {
	l := &local{}
	if l.engine, err = office.New(office.Config{}); err != nil {
		return nil, err
	}
	s.appID, s.appKey = localApp, signing.NewSecret(rand.Text())
	// Tasks of an earlier process must not be found: their ids are in jobs that outlived it.
	run := rand.Text()
	l.service = converttest.NewServer(&converttest.Options{
		TaskID:         func(n int) string { return fmt.Sprintf("open:%s-%d", run, n) },
		Credentials:    []signing.Credentials{s.credentials()},
		Converter:      l.engine.Converter(0),
		Sources:        &http.Client{},
		CallsPerSecond: s.callsPerSecond,
		Logger:         logger,
	})
	l.chat = webhooktest.NewServer(&webhooktest.Options{Logger: logger})
	mux := http.NewServeMux()
	mux.Handle(converttest.PathPrefix, l.service)
	mux.Handle(webhook.SendPath, l.chat)
	mux.Handle(tokentest.EndpointPath, tokentest.NewEndpoint(&tokentest.EndpointOptions{
		Clients: map[string]signing.Secret{localApp: s.appKey},
	}))
	mux.HandleFunc("POST /say", l.say)
	mux.HandleFunc("GET /chat", l.show)
	if l.url, l.stop, err = serve.Start(ctx, serve.Local, mux); err != nil {
		l.service.Close()
		return nil, errors.Join(err, l.engine.Close())
	}
	s.service, s.tokenURL = l.url, l.url+tokentest.EndpointPath
	s.robotURL = l.chat.Address(l.url, webhooktest.TestKey())
	return l, nil
}

// say plays somebody who mentions the robot.
func (l *local) say(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<12))
	if err == nil {
		err = l.chat.Mention(r.Context(), webhook.Event{Content: "@robot " + string(text)})
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
	}
}

// show lists what the robot posted, the newest last.
func (l *local) show(w http.ResponseWriter, _ *http.Request) {
	posted := []json.RawMessage{}
	for _, m := range l.chat.Sent() {
		if m.Refused == "" {
			posted = append(posted, m.Body)
		}
	}
	writeJSON(w, http.StatusOK, posted)
}

func (l *local) close() error {
	l.service.Close()
	return errors.Join(l.stop(), l.engine.Close())
}
