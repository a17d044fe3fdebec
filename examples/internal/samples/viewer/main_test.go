package main

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/dirstore"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
)

// The service reaches the sample through a proxy that removes a prefix: ann edits, bob
// reads, and a stranger sees nothing.
func TestHandler(t *testing.T) {
	var handler http.Handler
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	defer backend.Close()
	target, err := url.Parse(backend.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(http.StripPrefix("/office", httputil.NewSingleHostReverseProxy(target)))
	defer proxy.Close()

	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "plan.docx"), []byte("the plan"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("WEBOFFICE_APP_ID", "SX2024")
	for name, value := range map[string]string{
		"WEBOFFICE_APP_KEY": "key", "LINK_KEY": "0123456789abcdef", "DOCUMENTS": folder,
		"PUBLIC_URL": proxy.URL + "/office", "WEBOFFICE_PUBLIC_PREFIX": "/office",
	} {
		t.Setenv(name, value)
	}
	if handler, err = newHandler(); err != nil {
		t.Fatal(err)
	}

	viewer, err := previewtest.NewViewer(previewtest.ViewerConfig{
		BaseURL:        proxy.URL + "/office",
		Credentials:    signing.AppWithScheme("WPS-2", "SX2024", signing.NewSecret("key")),
		WebOfficeToken: signing.NewSecret("session-of-ann"),
	})
	if err != nil {
		t.Fatal(err)
	}
	plan := id(t, folder, "plan.docx")
	if plan != "gnigrzsrj7tkod35uj446z32hbqtvvte" {
		t.Errorf("the id is %s, and docs/first-hour.md has another", plan)
	}
	edit := func(content []byte) []byte { return append(content, " B"...) }
	file, err := viewer.Edit(t.Context(), plan, edit)
	if err != nil || file.Version != 2 || file.ModifierID != "ann" {
		t.Errorf("Edit of ann = %+v, %v, want version 2", file, err)
	}
	bob := viewer.As(signing.NewSecret("session-of-bob"))
	if _, err := bob.Open(t.Context(), plan, nil); err != nil {
		t.Errorf("Open of bob = %v", err)
	}
	if _, err := bob.Save(t.Context(), plan, "plan.docx", nil); !errors.Is(err, preview.ErrForbidden) {
		t.Errorf("Save of bob = %v, want ErrForbidden", err)
	}
	if _, err := viewer.As(signing.NewSecret("guessed")).Open(t.Context(), plan, nil); !errors.Is(err, preview.ErrUnauthorized) {
		t.Errorf("Open of a stranger = %v, want ErrUnauthorized", err)
	}
}

// id is what a front end would get from the store: it depends on the path alone.
func id(t *testing.T, folder, name string) string {
	t.Helper()
	store, err := dirstore.New(dirstore.Config{
		Root: folder, StateFile: filepath.Join(t.TempDir(), "versions"), PublicURL: "https://files.example",
		LinkKey: signing.NewSecret("0123456789abcdef"), Allow: dirstore.ReadOnly,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store.ID(name)
}
