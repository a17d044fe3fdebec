package main

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/dirstore"
	"github.com/weboffice-go/weboffice/signing"
)

// everybody is a preview.UserStore that knows ann.
type everybody struct{}

func (everybody) Users(_ context.Context, _ preview.Request, ids []string) ([]preview.User, error) {
	if slices.Contains(ids, "ann") {
		return []preview.User{{ID: "ann", Name: "Ann"}}, nil
	}
	return nil, nil
}

// TestOwnHandler finds nothing wrong with package preview over a folder, behind a
// proxy that strips a prefix.
func TestOwnHandler(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "Plan 计划.docx"), []byte("a plan"), 0o600); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	server := httptest.NewServer(http.StripPrefix("/office", mux))
	t.Cleanup(server.Close)
	store, err := dirstore.New(dirstore.Config{
		Root: dir, PublicURL: server.URL + "/office/files", LinkKey: signing.NewSecret("CANARY link key of 16 bytes"),
		Allow: func(_ context.Context, r preview.Request) (preview.Permission, error) {
			if r.WebOfficeToken.Reveal() != "CANARY-token" {
				return preview.Permission{}, preview.ErrUnauthorized
			}
			return preview.Permission{UserID: "ann", Read: true, Copy: true, Print: true}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	verifier, err := signing.NewVerifier(signing.VerifierConfig{
		Credentials: []signing.Credentials{signing.App(appID, signing.NewSecret(appKey))},
	})
	if err != nil {
		t.Fatal(err)
	}
	handler, err := preview.NewHandler(preview.Config{
		Store: store, Auth: verifier.VerifyRequest, Users: everybody{}, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	mux.Handle(preview.PathPrefix, handler)
	mux.Handle("/files", store)
	p := &patient{server: server}
	got := p.visit(t, server.URL+"/office", "-file", store.ID("Plan 计划.docx"))
	if got.code != exitRight || len(got.broken) > 0 {
		t.Errorf("exit code %d, broken %q\n%s%s", got.code, got.broken, got.stdout, got.stderr)
	}
}
