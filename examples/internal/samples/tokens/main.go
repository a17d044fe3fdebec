// Hands out access tokens to the presentation plugin.
package main

import (
	"context"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
)

func main() {
	handler, err := newHandler()
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle(token.Path, handler)
	server := &http.Server{Addr: ":8080", Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}

func newHandler() (*token.Handler, error) {
	appID, appKey := os.Getenv("WEBOFFICE_APP_ID"), signing.NewSecret(os.Getenv("WEBOFFICE_APP_KEY"))
	verifier, err := signing.NewVerifier(signing.VerifierConfig{
		Credentials:  []signing.Credentials{signing.AppWithScheme("WPS-2", appID, appKey)},
		PublicPrefix: os.Getenv("WEBOFFICE_PUBLIC_PREFIX"), // what a proxy in front removes, such as /office
	})
	if err != nil {
		return nil, err
	}
	source, err := token.NewClientCredentials(token.ClientCredentialsConfig{
		URL: os.Getenv("WEBOFFICE_AUTH_URL"), // such as https://openapi.example/oauth2/token
		Clients: map[string]token.Client{
			appID: {ID: os.Getenv("WEBOFFICE_CLIENT_ID"), Secret: signing.NewSecret(os.Getenv("WEBOFFICE_CLIENT_SECRET"))},
		},
	})
	if err != nil {
		return nil, err
	}
	return token.NewHandler(token.Config{
		Auth:      verifier.VerifyRequest,
		Authorize: authorize,
		Source:    token.NewCache(source, nil),
	})
}

// authorize says whether the user of the token may open the document: ask the parts of
// your backend that know. The token is the only proof of who the user is.
func authorize(_ context.Context, r token.Request) error {
	sessions := map[string]string{"session-of-ann": "ann", "session-of-bob": "bob"}
	owners := map[string]string{"plan": "ann"}
	user, ok := sessions[r.WebOfficeToken.Reveal()]
	if !ok {
		return token.ErrUnauthorized
	}
	if owners[r.FileID] != user {
		return token.ErrForbidden
	}
	return nil
}
