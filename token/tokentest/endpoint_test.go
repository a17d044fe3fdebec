package tokentest_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokentest"
)

const goodForm = "grant_type=client_credentials&client_id=test-app&client_secret=test-app-key"

func TestEndpointChecksTheGrant(t *testing.T) {
	t.Parallel()
	const form = "application/x-www-form-urlencoded"
	tests := []struct {
		name, method, path, contentType, body string
		status                                int
		answer                                string
	}{
		{"good", "POST", tokentest.EndpointPath, form, goodForm, 200, `{"access_token":"test-app-token-1","expires_in":7200,"token_type":"bearer"}`},
		{"charset", "POST", tokentest.EndpointPath, form + "; charset=utf-8", goodForm, 200, `{"access_token":"test-app-token-1","expires_in":7200,"token_type":"bearer"}`},
		{"path", "POST", "/token", form, goodForm, 404, `{"code":404000001,"msg":"no such path"}`},
		{"method", "GET", tokentest.EndpointPath, form, goodForm, 405, `{"code":405000001,"msg":"the method must be POST"}`},
		{"JSON", "POST", tokentest.EndpointPath, "application/json", `{}`, 415, `{"code":415000001,"msg":"Content-Type must be application/x-www-form-urlencoded"}`},
		{"form", "POST", tokentest.EndpointPath, form, "%zz", 400, `{"code":400000001,"msg":"the form cannot be read"}`},
		{"grant type", "POST", tokentest.EndpointPath, form, strings.Replace(goodForm, "client_credentials", "password", 1), 400, `{"code":400000002,"msg":"grant_type must be client_credentials"}`},
		{"secret", "POST", tokentest.EndpointPath, form, goodForm + "x", 401, `{"code":401000001,"msg":"client_id or client_secret is wrong"}`},
		{"client", "POST", tokentest.EndpointPath, form, strings.Replace(goodForm, "=test-app&", "=other&", 1), 401, `{"code":401000001,"msg":"client_id or client_secret is wrong"}`},
		{"in the query", "POST", tokentest.EndpointPath + "?" + goodForm, form, "", 400, `{"code":400000002,"msg":"grant_type must be client_credentials"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := tokentest.NewEndpoint(map[bool]*tokentest.EndpointOptions{true: nil, false: {}}[tt.name == "charset"])
			req := httptest.NewRequest(tt.method, tt.path, strings.NewReader(tt.body))
			req.Header.Set("Content-Type", tt.contentType)
			rec := httptest.NewRecorder()
			e.ServeHTTP(rec, req)
			if rec.Code != tt.status || rec.Body.String() != tt.answer || rec.Header().Get("Content-Type") != "application/json" {
				t.Errorf("HTTP %d %s, want %d %s", rec.Code, rec.Body, tt.status, tt.answer)
			}
			if issued := e.Issued("test-app"); (issued == 1) != (tt.status == 200) {
				t.Errorf("Issued = %d", issued)
			}
		})
	}
}

// TestEndpointKnowsTheAppOfSigningtest ties the fake's default client to the
// credentials that all fakes share.
func TestEndpointKnowsTheAppOfSigningtest(t *testing.T) {
	t.Parallel()
	client, known := tokentest.NewEndpoint(nil).Config().Clients["test-app"]
	if !known {
		t.Fatal("there is no client of that id")
	}
	verifier, err := signing.NewVerifier(signing.VerifierConfig{Credentials: []signing.Credentials{signing.App("test-app", client.Secret)}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := verifier.VerifyRequest(signingtest.NewRequest(t, signingtest.Credentials(), http.MethodGet, "/", nil)); err != nil {
		t.Errorf("another key than that of signingtest: %v", err)
	}
}

func TestEndpointOptions(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	clients := map[string]signing.Secret{"one": signing.NewSecret("1"), "two": signing.NewSecret("2")}
	e := tokentest.NewEndpoint(&tokentest.EndpointOptions{Clients: clients, Life: time.Minute, Now: func() time.Time { return noon }})
	delete(clients, "one")
	cfg := e.Config()
	cfg.Attempts = 1
	source, err := token.NewClientCredentials(cfg)
	if err != nil {
		t.Fatal(err)
	}
	e.FailNext(1, 503, 7, "busy")
	e.FailNext(1, 200, 8, "no")
	for _, want := range []token.EndpointError{{StatusCode: 503, Code: 7, Message: "busy"}, {StatusCode: 200, Code: 8, Message: "no"}} {
		var got *token.EndpointError
		if _, err := source.Token(t.Context(), "one"); !errors.As(err, &got) || got.StatusCode != want.StatusCode || got.Code != want.Code || got.Message != want.Message {
			t.Errorf("Token = %v, want %v", err, &want)
		}
	}
	for _, appID := range []string{"one", "two", "two"} {
		got, err := source.Token(t.Context(), appID)
		if err != nil || !got.ExpiresAt.Equal(noon.Add(time.Minute)) {
			t.Errorf("Token(%s) = %v, %v", appID, got, err)
		}
	}
	if e.Issued("one") != 1 || e.Issued("two") != 2 || e.Issued("test-app") != 0 {
		t.Errorf("issued %d and %d", e.Issued("one"), e.Issued("two"))
	}
}

func TestEndpointOverHTTP(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(tokentest.NewEndpoint(nil))
	defer server.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+tokentest.EndpointPath, strings.NewReader(goodForm))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if body, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != 200 {
		t.Errorf("HTTP %d %s, %v", resp.StatusCode, body, err)
	}
}

func TestEndpointMakesTokensOfItsOwn(t *testing.T) {
	t.Parallel()
	e := tokentest.NewEndpoint(&tokentest.EndpointOptions{
		Clients: map[string]signing.Secret{"a": signing.NewSecret("s")},
		Token:   func(clientID string, n int) string { return clientID + strings.Repeat("!", n) },
	})
	source, err := token.NewClientCredentials(e.Config())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a!", "a!!"} {
		if got, err := source.Token(t.Context(), "a"); err != nil || got.AccessToken.Reveal() != want {
			t.Errorf("Token() = %q, %v, want %q", got.AccessToken.Reveal(), err, want)
		}
	}
}
