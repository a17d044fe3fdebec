package main

import (
	"context"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokentest"
)

// handOutToken answers the presentation plugin, twice, and asks the token endpoint
// once.
func handOutToken(ctx context.Context, t *tour) error {
	endpoint := tokentest.NewEndpoint(nil)
	source, err := token.NewClientCredentials(endpoint.Config())
	if err != nil {
		return err
	}
	verifier, err := signing.NewVerifier(signing.VerifierConfig{Credentials: []signing.Credentials{signingtest.Credentials()}})
	if err != nil {
		return err
	}
	handler, err := token.NewHandler(token.Config{
		Auth: verifier.VerifyRequest,
		Authorize: func(_ context.Context, r token.Request) error {
			if !r.WebOfficeToken.Equal(signing.NewSecret("ada")) {
				return token.ErrForbidden
			}
			return nil
		},
		Source: token.NewCache(source, nil),
	})
	if err != nil {
		return err
	}

	plugin, err := tokentest.NewPlugin(tokentest.PluginConfig{Handler: handler, Credentials: signingtest.Credentials()})
	if err != nil {
		return err
	}
	app := signingtest.Credentials().Caller().AppID
	for _, user := range []string{"ada", "eve", "ada"} {
		got, err := plugin.Token(ctx, token.Request{AppID: app, FileID: "slides1", WebOfficeToken: signing.NewSecret(user)})
		if err != nil {
			t.say("user "+user, "refused: %v", err)
			continue
		}
		t.say("user "+user, "token %s, valid for another %s", got.AccessToken, time.Until(got.ExpiresAt).Round(time.Minute))
	}
	t.say("endpoint", "tokens fetched from it: %d", endpoint.Issued(app))
	return nil
}
