package desk

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/weboffice-go/weboffice/examples/quickstart/document"
	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/dirstore"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokentest"
)

// SamplePrefix is the path of the sample gateway.
const SamplePrefix = "/sample"

// sampleLinks is where its documents are.
const sampleLinks = SamplePrefix + "/files"

// The sessions of the users of the sample: Ann may edit, Bob may only read.
const (
	sampleAnn = "ann-session"
	sampleBob = "bob-session"
)

// Sample is a gateway of the emulator's own, to try the viewer and the plugin before
// there is another.
type Sample struct {
	Gateway     string `json:"gateway"`
	FileID      string `json:"file_id"`
	Token       string `json:"token"`
	ReaderToken string `json:"reader_token,omitempty"`
}

// sample is an integration as the SDK makes it: a folder with one document.
type sample struct {
	desk *Desk

	mu      sync.Mutex
	made    int
	store   *dirstore.Store
	handler http.Handler
	shown   Sample
}

// start begins with the document as it was made.
func (s *sample) start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.desk
	s.made++
	root := filepath.Join(d.dir, "sample-"+strconv.Itoa(s.made))
	if err := os.MkdirAll(root, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, document.HandbookName), document.Handbook(), 0o600); err != nil {
		return err
	}
	store, err := dirstore.New(dirstore.Config{
		Root: root, PublicURL: d.cfg.URL + sampleLinks, LinkKey: signing.NewSecret(rand.Text()), Editing: true,
		Allow: func(_ context.Context, r preview.Request) (preview.Permission, error) {
			edits := r.UserID == "ann"
			return preview.Permission{UserID: r.UserID, Read: true, Download: true, Copy: true, Print: true, History: true, Update: edits, Rename: edits}, nil
		},
	})
	if err != nil {
		return err
	}
	handler, err := s.integration(store)
	if err != nil {
		return errors.Join(err, store.Close())
	}
	if s.store != nil {
		_ = s.store.Close()
	}
	s.store, s.handler = store, handler
	s.shown = Sample{d.cfg.URL + SamplePrefix, store.ID(document.HandbookName), sampleAnn, sampleBob}
	return nil
}

// integration is what an integrator writes.
func (s *sample) integration(store *dirstore.Store) (http.Handler, error) {
	d := s.desk
	verifier, err := signing.NewVerifier(signing.VerifierConfig{Now: d.clock.dateNow, Lookup: d.lookup})
	if err != nil {
		return nil, err
	}
	callbacks, err := preview.NewHandler(preview.Config{
		Store: store, Saver: store, Renamer: store, History: store, Users: people{}, Identify: people{}.identify,
		Auth: verifier.VerifyRequest, Logger: d.cfg.Logger, Now: d.clock.now,
	})
	if err != nil {
		return nil, err
	}
	tokens, err := token.NewHandler(token.Config{
		Auth: verifier.VerifyRequest, Source: grants{d}, Logger: d.cfg.Logger, Now: d.clock.now,
		Authorize: func(ctx context.Context, r token.Request) error {
			_, err := people{}.identify(ctx, preview.Request{WebOfficeToken: r.WebOfficeToken})
			return err
		},
	})
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case SamplePrefix + token.Path:
			tokens.ServeHTTP(w, r)
		case sampleLinks:
			store.ServeHTTP(w, r)
		default:
			callbacks.ServeHTTP(w, r)
		}
	}), nil
}

// ServeHTTP answers as the integration.
func (s *sample) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	handler := s.handler
	s.mu.Unlock()
	handler.ServeHTTP(w, r)
}

func (s *sample) show() *Sample {
	s.mu.Lock()
	defer s.mu.Unlock()
	shown := s.shown
	return &shown
}

func (s *sample) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store == nil {
		return nil
	}
	return s.store.Close()
}

// people are the users of the sample.
type people struct{}

func (people) identify(_ context.Context, r preview.Request) (string, error) {
	if name, ok := strings.CutSuffix(r.WebOfficeToken.Reveal(), "-session"); ok && (name == "ann" || name == "bob") {
		return name, nil
	}
	return "", preview.ErrUnauthorized
}

// Users implements [preview.UserStore].
func (people) Users(_ context.Context, _ preview.Request, ids []string) ([]preview.User, error) {
	names := map[string]string{"ann": "Ann", "bob": "Bob", dirstore.DefaultOwner: "Owner"}
	var users []preview.User
	for _, id := range ids {
		if name := names[id]; name != "" {
			users = append(users, preview.User{ID: id, Name: name})
		}
	}
	return users, nil
}

// grants gets tokens from the token endpoint of the emulator, as an integrator's backend
// does.
type grants struct{ desk *Desk }

// Token implements [token.Source].
func (g grants) Token(ctx context.Context, appID string) (token.Token, error) {
	d := g.desk
	clients := map[string]token.Client{}
	for _, c := range d.plugin.allClients() {
		clients[c.ID] = token.Client{Secret: signing.NewSecret(c.Secret)}
	}
	source, err := token.NewClientCredentials(token.ClientCredentialsConfig{
		URL: d.cfg.URL + tokentest.EndpointPath, Clients: clients, AllowInsecureHTTP: true, HTTPClient: d.local, Now: d.clock.now, Logger: d.cfg.Logger,
	})
	if err != nil {
		return token.Token{}, err
	}
	return source.Token(ctx, appID)
}
