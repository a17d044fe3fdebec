package main

import (
	"net/http/httptest"
	"testing"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokentest"
)

func TestHandler(t *testing.T) {
	endpoint := httptest.NewServer(tokentest.NewEndpoint(&tokentest.EndpointOptions{
		Clients: map[string]signing.Secret{"AK2024": signing.NewSecret("client secret")},
	}))
	defer endpoint.Close()
	t.Setenv("WEBOFFICE_APP_ID", "SX2024")
	for name, value := range map[string]string{
		"WEBOFFICE_APP_KEY": "key", "WEBOFFICE_AUTH_URL": endpoint.URL + tokentest.EndpointPath,
		"WEBOFFICE_CLIENT_ID": "AK2024", "WEBOFFICE_CLIENT_SECRET": "client secret",
	} {
		t.Setenv(name, value)
	}
	user := func(session, file, app string) token.Request {
		return token.Request{AppID: app, FileID: file, WebOfficeToken: signing.NewSecret(session)}
	}
	tokentest.Run(t, func(t *testing.T) tokentest.Fixture {
		t.Helper()
		handler, err := newHandler()
		if err != nil {
			t.Fatal(err)
		}
		return tokentest.Fixture{
			Handler:     handler,
			Credentials: signing.AppWithScheme("WPS-2", "SX2024", signing.NewSecret("key")),
			Allowed:     user("session-of-ann", "plan", "SX2024"),
			Denied:      user("session-of-bob", "plan", "SX2024"),
			UnknownUser: user("guessed", "plan", "SX2024"),
			OtherApp:    user("session-of-ann", "plan", "SX2025"),
		}
	})
}
