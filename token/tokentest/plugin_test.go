package tokentest_test

import (
	"context"
	"errors"
	"fmt"
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

func newPlugin(t *testing.T, cfg tokentest.PluginConfig) *tokentest.Plugin {
	t.Helper()
	p, err := tokentest.NewPlugin(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const goodAnswer = `{"code":0,"message":"ok","data":{"access_token":"hidden-token","token_type":"bearer","expires_in":7199}}`

func TestPluginIsAsStrictAsProtocol2_11(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, contentType string
		status            int
		body              string
		rule              string
	}{
		{"good", "application/json", 200, goodAnswer, ""},
		{"charset", "application/json; charset=utf-8", 200, goodAnswer, ""},
		{"other members", "application/json", 200, `{"x":1,` + goodAnswer[1:], ""},
		{"text", "text/plain", 200, goodAnswer, "Content-Type"},
		{"no type", "", 200, goodAnswer, "Content-Type"},
		{"created", "application/json", 201, goodAnswer, "HTTP status 200"},
		{"HTML", "application/json", 200, "<html>", "JSON object"},
		{"null", "application/json", 200, "null", "JSON object"},
		{"no code", "application/json", 200, strings.Replace(goodAnswer, `"code":0,`, "", 1), "code is a number"},
		{"code as text", "application/json", 200, strings.Replace(goodAnswer, `0`, `"0"`, 1), "code is a number"},
		{"no message", "application/json", 200, strings.Replace(goodAnswer, `"message":"ok",`, "", 1), "message is a string"},
		{"null message", "application/json", 200, strings.Replace(goodAnswer, `"ok"`, "null", 1), "message is a string"},
		{"no data", "application/json", 200, `{"code":0,"message":"ok"}`, "data is an object"},
		{"null data", "application/json", 200, `{"code":0,"message":"ok","data":null}`, "data is an object"},
		{"bare", "application/json", 200, `{"code":0,"message":"ok","access_token":"x","token_type":"bearer","expires_in":1}`, "data is an object"},
		{"no token", "application/json", 200, strings.Replace(goodAnswer, "access_token", "token", 1), "access_token"},
		{"empty token", "application/json", 200, strings.Replace(goodAnswer, "hidden-token", "", 1), "access_token"},
		{"token in other case", "application/json", 200, strings.Replace(goodAnswer, "access_token", "Access_Token", 1), "access_token"},
		{"Bearer", "application/json", 200, strings.Replace(goodAnswer, "bearer", "Bearer", 1), "token_type"},
		{"zero", "application/json", 200, strings.Replace(goodAnswer, "7199", "0", 1), "expires_in"},
		{"negative", "application/json", 200, strings.Replace(goodAnswer, "7199", "-1", 1), "expires_in"},
		{"fraction", "application/json", 200, strings.Replace(goodAnswer, "7199", "7.5", 1), "expires_in"},
		{"life as text", "application/json", 200, strings.Replace(goodAnswer, "7199", `"7199"`, 1), "expires_in"},
		{"no life", "application/json", 200, strings.Replace(goodAnswer, `,"expires_in":7199`, "", 1), "expires_in"},
	}
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = []string{tt.contentType}
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			})
			p := newPlugin(t, tokentest.PluginConfig{Handler: h, Now: func() time.Time { return noon }})
			got, err := p.Token(t.Context(), request("test-app", "alice"))
			if tt.rule == "" {
				if err != nil || got.AccessToken.Reveal() != "hidden-token" || !got.ExpiresAt.Equal(noon.Add(7199*time.Second)) {
					t.Errorf("Token = %+v, %v", got, err)
				}
				return
			}
			var e *tokentest.AnswerError
			if !errors.As(err, &e) || !strings.Contains(e.Rule, tt.rule) || e.StatusCode != tt.status {
				t.Fatalf("Token = %v, want an AnswerError about %s", err, tt.rule)
			}
			if tt.name == "Bearer" && strings.Contains(fmt.Sprintf("%v %s", err, e.Body), "hidden") {
				t.Errorf("the error holds the token: %v %s", err, e.Body)
			}
		})
	}
}

func TestPluginRefused(t *testing.T) {
	t.Parallel()
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(403)
		_, _ = io.WriteString(w, `{"code":40003,"message":"not for alice"}`)
	})
	_, err := newPlugin(t, tokentest.PluginConfig{Handler: h}).Token(t.Context(), request("test-app", "alice"))
	var e *tokentest.AnswerError
	if !errors.As(err, &e) || e.StatusCode != 403 || e.Code != 40003 || e.Rule != "" || e.Message != "not for [secret]" {
		t.Errorf("Token = %#v", err)
	}
	if got := err.Error(); got != "tokentest: refused: HTTP 403, code 40003: not for [secret]" {
		t.Errorf("Error() = %q", got)
	}
}

// TestPluginFollowsNoRedirect: it would show the user's token to another host.
func TestPluginFollowsNoRedirect(t *testing.T) {
	t.Parallel()
	calls := 0
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	})
	_, err := newPlugin(t, tokentest.PluginConfig{Handler: h}).Token(t.Context(), request("test-app", "alice"))
	var e *tokentest.AnswerError
	if !errors.As(err, &e) || e.StatusCode != 307 || calls != 1 {
		t.Errorf("Token = %v after %d calls, want the redirect itself", err, calls)
	}
}

func TestPluginSigns(t *testing.T) {
	t.Parallel()
	verifier, err := signing.NewVerifier(signing.VerifierConfig{Credentials: []signing.Credentials{signingtest.Credentials()}})
	if err != nil {
		t.Fatal(err)
	}
	var path, id string
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := verifier.VerifyRequest(r); err != nil {
			t.Error(err)
		}
		path, id = r.URL.Path, r.Header.Get("X-Request-Id")
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, goodAnswer)
	})
	server := httptest.NewServer(h)
	defer server.Close()
	r := request("test-app", "alice")
	r.RequestID = "id-7"
	for _, cfg := range []tokentest.PluginConfig{
		{Handler: h}, {URL: server.URL}, {URL: server.URL + "/"}, {URL: server.URL + token.Path, HTTPClient: server.Client()},
	} {
		path, id = "", ""
		cfg.Credentials = signingtest.Credentials()
		if _, err := newPlugin(t, cfg).Token(t.Context(), r); err != nil || path != token.Path || id != "id-7" {
			t.Errorf("%+v: %v at %q, id %q", cfg, err, path, id)
		}
	}
}

func TestPluginWithoutAServer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	url := server.URL + "/hook?hidden-query"
	server.Close()
	_, err := newPlugin(t, tokentest.PluginConfig{URL: url}).Token(t.Context(), request("test-app", "alice"))
	if err == nil || strings.Contains(err.Error(), "hidden") || !strings.HasPrefix(err.Error(), "tokentest: plugin: ") {
		t.Errorf("Token = %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = newPlugin(t, tokentest.PluginConfig{Handler: http.NotFoundHandler()}).Token(ctx, token.Request{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Token = %v, want context.Canceled", err)
	}
}

func TestNewPluginReportsEveryProblem(t *testing.T) {
	t.Parallel()
	bad := signing.App("", signing.Secret{})
	for name, tt := range map[string]struct {
		cfg  tokentest.PluginConfig
		want []string
	}{
		"nothing":  {tokentest.PluginConfig{Credentials: signing.App("a:b", signing.Secret{})}, []string{"give Handler or URL", "Credentials: "}},
		"both":     {tokentest.PluginConfig{Handler: http.NotFoundHandler(), URL: "http://x.test"}, []string{"give Handler or URL"}},
		"relative": {tokentest.PluginConfig{URL: "/x", Credentials: bad}, []string{"URL must be", "Credentials: "}},
	} {
		_, err := tokentest.NewPlugin(tt.cfg)
		for _, want := range tt.want {
			if err == nil || !strings.Contains(err.Error(), "tokentest: plugin: "+want) {
				t.Errorf("%s: %v, want %q", name, err, want)
			}
		}
	}
}
