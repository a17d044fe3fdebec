package samples_test

import (
	"context"
	"log/slog"
	"net/http"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokentest"
)

func mount(mux *http.ServeMux, router chi.Router, engine *gin.Engine, handler http.Handler) {
	mux.Handle(preview.PathPrefix, handler)                    // net/http
	router.Handle(preview.PathPrefix+"*", handler)             // chi
	engine.Any(preview.PathPrefix+"*path", gin.WrapH(handler)) // gin
}

func mountBoth(engine *gin.Engine, viewerHandler, tokenHandler http.Handler) {
	callbacks := http.NewServeMux()
	callbacks.Handle(preview.PathPrefix, viewerHandler)
	callbacks.Handle(token.Path, tokenHandler)
	engine.Any(preview.PathPrefix+"*path", gin.WrapH(callbacks))
}

func TestRouters(t *testing.T) {
	t.Parallel()
	mux, router, engine := http.NewServeMux(), chi.NewRouter(), newEngine()
	mount(mux, router, engine, viewerHandler(t))
	both := newEngine()
	mountBoth(both, viewerHandler(t), tokenHandler(t))
	for name, handler := range map[string]http.Handler{"net/http": mux, "chi": router, "gin": engine, "gin with both": both} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			viewer, err := previewtest.NewViewer(previewtest.ViewerConfig{Handler: handler, Credentials: signingtest.Credentials()})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := viewer.Permission(t.Context(), "plan"); err != nil {
				t.Error(err)
			}
		})
	}
	plugin, err := tokentest.NewPlugin(tokentest.PluginConfig{Handler: both, Credentials: signingtest.Credentials()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plugin.Token(t.Context(), token.Request{AppID: "test-app", FileID: "plan", WebOfficeToken: signing.NewSecret("ann")}); err != nil {
		t.Error(err)
	}
}

func newEngine() *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	return gin.New()
}

// quiet is a logger for refusals that a test expects.
func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func verifier(t *testing.T) *signing.Verifier {
	t.Helper()
	v, err := signing.NewVerifier(signing.VerifierConfig{Credentials: []signing.Credentials{signingtest.Credentials()}})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func viewerHandler(t *testing.T) http.Handler {
	t.Helper()
	handler, err := preview.NewHandler(preview.Config{
		Store: previewtest.MapStore{"plan": {}}, Auth: verifier(t).VerifyRequest, Logger: quiet(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return handler
}

func tokenHandler(t *testing.T) http.Handler {
	t.Helper()
	source, err := token.NewClientCredentials(tokentest.NewEndpoint(nil).Config())
	if err != nil {
		t.Fatal(err)
	}
	handler, err := token.NewHandler(token.Config{
		Auth: verifier(t).VerifyRequest, Source: token.NewCache(source, nil), Logger: quiet(),
		Authorize: func(context.Context, token.Request) error { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return handler
}
