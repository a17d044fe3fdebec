package token_test

import (
	"bytes"
	"encoding/json"
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

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/internal/memhttp"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokentest"
)

const goodGrant = `{"access_token":"eyJ.one","expires_in":7200,"token_type":"bearer"}`

// endpoint answers every request with the same status and body.
func endpoint(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func newCredentials(tb testing.TB, h http.Handler, change func(*token.ClientCredentialsConfig)) *token.ClientCredentials {
	tb.Helper()
	cfg := token.ClientCredentialsConfig{
		URL:        "https://auth.test/oauth2/token?tenant=hidden-query",
		Clients:    map[string]token.Client{"app": {Secret: signing.NewSecret("hidden-secret")}},
		HTTPClient: memhttp.Client(h),
		Attempts:   1,
		Now:        at(noon),
	}
	if change != nil {
		change(&cfg)
	}
	c, err := token.NewClientCredentials(cfg)
	if err != nil {
		tb.Fatalf("NewClientCredentials: %v", err)
	}
	return c
}

func TestClientCredentialsRequest(t *testing.T) {
	t.Parallel()
	var got *http.Request
	var form string
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got, form = r, string(body)
		endpoint(200, goodGrant)(w, r)
	})
	c := newCredentials(t, h, func(cfg *token.ClientCredentialsConfig) {
		cfg.Clients["other"] = token.Client{
			ID: "AK&1", Secret: signing.NewSecret("s=1"),
			Extra: url.Values{"company_id": {"7"}, "scope": {"a", "b"}},
		}
	})
	for appID, want := range map[string]string{
		"app":   "client_id=app&client_secret=hidden-secret&grant_type=client_credentials",
		"other": "client_id=AK%261&client_secret=s%3D1&company_id=7&grant_type=client_credentials&scope=a&scope=b",
	} {
		token, err := c.Token(t.Context(), appID)
		if err != nil {
			t.Fatal(err)
		}
		if token.AccessToken.Reveal() != "eyJ.one" || !token.ExpiresAt.Equal(noon.Add(2*time.Hour)) {
			t.Errorf("token %q until %v", token.AccessToken.Reveal(), token.ExpiresAt)
		}
		if diff := cmp.Diff(want, form); diff != "" {
			t.Errorf("form of %s (-want +got):\n%s", appID, diff)
		}
	}
	if got.Method != http.MethodPost || got.RequestURI != "/oauth2/token?tenant=hidden-query" || got.Host != "auth.test" {
		t.Errorf("asked %s %s at %s", got.Method, got.RequestURI, got.Host)
	}
	if ct := got.Header.Get("Content-Type"); ct != "application/x-www-form-urlencoded" {
		t.Errorf("Content-Type %q", ct)
	}
	if got.ContentLength != int64(len(form)) || got.Header.Get("Authorization") != "" {
		t.Errorf("Content-Length %d, Authorization %q", got.ContentLength, got.Header.Get("Authorization"))
	}
}

func TestClientCredentialsSuccess(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status int
		body   string
		life   time.Duration
	}{
		"bare":                 {200, goodGrant, 2 * time.Hour},
		"created":              {201, goodGrant, 2 * time.Hour},
		"spaces":               {200, " \n" + goodGrant + "\n", 2 * time.Hour},
		"code and bare":        {200, `{"code":0,"msg":"ok",` + goodGrant[1:], 2 * time.Hour},
		"envelope":             {200, `{"code":0,"message":"ok","data":` + goodGrant + `}`, 2 * time.Hour},
		"envelope, no code":    {200, `{"data":` + goodGrant + `}`, 2 * time.Hour},
		"code as a string":     {200, `{"code":"0","data":` + goodGrant + `}`, 2 * time.Hour},
		"null code":            {200, `{"code":null,"error":null,` + goodGrant[1:], 2 * time.Hour},
		"no token_type":        {200, `{"access_token":"eyJ.one","expires_in":7199}`, 7199 * time.Second},
		"Bearer":               {200, `{"access_token":"eyJ.one","expires_in":7199,"token_type":"Bearer"}`, 7199 * time.Second},
		"numeric string":       {200, `{"access_token":"eyJ.one","expires_in":"7199"}`, 7199 * time.Second},
		"fraction":             {200, `{"access_token":"eyJ.one","expires_in":7199.9}`, 7199 * time.Second},
		"exponent":             {200, `{"access_token":"eyJ.one","expires_in":7.2e3}`, 7200 * time.Second},
		"a century":            {200, `{"access_token":"eyJ.one","expires_in":4294967295}`, 4294967295 * time.Second},
		"one second":           {200, `{"access_token":"eyJ.one","expires_in":1}`, time.Second},
		"no expires_in":        {200, `{"access_token":"eyJ.one"}`, 0},
		"null expires_in":      {200, `{"access_token":"eyJ.one","expires_in":null}`, 0},
		"zero expires_in":      {200, `{"access_token":"eyJ.one","expires_in":0}`, 0},
		"other members too":    {200, `{"scope":["a"],"refresh_token":"r",` + goodGrant[1:], 2 * time.Hour},
		"empty data":           {200, `{"data":{},` + goodGrant[1:], 2 * time.Hour},
		"envelope beside bare": {200, `{"data":null,` + goodGrant[1:], 2 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := newCredentials(t, endpoint(tt.status, tt.body), nil).Token(t.Context(), "app")
			if err != nil || got.AccessToken.Reveal() != "eyJ.one" {
				t.Fatalf("Token = %q, %v", got.AccessToken.Reveal(), err)
			}
			want := time.Time{}
			if tt.life != 0 {
				want = noon.Add(tt.life)
			}
			if !got.ExpiresAt.Equal(want) {
				t.Errorf("ExpiresAt %v, want %v", got.ExpiresAt, want)
			}
		})
	}
}

func TestClientCredentialsFailure(t *testing.T) {
	t.Parallel()
	const noJSON = "the answer is not a JSON object of the expected form"
	tests := []struct {
		name    string
		status  int
		body    string
		code    int
		message string
		keeps   bool // Body is as received
	}{
		{"code and msg", 400, `{"code":400000002,"msg":"invalid client"}`, 400000002, "invalid client", true},
		{"code with 200", 200, `{"code":400000002,"msg":"invalid client"}`, 400000002, "invalid client", true},
		{"code as a string", 200, `{"code":"17","message":"no"}`, 17, "no", true},
		{"code is no number", 200, `{"code":"BAD","message":"no"}`, 0, "no", true},
		{"failure without words", 200, `{"code":3}`, 3, "the answer is a failure without a message", true},
		{"OAuth", 401, `{"error":"invalid_client","error_description":"no such client"}`, 0, "invalid_client: no such client", true},
		{"OAuth with 200", 200, `{"error":"invalid_client"}`, 0, "invalid_client", true},
		{"error beside a token", 200, `{"error":"x",` + goodGrant[1:], 0, "x", false},
		{"code beside a token", 200, `{"code":1,"msg":"x",` + goodGrant[1:], 1, "x", false},
		{"a token with 500", 500, goodGrant, 0, "internal server error", false},
		{"lines", 400, "{\"code\":1,\"msg\":\"a\\nlevel=ERROR\"}", 1, "a level=ERROR", true},
		{"echo", 400, `{"code":1,"msg":"bad hidden-secret"}`, 1, "bad [secret]", false},
		{"HTML", 200, `<html>hello</html>`, 0, noJSON, true},
		{"HTML with 502", 502, `<html>bad gateway</html>`, 0, "bad gateway", true},
		{"empty", 200, ``, 0, noJSON, true},
		{"null", 200, `null`, 0, "the answer has no access_token", true},
		{"empty object", 200, `{}`, 0, "the answer has no access_token", true},
		{"array", 200, `[` + goodGrant + `]`, 0, noJSON, false},
		{"string", 200, `"ok"`, 0, noJSON, true},
		{"bare token", 200, "hidden-access-token\n", 0, noJSON, false},
		{"bare token as a string", 200, `"hidden-access-token"`, 0, noJSON, false},
		{"refresh token alone", 200, `{"refresh_token":"hidden-1"}`, 0, "the answer has no access_token", false},
		{"opaque token of another name", 200, `{"key":"hidden-0123456789abcdef01234567"}`, 0, "the answer has no access_token", false},
		{"opaque token in HTML", 500, `<p>token: hidden_0123456789abcdef01234567</p>`, 0, "internal server error", false},
		{"id token alone", 200, `{"id_token":"hidden-1"}`, 0, "the answer has no access_token", false},
		{"token of another name", 200, `{"token":"eyJ.one","expires_in":7200}`, 0, "the answer has no access_token", false},
		{"token within its own message", 400, `{"code":1,"msg":"eyJ.one is not for you",` + goodGrant[1:], 1, "[secret] is not for you", false},
		{"token within the message of its envelope", 200, `{"code":1,"msg":"eyJ.one is not for you","data":` + goodGrant + `}`, 1, "[secret] is not for you", false},
		{"cut", 200, goodGrant[:len(goodGrant)-1], 0, noJSON, false},
		{"trailing data", 200, goodGrant + goodGrant, 0, noJSON, false},
		{"token is no string", 200, `{"access_token":7}`, 0, noJSON, false},
		{"token is empty", 200, `{"access_token":"","expires_in":7}`, 0, "the answer has no access_token", false},
		{"envelope without token", 200, `{"code":0,"data":{}}`, 0, "the answer has no access_token", true},
		{"envelope within an envelope", 200, `{"data":{"data":` + goodGrant + `}}`, 0, "the answer has no access_token", false},
		{"another type", 200, `{"access_token":"x","expires_in":7,"token_type":"mac"}`, 0, "token_type is not bearer", false},
		{"negative life", 200, `{"access_token":"x","expires_in":-1}`, 0, "expires_in is not a number of seconds", false},
		{"life in words", 200, `{"access_token":"x","expires_in":"soon"}`, 0, "expires_in is not a number of seconds", false},
		{"life is NaN", 200, `{"access_token":"x","expires_in":"NaN"}`, 0, "expires_in is not a number of seconds", false},
		{"endless life", 200, `{"access_token":"x","expires_in":"Inf"}`, 0, "expires_in is not a number of seconds", false},
		{"life beyond all", 200, `{"access_token":"x","expires_in":9223372036854775807}`, 0, "expires_in is not a number of seconds", false},
		{"life is an object", 200, `{"access_token":"x","expires_in":{}}`, 0, "expires_in is not a number of seconds", false},
		{"too long", 200, `{"code":1,"x":"` + strings.Repeat("x", 256<<10), 0, "the answer is too long", false},
		{"no content", 204, ``, 0, noJSON, true},
		{"not modified", 304, ``, 0, "not modified", true},
		{"unheard-of status", 499, ``, 0, "no message", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := newCredentials(t, endpoint(tt.status, tt.body), nil).Token(t.Context(), "app")
			var e *token.EndpointError
			if !errors.As(err, &e) {
				t.Fatalf("Token = %v, %v, want an EndpointError", got, err)
			}
			if e.StatusCode != tt.status || e.Code != tt.code || e.Message != tt.message {
				t.Errorf("HTTP %d, code %d, %q, want %d, %d, %q", e.StatusCode, e.Code, e.Message, tt.status, tt.code, tt.message)
			}
			if tt.keeps && string(e.Body) != tt.body {
				t.Errorf("Body %q, want %q", e.Body, tt.body)
			}
			if len(e.Body) > 1024 || bytes.Contains(e.Body, []byte("eyJ.one")) || bytes.Contains(e.Body, []byte("hidden")) {
				t.Errorf("Body of %d bytes holds a secret or too much: %.2000q", len(e.Body), e.Body)
			}
			if !strings.HasPrefix(err.Error(), `token: fetch for app "app": the token endpoint answered HTTP `) {
				t.Errorf("error %q", err)
			}
		})
	}
}

// TestClientCredentialsHideWhatTheySend has the endpoint repeat all of it.
func TestClientCredentialsHideWhatTheySend(t *testing.T) {
	t.Parallel()
	echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		form, _ := url.ParseQuery(string(body))
		text := fmt.Sprintf("%s, that is %q, at %s, that is %s", body, form, r.RequestURI, r.URL.Query().Get("tenant"))
		answer, _ := json.Marshal(map[string]any{"code": 1, "msg": text})
		endpoint(400, string(answer))(w, r)
	})
	c := newCredentials(t, echo, func(cfg *token.ClientCredentialsConfig) {
		cfg.Clients["app"] = token.Client{
			ID: "AK-1", Secret: signing.NewSecret(`hidden "&`), Extra: url.Values{"app_ticket": {"hidden/ticket"}, "locale": {"de"}},
		}
	})
	_, err := c.Token(t.Context(), "app")
	var e *token.EndpointError
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	shown := err.Error()
	if strings.Contains(shown+string(e.Body), "hidden") || !strings.Contains(shown, "client_id=AK-1") || !strings.Contains(shown, "locale=de") {
		t.Errorf("%s\nBody: %s", shown, e.Body)
	}
}

func TestClientCredentialsFollowNoRedirect(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		hosts := []string{}
		c := newCredentials(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			hosts = append(hosts, r.Host)
			w.Header().Set("Location", "https://elsewhere.test/?hidden-secret%zz")
			w.WriteHeader(status)
		}), nil)
		_, err := c.Token(t.Context(), "app")
		var e *token.EndpointError
		if !errors.As(err, &e) || e.StatusCode != status || len(hosts) != 1 {
			t.Errorf("%d: %v after requests to %v, want an EndpointError after one", status, err, hosts)
		}
		if strings.Contains(err.Error(), "hidden") {
			t.Errorf("the error holds the address: %v", err)
		}
		if !strings.Contains(err.Error(), ": a redirect to https://elsewhere.test, which is not followed: is URL right?") {
			t.Errorf("the error does not name the target: %v", err)
		}
	}
}

// TestClientCredentialsOneAttempt is one request: one that has GetBody is repeated by net/http
// itself, with HTTP/2 hundreds of times a second.
func TestClientCredentialsOneAttempt(t *testing.T) {
	t.Parallel()
	c := newCredentials(t, nil, func(cfg *token.ClientCredentialsConfig) {
		cfg.HTTPClient = &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			if r.GetBody != nil {
				t.Error("the request has GetBody")
			}
			return nil, io.EOF
		})}
	})
	if _, err := c.Token(t.Context(), "app"); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

func TestClientCredentialsUnknownApp(t *testing.T) {
	t.Parallel()
	c := newCredentials(t, endpoint(200, goodGrant), nil)
	for _, appID := range []string{"", "App", "app "} {
		if _, err := c.Token(t.Context(), appID); !errors.Is(err, token.ErrUnknownApp) {
			t.Errorf("Token(%q) = %v, want ErrUnknownApp", appID, err)
		}
	}
}

func TestClientCredentialsReportEveryProblem(t *testing.T) {
	t.Parallel()
	good := token.Client{Secret: signing.NewSecret("s")}
	tests := []struct {
		name string
		cfg  token.ClientCredentialsConfig
		want []string
	}{
		{"nothing", token.ClientCredentialsConfig{Attempts: -1}, []string{"URL is required", "Clients is required", "Attempts must"}},
		{"relative", token.ClientCredentialsConfig{URL: "/oauth2/token?hidden"}, []string{"URL must be an absolute"}},
		{"scheme", token.ClientCredentialsConfig{URL: "ftp://hidden.test"}, []string{"URL must be an absolute"}},
		{"no host", token.ClientCredentialsConfig{URL: "https://:443/hidden"}, []string{"URL must be an absolute"}},
		{"unreadable", token.ClientCredentialsConfig{URL: "https://hidden.test/%zz"}, []string{"URL must be an absolute"}},
		{"user", token.ClientCredentialsConfig{URL: "https://u:hidden@auth.test/"}, []string{"URL must not hold a user"}},
		{"line feeds", token.ClientCredentialsConfig{URL: "https://auth.test", Clients: map[string]token.Client{
			"c\n": {ID: " c", Secret: signing.NewSecret("hidden\n")}, "d": {Secret: signing.NewSecret("hid\x00den")},
		}}, []string{`Clients["c\n"]: the app id has leading`, `Clients["c\n"]: Secret has leading`, `Clients["c\n"]: ID has leading`, `Clients["d"]: Secret has leading`}},
		{"clients", token.ClientCredentialsConfig{URL: "https://auth.test", Clients: map[string]token.Client{
			"": good, "a": {}, "b": {Secret: good.Secret, Extra: url.Values{"grant_type": {"hidden"}, "client_secret": {"hidden"}}},
		}}, []string{"Clients holds an app without an id", `Clients["a"]: Secret`, `Clients["b"]: Extra must not hold grant_type`, `Clients["b"]: Extra must not hold client_secret`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := token.NewClientCredentials(tt.cfg)
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), "token: client credentials: "+want) {
					t.Errorf("the error lacks %q:\n%v", want, err)
				}
			}
			if strings.Contains(err.Error(), "hidden") {
				t.Errorf("the error repeats what may be secret:\n%v", err)
			}
		})
	}
}

func TestClientCredentialsCopyTheirConfig(t *testing.T) {
	t.Parallel()
	e := tokentest.NewEndpoint(nil)
	cfg := e.Config()
	extra := url.Values{"scope": {"a"}}
	client := cfg.Clients["test-app"]
	client.Extra = extra
	cfg.Clients["test-app"] = client
	before := *cfg.HTTPClient
	c, err := token.NewClientCredentials(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if cfg.HTTPClient.Timeout != before.Timeout || cfg.HTTPClient.Transport != before.Transport || cfg.HTTPClient.CheckRedirect != nil {
		t.Error("NewClientCredentials changed the http.Client")
	}
	delete(cfg.Clients, "test-app")
	extra.Set("client_secret", "wrong")
	if _, err := c.Token(t.Context(), "test-app"); err != nil {
		t.Errorf("Token = %v: the configuration is still shared", err)
	}
}

func TestClientCredentialsReuseConnections(t *testing.T) {
	t.Parallel()
	connections := map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		connections[r.RemoteAddr] = true
		endpoint(200, goodGrant)(w, r)
	}))
	defer server.Close()
	c := newCredentials(t, nil, func(cfg *token.ClientCredentialsConfig) { cfg.URL, cfg.HTTPClient = server.URL, nil })
	for range 5 {
		if _, err := c.Token(t.Context(), "app"); err != nil {
			t.Fatal(err)
		}
	}
	if len(connections) != 1 {
		t.Errorf("%d connections for 5 tokens, want 1", len(connections))
	}
}

func TestClientCredentialsCountFromTheQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCredentials(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(3 * time.Second)
			endpoint(200, goodGrant)(w, r)
		}), func(cfg *token.ClientCredentialsConfig) { cfg.Now = nil })
		got, err := c.Token(t.Context(), "app")
		if left := time.Until(got.ExpiresAt); err != nil || left != 2*time.Hour-3*time.Second {
			t.Errorf("Token has %v left, %v, want two hours less the 3s that it took", left, err)
		}
	})
}
