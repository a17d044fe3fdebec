package preview_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

// mount is a way to put the handler into a server.
type mount struct {
	name    string
	gateway string // path of the gateway address, as callers see it
	public  string // what a proxy takes away
	wrap    func(t *testing.T, h http.Handler) http.Handler
}

func mounts() []mount {
	mux := func(pattern string, strip string) func(*testing.T, http.Handler) http.Handler {
		return func(_ *testing.T, h http.Handler) http.Handler {
			m := http.NewServeMux()
			m.Handle(pattern, http.StripPrefix(strip, h))
			return m
		}
	}
	return []mount{
		{"alone", "", "", func(_ *testing.T, h http.Handler) http.Handler { return h }},
		{"mux at the root", "", "", mux("/", "")},
		{"mux at PathPrefix", "", "", mux(preview.PathPrefix, "")},
		{"mux with a wildcard", "", "", mux("GET /v3/3rd/files/{id}/{rest...}", "")},
		{"mux below a prefix", "/office", "", mux("/office/", "")},
		{"mux with wildcard prefix", "/tenant-7/office", "", mux("/{tenant}/office/", "")},
		{"prefix stripped", "/office", "", mux("/office/", "/office")},
		{"prefix stripped with PathPrefix", "/office", "", mux("/office/v3/3rd/", "/office/v3/3rd")},
		{"prefix stripped with PathPrefix and slash", "/office", "", mux("/office/v3/3rd/", "/office/v3/3rd/")},
		{"escaped prefix", "/b%C3%BCro/x%2Fy", "", mux("/", "")},
		{"stripping proxy", "/office", "/office", proxy("/office")},
		{"stripping proxy, deeper", "/a/b", "/a", proxy("/a")},
	}
}

// proxy is a real reverse proxy, which takes strip away before it calls the
// server behind it.
func proxy(strip string) func(*testing.T, http.Handler) http.Handler {
	return func(t *testing.T, h http.Handler) http.Handler {
		t.Helper()
		behind := httptest.NewServer(h)
		t.Cleanup(behind.Close)
		target, err := url.Parse(behind.URL)
		if err != nil {
			t.Fatal(err)
		}
		return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Path = strings.TrimPrefix(r.Out.URL.Path, strip)
			r.Out.URL.RawPath = strings.TrimPrefix(r.Out.URL.RawPath, strip)
			r.SetURL(target)
		}}
	}
}

// TestMounted calls every kind of server over the network, signed and unsigned:
// the signature covers the address that was called.
func TestMounted(t *testing.T) {
	t.Parallel()
	for _, m := range mounts() {
		for _, signed := range []bool{true, false} {
			name := m.name + ", unsigned"
			credentials := signing.Credentials{}
			if signed {
				name, credentials = m.name, signingtest.Credentials()
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				b := &backend{}
				cfg, log := all(b)
				if signed {
					cfg.Auth = newVerifier(t, signing.VerifierConfig{PublicPrefix: m.public}).VerifyRequest
				}
				server := httptest.NewServer(m.wrap(t, newHandler(t, cfg)))
				t.Cleanup(server.Close)
				for _, path := range []string{"files/f1/download", "files/f1/permission"} {
					target := m.gateway + preview.PathPrefix + path
					if status, body := call(t, server.URL, target, credentials); status != 200 {
						t.Errorf("GET %s = %d %s, want 200\n%s", target, status, body, log)
					}
				}
				if got := b.calls(); got != 2 || b.seen[0].FileID != "f1" {
					t.Errorf("the store was called %d times: %v", got, b.seen)
				}
				target := m.gateway + preview.PathPrefix + "files/..%2F..%2Fetc/download"
				if status, body := call(t, server.URL, target, credentials); status != 400 || body != `{"code":40005,"message":"invalid argument"}` {
					t.Errorf("GET %s = %d %s, want 400", target, status, body)
				}
			})
		}
	}
}

// call is a GET over the network, signed as the service does it.
func call(t *testing.T, base, target string, c signing.Credentials) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+target, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !c.IsZero() {
		signer, err := signing.NewSigner(c)
		if err != nil {
			t.Fatal(err)
		}
		signer.Sign(req.Header, []byte(target), time.Now())
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	checkEnvelope(t, resp.StatusCode, resp.Header, body)
	return resp.StatusCode, string(body)
}

// TestProxyWithoutPublicPrefix is refused, and the log says where to look.
func TestProxyWithoutPublicPrefix(t *testing.T) {
	t.Parallel()
	cfg, log := all(&backend{})
	cfg.Auth = newVerifier(t, signing.VerifierConfig{}).VerifyRequest
	server := httptest.NewServer(proxy("/office")(t, newHandler(t, cfg)))
	t.Cleanup(server.Close)
	if status, body := call(t, server.URL, "/office/v3/3rd/files/f1", signingtest.Credentials()); status != 401 {
		t.Errorf("answer = %d %s, want 401", status, body)
	}
	if !strings.Contains(log.String(), "PublicPrefix") {
		t.Errorf("the log does not mention PublicPrefix:\n%s", log)
	}
}

// TestHEADOverTheNetwork has the header of the answer, and no body.
func TestHEADOverTheNetwork(t *testing.T) {
	t.Parallel()
	cfg, _ := all(&backend{})
	server := httptest.NewServer(newHandler(t, cfg))
	t.Cleanup(server.Close)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodHead, server.URL+"/v3/3rd/files/f1", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 405 || resp.Header.Get("Allow") != "GET" || resp.Header.Get("Content-Type") != "application/json" {
		t.Errorf("HEAD = %d %v, want 405 with Allow", resp.StatusCode, resp.Header)
	}
}
