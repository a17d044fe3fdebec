package token_test

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokentest"
)

// TestLookup finds clients while the program runs, and replaces their secrets.
func TestLookup(t *testing.T) {
	t.Parallel()
	secret, down := "key-1", errors.New("database at https://db.test/?password=hidden is down")
	e := tokentest.NewEndpoint(&tokentest.EndpointOptions{Clients: map[string]signing.Secret{
		"listed": signing.NewSecret("key-0"), "tenant": signing.NewSecret("key-2"),
	}})
	cfg := e.Config()
	delete(cfg.Clients, "tenant")
	type key struct{}
	cfg.Lookup = func(ctx context.Context, appID string) (token.Client, error) {
		if ctx.Value(key{}) != "caller" {
			t.Error("Lookup does not get the caller's context")
		}
		switch appID {
		case "tenant":
			return token.Client{Secret: signing.NewSecret(secret)}, nil
		case "half":
			return token.Client{Extra: url.Values{"client_id": {"hidden"}}}, nil
		case "down":
			return token.Client{}, down
		default:
			return token.Client{}, token.ErrUnknownApp
		}
	}
	c, err := token.NewClientCredentials(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.WithValue(t.Context(), key{}, "caller")
	if _, err := c.Token(ctx, "listed"); err != nil {
		t.Errorf("an app of Clients: %v", err)
	}
	var refused *token.EndpointError
	if _, err := c.Token(ctx, "tenant"); !errors.As(err, &refused) || refused.StatusCode != 401 {
		t.Errorf("with the old secret: %v, want a refusal of the endpoint", err)
	}
	secret = "key-2"
	if _, err := c.Token(ctx, "tenant"); err != nil {
		t.Errorf("with the new secret: %v", err)
	}
	if _, err := c.Token(ctx, "stranger"); !errors.Is(err, token.ErrUnknownApp) {
		t.Errorf("an unknown app: %v, want ErrUnknownApp", err)
	}
	if _, err := c.Token(ctx, "down"); !errors.Is(err, down) {
		t.Errorf("a failed Lookup: %v, want its error", err)
	}
	if _, err := c.Token(ctx, "half"); err == nil || strings.Contains(err.Error(), "hidden") ||
		!strings.Contains(err.Error(), "Secret is required, Extra must not hold client_id") {
		t.Errorf("an incomplete client: %v, want its problems", err)
	}
}

// TestLookupIsEnough needs no list.
func TestLookupIsEnough(t *testing.T) {
	t.Parallel()
	_, err := token.NewClientCredentials(token.ClientCredentialsConfig{
		URL:    "https://auth.test",
		Lookup: func(context.Context, string) (token.Client, error) { return token.Client{}, token.ErrUnknownApp },
	})
	if err != nil {
		t.Errorf("NewClientCredentials = %v", err)
	}
}

func TestInsecureURL(t *testing.T) {
	t.Parallel()
	for address, fine := range map[string]bool{
		"http://auth.example.com/token": false, "HTTP://10.0.0.7/token": false, "https://auth.example.com": true,
		"http://localhost:8080/token": true, "http://127.0.0.1/": true, "http://[::1]:80/": true,
	} {
		cfg := token.ClientCredentialsConfig{URL: address, Clients: map[string]token.Client{"a": {Secret: signing.NewSecret("s")}}}
		_, err := token.NewClientCredentials(cfg)
		if (err == nil) != fine || err != nil && !strings.Contains(err.Error(), "AllowInsecureHTTP") {
			t.Errorf("%s: %v, want allowed: %t", address, err, fine)
		}
		cfg.AllowInsecureHTTP = true
		if _, err := token.NewClientCredentials(cfg); err != nil {
			t.Errorf("%s with AllowInsecureHTTP: %v", address, err)
		}
	}
}
