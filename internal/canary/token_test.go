package canary_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice"
	"github.com/weboffice-go/weboffice/internal/canary"
	"github.com/weboffice-go/weboffice/internal/memhttp"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokentest"
)

var (
	tokenUser   = canary.Secret("user token")
	tokenAccess = canary.Secret("access token")
	tokenClient = canary.Secret(`client secret & "quoted" <é>`)
	tokenTicket = canary.Secret("app ticket")
	tokenURL    = "https://auth.example.com/oauth2/token?tenant=" + canary.Secret("endpoint query")
	tokenDB     = &url.Error{Op: "Get", URL: "https://user:" + canary.Secret("password") + "@db.example.com/?key=" + canary.Secret("query"), Err: io.EOF}
)

// tokenBody is a request of the plugin, with changes that make it a bad one.
func tokenBody(changes ...string) string {
	body := `{"app_id":"test-app","file_id":"report","weboffice_token":"` + tokenUser + `"}`
	return strings.NewReplacer(changes...).Replace(body)
}

func tokenGranted(left time.Duration) token.Source {
	return token.SourceFunc(func(context.Context, string) (token.Token, error) {
		return token.Token{AccessToken: signing.NewSecret(tokenAccess), ExpiresAt: time.Now().Add(left)}, nil
	})
}

// TestTokenHandler drives each way to fail of a callback.
func TestTokenHandler(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		method string
		body   string
		change func(*token.Config)
	}{
		{"method", http.MethodGet, tokenBody(), nil},
		{"not JSON", http.MethodPost, tokenBody() + "x", nil},
		{"not UTF-8", http.MethodPost, tokenBody("report", "\xff"), nil},
		{"missing", http.MethodPost, tokenBody("file_id", tokenUser), nil},
		{"empty", http.MethodPost, tokenBody("report", ""), nil},
		{"wrong type", http.MethodPost, tokenBody(`"`+tokenUser+`"`, `["`+tokenUser+`"]`), nil},
		{"twice", http.MethodPost, tokenBody(`"report"`, `"report","weboffice_token":"`+tokenUser+`"`), nil},
		{"oversize", http.MethodPost, tokenBody(), func(cfg *token.Config) { cfg.MaxBody = 50 }},
		{"auth", http.MethodPost, tokenBody(), func(cfg *token.Config) {
			cfg.Auth = func(*http.Request) (signing.Caller, error) { return signing.Caller{}, fmt.Errorf("ask: %w", tokenDB) }
		}},
		{"app", http.MethodPost, tokenBody(), func(cfg *token.Config) {
			cfg.AppMatch = func(signing.Caller, string) bool { return false }
		}},
		{"user", http.MethodPost, tokenBody(), func(cfg *token.Config) {
			cfg.Authorize = func(_ context.Context, r token.Request) error {
				return fmt.Errorf("session %q of %+v: %w", r.WebOfficeToken.Reveal(), r, token.ErrUnauthorized)
			}
		}},
		{"panic with an error", http.MethodPost, tokenBody(), func(cfg *token.Config) {
			cfg.Authorize = func(_ context.Context, r token.Request) error {
				panic(fmt.Errorf("session %s of %w", r.WebOfficeToken.Reveal(), tokenDB))
			}
		}},
		{"panic with a long text", http.MethodPost, tokenBody(), func(cfg *token.Config) {
			cfg.Authorize = func(_ context.Context, r token.Request) error {
				panic(strings.Repeat("x", 4<<10-20) + r.WebOfficeToken.Reveal())
			}
		}},
		{"store of users", http.MethodPost, tokenBody(), func(cfg *token.Config) {
			cfg.Authorize = func(_ context.Context, r token.Request) error {
				return errors.Join(tokenDB, errors.New("/users/"+url.PathEscape(r.WebOfficeToken.Reveal())))
			}
		}},
		{"panic of Authorize", http.MethodPost, tokenBody(), func(cfg *token.Config) {
			cfg.Authorize = func(_ context.Context, r token.Request) error { panic(r.WebOfficeToken.Reveal()) }
		}},
		{"source", http.MethodPost, tokenBody(), func(cfg *token.Config) {
			cfg.Source = token.SourceFunc(func(context.Context, string) (token.Token, error) { return token.Token{}, tokenDB })
		}},
		{"panic of the source", http.MethodPost, tokenBody(), func(cfg *token.Config) {
			cfg.Source = token.NewCache(token.SourceFunc(func(context.Context, string) (token.Token, error) { panic(tokenDB) }), nil)
		}},
		{"ended token", http.MethodPost, tokenBody(), func(cfg *token.Config) { cfg.Source = tokenGranted(0) }},
		{"token without an end", http.MethodPost, tokenBody(), func(cfg *token.Config) {
			cfg.Source = token.SourceFunc(func(context.Context, string) (token.Token, error) {
				return token.Token{AccessToken: signing.NewSecret(tokenAccess)}, nil
			})
		}},
		{"panic of MapError", http.MethodPost, tokenBody(), func(cfg *token.Config) {
			cfg.Authorize = func(_ context.Context, r token.Request) error { return errors.New(r.WebOfficeToken.Reveal()) }
			cfg.MapError = func(err error) token.Reply { panic(errors.Join(err, tokenDB)) }
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cage := canary.New(t)
			cfg := token.Config{
				Auth:      signing.Unsigned,
				Authorize: func(context.Context, token.Request) error { return nil },
				Source:    tokenGranted(time.Hour),
				Logger:    cage.Logger,
				Observe:   tokenObserver(cage),
			}
			if tt.change != nil {
				tt.change(&cfg)
			}
			h, err := token.NewHandler(cfg)
			if err != nil {
				t.Fatal(err)
			}
			req := httptest.NewRequest(tt.method, token.Path, strings.NewReader(tt.body))
			req.Header.Set("Content-Type", "application/json")
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, req)
			if rec.Code == http.StatusOK {
				t.Errorf("the request did not fail: %s", rec.Body)
			}
			cage.Text("answer", rec.Body.String()+fmt.Sprint(rec.Header()))
			cage.Value("handler", h)
			if cage.Logged() == "" {
				t.Error("nothing was logged")
			}
		})
	}
}

// tokenAnswers are answers of an endpoint that repeats what it was told.
var tokenAnswers = map[string]struct {
	status int
	body   string
}{
	"failure":           {400, `{"code":1,"msg":"%s"}`},
	"OAuth failure":     {401, `{"error":"%s","error_description":"%[1]s"}`},
	"busy":              {503, `<html>%s</html>`},
	"redirect":          {302, `%s`},
	"text":              {200, `%s`},
	"cut success":       {200, `{"refresh_token":"x%s","access_token":"` + tokenAccess},
	"success and error": {200, `{"access_token":"` + tokenAccess + `","code":7,"msg":"%s"}`},
	"another type":      {200, `{"access_token":"` + tokenAccess + `","token_type":"%s"}`},
	"ended":             {200, `{"access_token":"` + tokenAccess + `","expires_in":-1,"x":"%s"}`},
}

// TestTokenEndpoint drives each way to fail of a grant, with an endpoint that
// repeats the form and the address, as they are and escaped.
func TestTokenEndpoint(t *testing.T) {
	t.Parallel()
	for name, tt := range tokenAnswers {
		for _, escape := range []func(string) string{url.QueryEscape, url.PathEscape, jsonText, plainText} {
			synctest.Test(t, func(t *testing.T) {
				cage := canary.New(t)
				echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if err := r.ParseForm(); err != nil {
						t.Error(err)
					}
					w.Header().Set("Location", "https://elsewhere.example.com/?"+tokenClient)
					w.WriteHeader(tt.status)
					_, _ = fmt.Fprintf(w, tt.body, escape(r.PostForm.Get("client_secret")+" "+r.PostForm.Get("app_ticket")))
				})
				_, err := newTokenSource(t, cage, memhttp.Client(echo)).Token(t.Context(), "app")
				cage.Error(name, err)
				var e *token.EndpointError
				if errors.As(err, &e) {
					cage.Value(name, *e)
					cage.Text(name, string(e.Body))
				} else {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
	}
}

// tokenObserver searches all that an Observer is told.
func tokenObserver(cage *canary.Cage) weboffice.Observer {
	return func(ctx context.Context, op weboffice.Operation) (context.Context, func(weboffice.Outcome)) {
		cage.Value("operation", op)
		return ctx, func(o weboffice.Outcome) { cage.Value("outcome", o) }
	}
}

// TestTokenLookup finds clients by a Lookup, whose secrets the endpoint repeats.
func TestTokenLookup(t *testing.T) {
	t.Parallel()
	for name, lookup := range map[string]func(context.Context, string) (token.Client, error){
		"refused": func(context.Context, string) (token.Client, error) {
			return token.Client{Secret: signing.NewSecret(tokenClient), Extra: url.Values{"app_ticket": {tokenTicket}}}, nil
		},
		"incomplete": func(context.Context, string) (token.Client, error) {
			return token.Client{Extra: url.Values{"client_secret": {tokenClient}}}, nil
		},
		"failed": func(context.Context, string) (token.Client, error) { return token.Client{}, tokenDB },
	} {
		synctest.Test(t, func(t *testing.T) {
			cage := canary.New(t)
			echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_ = r.ParseForm()
				w.WriteHeader(400)
				_, _ = fmt.Fprintf(w, "%s %s", r.PostForm.Get("client_secret"), r.PostForm.Get("app_ticket"))
			})
			cfg := token.ClientCredentialsConfig{URL: tokenURL, Lookup: lookup, HTTPClient: memhttp.Client(echo), Logger: cage.Logger}
			source, err := token.NewClientCredentials(cfg)
			if err != nil {
				t.Fatal(err)
			}
			cage.Value("config", cfg)
			_, err = source.Token(t.Context(), "app")
			cage.Error(name, err)
			var e *token.EndpointError
			if errors.As(err, &e) {
				cage.Text(name, string(e.Body))
			}
		})
	}
}

// TestTokenHungSource names the endpoint whose answer is waited for, without its query.
func TestTokenHungSource(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cage := canary.New(t)
		hang := tokenTransport(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			time.Sleep(time.Hour)
			return nil, errors.New(tokenClient)
		})
		cache := token.NewCache(newTokenSource(t, cage, &http.Client{Transport: hang}), &token.CacheOptions{Logger: cage.Logger})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := cache.Token(ctx, "app")
		cage.Error("a caller who leaves", err)
		_, err = cache.Token(t.Context(), "app")
		cage.Error("a Source that does not return", err)
		time.Sleep(10 * time.Hour)
	})
}

func plainText(s string) string { return s }

func jsonText(s string) string {
	return strings.NewReplacer(`"`, `\"`, `<`, `\u003c`, `>`, `\u003e`, `&`, `\u0026`).Replace(s)
}

func newTokenSource(t *testing.T, cage *canary.Cage, client *http.Client) *token.ClientCredentials {
	t.Helper()
	cfg := token.ClientCredentialsConfig{
		URL: tokenURL,
		Clients: map[string]token.Client{"app": {
			Secret: signing.NewSecret(tokenClient), Extra: url.Values{"app_ticket": {tokenTicket}},
		}},
		HTTPClient: client,
		Attempts:   2,
		Logger:     cage.Logger,
		Observe:    tokenObserver(cage),
	}
	source, err := token.NewClientCredentials(cfg)
	if err != nil {
		t.Fatal(err)
	}
	cage.Value("config", cfg)
	cage.Value("client", cfg.Clients["app"])
	cage.Value("clients", cfg.Clients)
	cage.Value("source", source)
	cage.Value("cache", token.NewCache(source, &token.CacheOptions{Logger: cage.Logger}))
	return source
}

type tokenTransport func(*http.Request) (*http.Response, error)

func (f tokenTransport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestTokenNetwork lets the network fail, in words that repeat what was sent.
func TestTokenNetwork(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(*http.Request) (*http.Response, error){
		"address": func(r *http.Request) (*http.Response, error) { return nil, fmt.Errorf("no route to %s", r.URL) },
		"body": func(r *http.Request) (*http.Response, error) {
			form, err := io.ReadAll(r.Body)
			return nil, fmt.Errorf("could not send %s: %w", form, errors.Join(err, errors.New(tokenClient)))
		},
		"answer": func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(io.MultiReader(
				strings.NewReader(tokenAccess), tokenBroken{}))}, nil
		},
		"deadline": func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			cage := canary.New(t)
			_, err := newTokenSource(t, cage, &http.Client{Transport: tokenTransport(fail)}).Token(t.Context(), "app")
			cage.Error(name, err)
		})
	}
}

type tokenBroken struct{}

func (tokenBroken) Read([]byte) (int, error) { return 0, errors.New("broken at " + tokenURL) }

// TestTokenRefresh lets a refresh fail behind the back of its callers.
func TestTokenRefresh(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cage := canary.New(t)
		calls := 0
		cache := token.NewCache(token.SourceFunc(func(ctx context.Context, appID string) (token.Token, error) {
			if calls++; calls > 1 {
				return token.Token{}, fmt.Errorf("store at %w", tokenDB)
			}
			return tokenGranted(time.Hour).Token(ctx, appID)
		}), &token.CacheOptions{Logger: cage.Logger})
		for range 2 {
			got, err := cache.Token(t.Context(), "app")
			if err != nil {
				t.Fatal(err)
			}
			cage.Value("token", got)
			time.Sleep(59 * time.Minute)
			synctest.Wait()
		}
		cage.Value("cache", cache)
		if !strings.Contains(cage.Logged(), "refresh failed") {
			t.Error("the failed refresh was not logged")
		}
	})
}

// TestTokenConfig makes every mistake that a configuration can hold.
func TestTokenConfig(t *testing.T) {
	t.Parallel()
	cage := canary.New(t)
	_, err := token.NewClientCredentials(token.ClientCredentialsConfig{
		URL: "https://u:" + tokenClient + "@auth.example.com/%zz?" + tokenClient,
		Clients: map[string]token.Client{"app": {
			Extra: url.Values{"client_secret": {tokenClient}},
		}},
		Attempts: -1,
	})
	cage.Error("client credentials", err)
	_, err = tokentest.NewPlugin(tokentest.PluginConfig{
		URL:         "//" + tokenUser,
		Credentials: signing.App(":", signing.NewSecret(tokenClient)),
	})
	cage.Error("plugin", err)
}

// TestTokentest lets the fakes fail too: their errors end up in logs of tests.
func TestTokentest(t *testing.T) {
	t.Parallel()
	cage := canary.New(t)
	r := token.Request{AppID: "test-app", FileID: "report", WebOfficeToken: signing.NewSecret(tokenUser)}
	cage.Value("request", r)
	for name, body := range map[string]string{
		"failure":  `{"code":40002,"message":"` + tokenUser + `"}`,
		"bad life": `{"code":0,"message":"","data":{"access_token":"` + tokenAccess + `","token_type":"bearer","expires_in":0}}`,
		"bad type": `{"code":0,"message":"` + tokenUser + `","data":{"access_token":"` + tokenAccess + `","expires_in":9}}`,
	} {
		plugin, err := tokentest.NewPlugin(tokentest.PluginConfig{
			Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, body)
			}),
			Credentials: signingtest.Credentials(),
		})
		if err != nil {
			t.Fatal(err)
		}
		cage.Value("plugin", plugin)
		_, err = plugin.Token(t.Context(), r)
		cage.Error(name, err)
		var e *tokentest.AnswerError
		if errors.As(err, &e) {
			cage.Value(name, *e)
			if bytes.Contains(e.Body, []byte(canary.Word)) {
				t.Errorf("%s: Body holds a secret: %s", name, e.Body)
			}
		}
	}
	endpoint := tokentest.NewEndpoint(&tokentest.EndpointOptions{Clients: map[string]signing.Secret{"a": signing.NewSecret(tokenClient)}})
	cage.Value("endpoint", endpoint)
	cage.Value("config of the endpoint", endpoint.Config())
}
