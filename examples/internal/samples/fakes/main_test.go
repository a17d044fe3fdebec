package main

import (
	"net/http/httptest"
	"net/url"
	"regexp"
	"testing"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/webhook"
)

// setting finds the names and values of settings.
var setting = regexp.MustCompile(`([A-Z_]+)='?([^'\s]+)`)

// The settings that the program prints lead to its fakes.
func TestSettings(t *testing.T) {
	t.Parallel()
	handler, err := newHandler()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	env := map[string]string{}
	for _, m := range setting.FindAllStringSubmatch(settings, -1) {
		env[m[1]] = m[2]
		if u, err := url.Parse(m[2]); err == nil && u.Host != "" {
			u.Host = server.Listener.Addr().String()
			env[m[1]] = u.String()
		}
	}

	client, err := convert.New(convert.Config{
		BaseURL:     env["WEBOFFICE_BASE_URL"],
		Credentials: signing.AppWithScheme("WPS-2", env["WEBOFFICE_APP_ID"], signing.NewSecret(env["WEBOFFICE_APP_KEY"])),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.SubmitPDF(t.Context(), convert.PDFRequest{URL: "https://files.example/a.docx", Filename: "a.docx"}); err != nil {
		t.Error(err)
	}
	robot, err := webhook.NewRobot(webhook.Config{URL: signing.NewSecret(env["WEBOFFICE_ROBOT_URL"])})
	if err != nil {
		t.Fatal(err)
	}
	if err := robot.Send(t.Context(), webhook.Text{Content: "hello"}); err != nil {
		t.Error(err)
	}
	source, err := token.NewClientCredentials(token.ClientCredentialsConfig{
		URL:     env["WEBOFFICE_AUTH_URL"],
		Clients: map[string]token.Client{env["WEBOFFICE_APP_ID"]: {ID: env["WEBOFFICE_CLIENT_ID"], Secret: signing.NewSecret(env["WEBOFFICE_CLIENT_SECRET"])}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := source.Token(t.Context(), env["WEBOFFICE_APP_ID"]); err != nil {
		t.Error(err)
	}
}
