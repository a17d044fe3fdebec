package main

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/dirstore"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

// openInViewer serves the folder to the viewer, and opens the handbook as it would.
func openInViewer(ctx context.Context, t *tour) (err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	gateway := "http://" + listener.Addr().String()
	store, err := folder(t.dir, gateway)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	handler, err := callbacks(store)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	defer func() {
		if closing := errors.Join(server.Close(), <-done); !errors.Is(closing, http.ErrServerClosed) {
			err = errors.Join(err, closing)
		}
	}()
	t.say("gateway", "%s, which would be entered in the console", gateway)

	viewer, err := previewtest.NewViewer(previewtest.ViewerConfig{BaseURL: gateway, Credentials: signingtest.Credentials()})
	if err != nil {
		return err
	}
	id := store.ID(handbookName)
	permission, err := viewer.Permission(ctx, id)
	if err != nil {
		return err
	}
	t.say("permission", "read %t, update %t", permission.Read, permission.Update)
	file, err := viewer.Open(ctx, id, io.Discard)
	if err != nil {
		return err
	}
	t.say("opened", "%s, version %d, %d bytes, fetched by its link and checked", file.Name, file.Version, file.Size)
	return nil
}

// folder makes a store of the documents in dir.
func folder(dir, gateway string) (*dirstore.Store, error) {
	return dirstore.New(dirstore.Config{
		Root:      dir,
		PublicURL: gateway + contentPath,
		LinkKey:   signing.NewSecret(rand.Text()),
		Allow:     dirstore.ReadOnly,
	})
}

// contentPath is where the store serves the bytes of documents.
const contentPath = "/content"

// callbacks is all that an integrator writes to let the viewer open what is in a
// store.
func callbacks(store *dirstore.Store) (http.Handler, error) {
	verifier, err := signing.NewVerifier(signing.VerifierConfig{Credentials: []signing.Credentials{signingtest.Credentials()}})
	if err != nil {
		return nil, err
	}
	handler, err := preview.NewHandler(preview.Config{
		Store:  store,
		Auth:   verifier.VerifyRequest,
		Logger: slog.New(slog.DiscardHandler), // its advice is about real deployments
	})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle(preview.PathPrefix, handler)
	mux.Handle(contentPath, store)
	return mux, nil
}
