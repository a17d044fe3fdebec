package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/weboffice-go/weboffice/examples/internal/cli"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokentest"
)

func none(string) string { return "" }

func TestDemo(t *testing.T) {
	t.Parallel()
	var out, log bytes.Buffer
	if err := run(t.Context(), []string{"-demo"}, none, &out, &log); err != nil {
		t.Fatalf("run = %v\n%s\n%s", err, &out, &log)
	}
	want := `The callback listens on ADDRESS/v3/3rd/open/access_token for [SX-slides SX-wiki].
  alice opens the report in slides              a token for 2h0m0s
  alice opens it again                          a token for 2h0m0s
  100 windows of alice open it in wiki          a token for 2h0m0s
  bob, who may not open it                      refused: 40003 forbidden
  a user without a session                      refused: 40002 unauthorized
  alice asks for a document that is gone        refused: 40004 not found
  slides asks for the token of wiki             refused: 40003 forbidden
Tokens made by the endpoint: 1 for slides and 1 for wiki.
`
	if got := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).ReplaceAllString(out.String(), "ADDRESS"); got != want {
		t.Errorf("the demo prints\n%s, want\n%s", got, want)
	}
	for _, secret := range []string{"key of", "session of", "token-1"} {
		if strings.Contains(out.String()+log.String(), secret) {
			t.Errorf("output or log hold %q:\n%s%s", secret, &out, &log)
		}
	}
}

// others plays the token endpoint and the user service, which waits for open.
func others(t *testing.T, open <-chan struct{}) (address string, endpoint *tokentest.Endpoint) {
	t.Helper()
	endpoint = tokentest.NewEndpoint(&tokentest.EndpointOptions{Clients: map[string]signing.Secret{
		"SX-slides": signing.NewSecret("hidden-slides"), "AK-wiki": signing.NewSecret("hidden-client"),
	}})
	mux := http.NewServeMux()
	mux.Handle(tokentest.EndpointPath, endpoint)
	mux.HandleFunc("/may-open", func(w http.ResponseWriter, r *http.Request) {
		<-open
		userService(w, r)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL, endpoint
}

// environment is what apps.json names.
func environment(name string) string {
	return map[string]string{"SLIDES_KEY": "hidden-slides", "WIKI_KEY": "hidden-wiki", "WIKI_CLIENT_SECRET": "hidden-client"}[name]
}

// appsFile is apps.json with other addresses.
func appsFile(t *testing.T, address string) string {
	t.Helper()
	data, err := os.ReadFile("apps.json")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("https://openapi.example.com", address, "https://users.example.com", address).Replace(string(data))
	file := filepath.Join(t.TempDir(), "apps.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func closed() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

func request(app, file, who string) token.Request {
	return token.Request{AppID: app, FileID: file, WebOfficeToken: signing.NewSecret("session of " + who)}
}

// TestHandlerKeepsTheContract runs the conformance suite on what is served.
func TestHandlerKeepsTheContract(t *testing.T) {
	t.Parallel()
	tokentest.Run(t, func(t *testing.T) tokentest.Fixture {
		t.Helper()
		address, _ := others(t, closed())
		cfg, err := readConfig(appsFile(t, address), environment)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Scheme = "WPS-2"
		handler, err := cfg.handler(slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		return tokentest.Fixture{
			Handler:     handler,
			Credentials: signing.AppWithScheme("WPS-2", "SX-wiki", signing.NewSecret("hidden-wiki")),
			Allowed:     request("SX-wiki", report, "alice"),
			Denied:      request("SX-wiki", report, "bob"),
			UnknownUser: request("SX-wiki", report, "mallory"),
			OtherApp:    request("SX-slides", report, "alice"),
		}
	})
}

// lines hands on what is written, line by line.
type lines struct {
	*io.PipeWriter
	next func() string
}

func newLines() lines {
	r, w := io.Pipe()
	var mu sync.Mutex
	return lines{w, func() string {
		mu.Lock()
		defer mu.Unlock()
		var line []byte
		for b := make([]byte, 1); !bytes.HasSuffix(line, []byte("\n")); {
			if _, err := io.ReadFull(r, b); err != nil {
				break
			}
			line = append(line, b...)
		}
		return string(line)
	}}
}

// TestServeEndsGracefully lets the program end while a callback is under way.
func TestServeEndsGracefully(t *testing.T) {
	t.Parallel()
	open := make(chan struct{})
	address, endpoint := others(t, open)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := newLines()
	done := make(chan error, 1)
	go func() {
		done <- run(ctx, []string{"-config", appsFile(t, address), "-addr", "127.0.0.1:0"}, environment, out, io.Discard)
	}()
	var backend string
	if _, err := fmt.Sscanf(out.next(), "Listening on %s for", &backend); err != nil {
		t.Fatal(err)
	}
	plugin, err := tokentest.NewPlugin(tokentest.PluginConfig{
		URL: "http://" + backend, Credentials: signing.App("SX-wiki", signing.NewSecret("hidden-wiki")),
	})
	if err != nil {
		t.Fatal(err)
	}
	answered := make(chan error, 1)
	go func() {
		_, err := plugin.Token(t.Context(), request("SX-wiki", report, "alice"))
		answered <- err
	}()
	open <- struct{}{} // the user service has been asked
	cancel()
	if err := <-answered; err != nil || endpoint.Issued("AK-wiki") != 1 {
		t.Errorf("the callback under way got %v, and the endpoint issued %d", err, endpoint.Issued("AK-wiki"))
	}
	if line := out.next(); line != "Stopped; every callback was answered.\n" {
		t.Errorf("it says %q at its end", line)
	}
	if err := <-done; err != nil {
		t.Errorf("run = %v", err)
	}
}

func TestUsers(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]error{
		200: errAny, 204: nil, 302: errAny, 307: errAny, 401: token.ErrUnauthorized, 403: token.ErrForbidden, 404: token.ErrNotFound, 500: errAny,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if got := r.RequestURI; got != "/x?file_id=..%2F%26a&zone=1" {
				t.Errorf("asked for %s", got)
				w.WriteHeader(204)
				return
			}
			w.Header().Set("Location", "/login")
			w.WriteHeader(status)
		}))
		t.Cleanup(server.Close)
		u, err := newUsers(server.URL + "/x?zone=1")
		if err != nil {
			t.Fatal(err)
		}
		err = u.mayOpen(t.Context(), request("SX", "../&a", "alice"))
		if !errors.Is(err, want) && (!errors.Is(want, errAny) || err == nil) {
			t.Errorf("%d: %v, want %v", status, err, want)
		}
	}
}

var errAny = errors.New("any other error")

func TestMistakes(t *testing.T) {
	t.Parallel()
	bad := filepath.Join(t.TempDir(), "bad.json")
	if err := os.WriteFile(bad, []byte(`{"auth_url":"x","users_url":"y"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	for name, tt := range map[string]struct {
		args   []string
		getenv func(string) string
		want   []string
	}{
		"help":          {[]string{"-h"}, none, []string{flag.ErrHelp.Error()}},
		"flag":          {[]string{"-x"}, none, []string{"-x"}},
		"variable":      {nil, func(name string) string { return map[string]string{"WEBOFFICE_DEMO": "maybe"}[name] }, []string{"WEBOFFICE_DEMO"}},
		"argument":      {[]string{"apps.json"}, none, []string{`unexpected argument "apps.json"`}},
		"no file":       {[]string{"-config", "none.json"}, none, []string{"none.json"}},
		"no JSON":       {[]string{"-config", "main.go"}, none, []string{"main.go: invalid"}},
		"no secrets":    {nil, none, []string{`"SLIDES_KEY" is not set`, `"WIKI_KEY" is not set`, `"WIKI_CLIENT_SECRET" is not set`}},
		"empty":         {[]string{"-config", bad}, none, []string{"Credentials is empty", "users_url must be", "URL must be", "Clients is required"}},
		"address taken": {[]string{"-addr", taken.Addr().String()}, environment, []string{"address already in use"}},
	} {
		err := run(t.Context(), tt.args, tt.getenv, io.Discard, io.Discard)
		for _, want := range tt.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: run = %v, want %q", name, err, want)
			}
		}
		if err != nil && strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: the error holds a secret: %v", name, err)
		}
	}
}

// TestWithoutFlags says what to do in a folder that has no apps.json.
func TestWithoutFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	err := run(t.Context(), nil, none, io.Discard, io.Discard)
	var usage *cli.UsageError
	if !errors.As(err, &usage) || !strings.Contains(err.Error(), "-demo") || !strings.Contains(err.Error(), "-config") {
		t.Errorf("run = %v, want a usage error that names -demo and -config", err)
	}
	if err := run(t.Context(), []string{"-config", "apps.json"}, none, io.Discard, io.Discard); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("run -config apps.json = %v, want that it does not exist", err)
	}
}

// TestAppsFileHoldsNoSecret keeps the sample honest.
func TestAppsFileHoldsNoSecret(t *testing.T) {
	t.Parallel()
	cfg, err := readConfig("apps.json", environment)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(cfg.apps()); got != "[SX-slides SX-wiki]" {
		t.Errorf("apps %s", got)
	}
	if text, err := json.Marshal(cfg); err != nil || strings.Contains(string(text)+fmt.Sprintf("%+v", cfg), "hidden") {
		t.Errorf("the configuration shows a secret: %s, %v", text, err)
	}
}
