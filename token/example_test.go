package token_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokentest"
)

// A handler that verifies signatures, asks who the user is, and keeps tokens. The
// endpoint and the plugin are played by package tokentest.
func ExampleHandler() {
	verifier, err := signing.NewVerifier(signing.VerifierConfig{
		Credentials: []signing.Credentials{signingtest.Credentials()},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	endpoint := tokentest.NewEndpoint(nil)
	credentials, err := token.NewClientCredentials(endpoint.Config())
	if err != nil {
		fmt.Println(err)
		return
	}
	handler, err := token.NewHandler(token.Config{
		Auth: verifier.VerifyRequest,
		Authorize: func(_ context.Context, r token.Request) error {
			if r.WebOfficeToken.Reveal() != "alice's session" {
				return token.ErrUnauthorized
			}
			return nil
		},
		Source: token.NewCache(credentials, nil),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	mux := http.NewServeMux()
	mux.Handle(token.Path, handler)

	plugin, err := tokentest.NewPlugin(tokentest.PluginConfig{Handler: mux, Credentials: signingtest.Credentials()})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, session := range []string{"alice's session", "alice's session", "a stranger's"} {
		t, err := plugin.Token(context.Background(), token.Request{
			AppID: "test-app", FileID: "report", WebOfficeToken: signing.NewSecret(session),
		})
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println("got a token for", time.Until(t.ExpiresAt).Round(time.Hour))
	}
	fmt.Println("asked the endpoint for", endpoint.Issued("test-app"))
	// Output:
	// got a token for 2h0m0s
	// got a token for 2h0m0s
	// tokentest: refused: HTTP 401, code 40002: unauthorized
	// asked the endpoint for 1
}

// A Cache asks its Source once, however often it is asked.
func ExampleCache() {
	source := &tokentest.Source{Tokens: map[string]token.Token{
		"test-app": {AccessToken: signing.NewSecret("eyJ..."), ExpiresAt: time.Now().Add(2 * time.Hour)},
	}}
	cache := token.NewCache(source, nil)
	for range 3 {
		if _, err := cache.Token(context.Background(), "test-app"); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(source.Calls())
	cache.Forget("test-app") // it was revoked
	_, err := cache.Token(context.Background(), "test-app")
	fmt.Println(source.Calls(), err)
	// Output:
	// 1
	// 2 <nil>
}

// Several apps, each with credentials of its own at the token endpoint.
func ExampleClientCredentials() {
	endpoint := tokentest.NewEndpoint(&tokentest.EndpointOptions{Clients: map[string]signing.Secret{
		"AK-one": signing.NewSecret("first secret"),
		"AK-two": signing.NewSecret("second secret"),
	}})
	source, err := token.NewClientCredentials(token.ClientCredentialsConfig{
		URL: endpoint.Config().URL,
		Clients: map[string]token.Client{ // by the app_id of the callback
			"SX-one": {ID: "AK-one", Secret: signing.NewSecret("first secret")},
			"SX-two": {ID: "AK-two", Secret: signing.NewSecret("not the second secret")},
		},
		HTTPClient: endpoint.Config().HTTPClient,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, appID := range []string{"SX-one", "SX-two", "SX-three"} {
		t, err := source.Token(context.Background(), appID)
		var refused *token.EndpointError
		switch {
		case errors.As(err, &refused):
			fmt.Println(appID, "is refused:", refused.Message)
		case errors.Is(err, token.ErrUnknownApp):
			fmt.Println(appID, "has no credentials")
		default:
			fmt.Println(appID, "got", t.AccessToken)
		}
	}
	// Output:
	// SX-one got [secret]
	// SX-two is refused: client_id or client_secret is wrong
	// SX-three has no credentials
}

// A Reply says word for word what the caller reads.
func ExampleReply() {
	authorize := func(context.Context, token.Request) error {
		return fmt.Errorf("quota of this tenant: %w", token.Reply{Status: http.StatusForbidden, Code: 40003, Message: "no beautify in this plan"})
	}
	fmt.Printf("%+v\n", token.DefaultReply(authorize(context.Background(), token.Request{})))
	fmt.Printf("%+v\n", token.DefaultReply(errors.New("dial tcp 10.0.0.7:5432: connection refused")))
	// Output:
	// token: reply 40003: no beautify in this plan
	// token: reply 50001: internal error
}
