package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"slices"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
)

// config is the file with the apps. It holds no secret, only the names of the
// environment variables that do.
type config struct {
	AuthURL  string         `json:"auth_url"`  // The token endpoint.
	UsersURL string         `json:"users_url"` // Your user service; see users.
	Scheme   string         `json:"scheme"`    // First word of Authorization, such as WPS-2. If empty, SVC-2.
	Apps     map[string]app `json:"apps"`      // By app_id.
}

// app is one app: the key that signs its callbacks, and its client at the token endpoint.
type app struct {
	KeyEnv    string `json:"key_env"`
	ClientID  string `json:"client_id"`  // If empty, the app_id.
	SecretEnv string `json:"secret_env"` // If empty, KeyEnv: many apps use one key for both.

	key, secret signing.Secret
}

// readConfig reads the file, and the secrets from the environment. Its error lists all
// variables that are not set.
func readConfig(file string, getenv func(string) string) (*config, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var cfg config
	if err := json.Unmarshal(data, &cfg); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var errs []error
	take := func(name string) signing.Secret {
		if getenv(name) == "" {
			errs = append(errs, fmt.Errorf("%s: the environment variable %q is not set", file, name))
		}
		return signing.NewSecret(getenv(name))
	}
	for _, id := range cfg.apps() {
		a := cfg.Apps[id]
		a.key = take(a.KeyEnv)
		a.secret = a.key
		if a.SecretEnv != "" {
			a.secret = take(a.SecretEnv)
		}
		cfg.Apps[id] = a
	}
	return &cfg, errors.Join(errs...)
}

func (cfg *config) apps() []string { return slices.Sorted(maps.Keys(cfg.Apps)) }

// handler makes the callback of the program.
func (cfg *config) handler(logger *slog.Logger) (http.Handler, error) {
	var credentials []signing.Credentials
	clients := map[string]token.Client{}
	for id, a := range cfg.Apps {
		credentials = append(credentials, signing.AppWithScheme(cmp.Or(cfg.Scheme, signing.SchemeSVC2), id, a.key))
		clients[id] = token.Client{ID: a.ClientID, Secret: a.secret}
	}
	verifier, badApps := signing.NewVerifier(signing.VerifierConfig{Credentials: credentials})
	users, badUsers := newUsers(cfg.UsersURL)
	endpoint, badEndpoint := token.NewClientCredentials(token.ClientCredentialsConfig{
		URL: cfg.AuthURL, Clients: clients, Logger: logger,
	})
	if err := errors.Join(badApps, badUsers, badEndpoint); err != nil {
		return nil, err
	}
	return token.NewHandler(token.Config{
		Auth:      verifier.VerifyRequest,
		Authorize: users.mayOpen,
		Source:    token.NewCache(endpoint, &token.CacheOptions{Logger: logger}),
		Logger:    logger,
	})
}
