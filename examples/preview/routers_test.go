package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/labstack/echo/v5"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

// mounting is one way to put the handler into a router.
type mounting struct {
	name    string
	gateway string // path of the gateway address
	mount   func(h http.Handler) http.Handler
}

func mountings() []mounting {
	ginEngine := func() *gin.Engine {
		engine := gin.New()
		engine.Use(gin.Recovery())
		return engine
	}
	return []mounting{
		{"chi", "", func(h http.Handler) http.Handler {
			r := chi.NewRouter()
			r.Use(middleware.RequestID, middleware.Recoverer)
			r.Handle("/v3/3rd/*", h)
			return r
		}},
		{"chi, mounted below a prefix", "/office", func(h http.Handler) http.Handler {
			r := chi.NewRouter()
			r.Mount("/office", h)
			return r
		}},
		{"chi, mounted with PathPrefix", "/office", func(h http.Handler) http.Handler {
			r := chi.NewRouter()
			r.Mount("/office/v3/3rd", h)
			return r
		}},
		{"chi, nested with a parameter", "/tenants/t1/office", func(h http.Handler) http.Handler {
			r := chi.NewRouter()
			r.Route("/tenants/{tenant}", func(r chi.Router) { r.Mount("/office", h) })
			return r
		}},
		{"chi, prefix stripped", "/office", func(h http.Handler) http.Handler {
			r := chi.NewRouter()
			r.Mount("/office", http.StripPrefix("/office", h))
			return r
		}},
		{"gin", "", func(h http.Handler) http.Handler {
			engine := ginEngine()
			engine.Any("/v3/3rd/*path", gin.WrapH(h))
			return engine
		}},
		{"gin, group", "/office", func(h http.Handler) http.Handler {
			engine := ginEngine()
			engine.Group("/office").Any("/v3/3rd/*path", gin.WrapH(h))
			return engine
		}},
		{"gin, group with raw paths", "/tenants/t1", func(h http.Handler) http.Handler {
			engine := ginEngine()
			engine.UseRawPath, engine.UnescapePathValues = true, false
			engine.Group("/tenants/:tenant").Any("/*path", gin.WrapH(h))
			return engine
		}},
		{"gin, prefix stripped", "/office", func(h http.Handler) http.Handler {
			engine := ginEngine()
			engine.Any("/office/*path", gin.WrapH(http.StripPrefix("/office", h)))
			return engine
		}},
		{"gin, no route", "", func(h http.Handler) http.Handler {
			engine := ginEngine()
			engine.NoRoute(gin.WrapH(h))
			return engine
		}},
		{"echo", "", func(h http.Handler) http.Handler {
			e := echo.New()
			e.Any("/v3/3rd/*", echo.WrapHandler(h))
			return e
		}},
		{"echo, group", "/tenants/t1", func(h http.Handler) http.Handler {
			e := echo.New()
			e.Group("/tenants/:tenant").Any("/v3/3rd/*", echo.WrapHandler(h))
			return e
		}},
		{"echo, prefix stripped", "/office", func(h http.Handler) http.Handler {
			e := echo.New()
			e.Any("/office/*", echo.WrapHandler(http.StripPrefix("/office", h)))
			return e
		}},
		{"echo, prefix stripped with PathPrefix", "/office", func(h http.Handler) http.Handler {
			e := echo.New()
			e.Any("/office/v3/3rd/*", echo.WrapHandler(http.StripPrefix("/office/v3/3rd", h)))
			return e
		}},
	}
}

// TestRouters opens a document through each of them, signed and unsigned, over the
// network.
func TestRouters(t *testing.T) {
	t.Parallel()
	gin.SetMode(gin.ReleaseMode)
	for _, m := range mountings() {
		for name, credentials := range map[string]signing.Credentials{m.name: signingtest.Credentials(), m.name + ", unsigned": {}} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				server := httptest.NewServer(m.mount(newHandler(t, credentials, "")))
				t.Cleanup(server.Close)
				checkOpens(t, server.URL+m.gateway, credentials)
				checkFailures(t, server.URL+m.gateway, credentials)
			})
		}
	}
}

// newHandler is a handler over one document, whose bytes are served as well.
func newHandler(t *testing.T, credentials signing.Credentials, publicPrefix string) http.Handler {
	t.Helper()
	files := previewtest.MapStore{"plan": {Content: []byte("the plan\n")}}
	bytes := httptest.NewServer(files)
	t.Cleanup(bytes.Close)
	auth := signing.Unsigned
	if !credentials.IsZero() {
		verifier, err := signing.NewVerifier(signing.VerifierConfig{Credentials: []signing.Credentials{credentials}, PublicPrefix: publicPrefix})
		if err != nil {
			t.Fatal(err)
		}
		auth = verifier.VerifyRequest
	}
	handler, err := preview.NewHandler(preview.Config{
		Store: elsewhere{files, bytes.URL}, Auth: auth, Users: guests{}, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return handler
}

// elsewhere has its bytes at an address of its own.
type elsewhere struct {
	previewtest.MapStore
	base string
}

func (e elsewhere) Download(ctx context.Context, r preview.Request) (preview.Download, error) {
	d, err := e.MapStore.Download(ctx, r)
	d.URL = e.base + "/" + r.FileID
	return d, err
}

func newViewer(t *testing.T, base string, credentials signing.Credentials) *previewtest.Viewer {
	t.Helper()
	viewer, err := previewtest.NewViewer(previewtest.ViewerConfig{BaseURL: base, Credentials: credentials})
	if err != nil {
		t.Fatal(err)
	}
	return viewer
}

func checkOpens(t *testing.T, base string, credentials signing.Credentials) {
	t.Helper()
	var content strings.Builder
	if _, err := newViewer(t, base, credentials).Open(t.Context(), "plan", &content); err != nil || content.String() != "the plan\n" {
		t.Errorf("Open = %q, %v", content.String(), err)
	}
}

// checkFailures expects our envelope, which no router has replaced by its own.
func checkFailures(t *testing.T, base string, credentials signing.Credentials) {
	t.Helper()
	viewer := newViewer(t, base, credentials)
	for _, c := range []struct {
		method, path string
		status       int
		body         string
	}{
		{"GET", "files/..%2F..%2Fetc", 400, `{"code":40005,"message":"invalid argument"}`},
		{"GET", "files/" + strings.Repeat("a", 48), 400, `{"code":40005,"message":"invalid argument"}`},
		{"GET", "files/draft", 404, `{"code":40004,"message":"not found"}`},
		{"GET", "files/plan/nothing", 404, `{"code":40004,"message":"no such callback"}`},
		{"POST", "files/plan", 405, `{"code":40005,"message":"method not allowed"}`},
	} {
		resp, err := viewer.Do(t.Context(), c.method, preview.PathPrefix+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != c.status || string(body) != c.body {
			t.Errorf("%s %s = %d %s, %v, want %d %s", c.method, c.path, resp.StatusCode, body, err, c.status, c.body)
		}
	}
	stranger := newViewer(t, base, signing.App("test-app", signing.NewSecret("a guess")))
	if _, err := stranger.File(t.Context(), "plan"); !credentials.IsZero() && !errors.Is(err, preview.ErrUnauthorized) {
		t.Errorf("another key: %v, want unauthorized", err)
	}
}

// TestRoutersBehindAProxy is what a deployment often is: a proxy that takes a
// prefix away, and a router that has another one.
func TestRoutersBehindAProxy(t *testing.T) {
	t.Parallel()
	gin.SetMode(gin.ReleaseMode)
	for _, m := range mountings() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(m.mount(newHandler(t, signingtest.Credentials(), "/public")))
			t.Cleanup(server.Close)
			target, err := url.Parse(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
				r.Out.URL.Path = strings.TrimPrefix(r.Out.URL.Path, "/public")
				r.Out.URL.RawPath = strings.TrimPrefix(r.Out.URL.RawPath, "/public")
				r.SetURL(target)
			}})
			t.Cleanup(proxy.Close)
			checkOpens(t, proxy.URL+"/public"+m.gateway, signingtest.Credentials())
			checkFailures(t, proxy.URL+"/public"+m.gateway, signingtest.Credentials())
		})
	}
}

// Mounted on chi, below a prefix.
func Example_chi() {
	handler, err := preview.NewHandler(preview.Config{
		Store: previewtest.MapStore{"plan": {}}, Auth: signing.Unsigned, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		panic(err)
	}
	router := chi.NewRouter()
	router.Mount("/office", handler)

	viewer, err := previewtest.NewViewer(previewtest.ViewerConfig{BaseURL: "https://example.com/office", Handler: router})
	if err != nil {
		panic(err)
	}
	file, err := viewer.File(context.Background(), "plan")
	fmt.Println(file.Name, err)
	// Output: plan.docx <nil>
}
