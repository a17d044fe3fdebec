package preview_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/preview"
)

var update = flag.Bool("update", false, "write the goldens anew")

// goldenCase is one request and what the backend does with it.
type goldenCase struct {
	name    string
	method  string // if empty, GET
	path    string // below PathPrefix
	body    string
	header  map[string]string
	backend *backend // if nil, one that answers well
}

// failing is a backend whose every method fails with err.
func failing(err error) *backend {
	return &backend{
		file:       func(context.Context, preview.Request) (preview.File, error) { return preview.File{}, err },
		download:   func(context.Context, preview.Request) (preview.Download, error) { return preview.Download{}, err },
		permission: func(context.Context, preview.Request) (preview.Permission, error) { return preview.Permission{}, err },
		users:      func(context.Context, preview.Request, []string) ([]preview.User, error) { return nil, err },
		rename:     func(context.Context, preview.Request, string) error { return err },
		versions:   func(context.Context, preview.Request, preview.Page) ([]preview.File, error) { return nil, err },
		version:    func(context.Context, preview.Request, uint32) (preview.File, error) { return preview.File{}, err },
		prepare:    func(context.Context, preview.Request) ([]preview.DigestType, error) { return nil, err },
		address: func(context.Context, preview.Request, preview.Upload) (preview.UploadAddress, error) {
			return preview.UploadAddress{}, err
		},
		complete: func(context.Context, preview.Request, preview.Upload, preview.UploadResult) (preview.File, error) {
			return preview.File{}, err
		},
	}
}

const (
	uploadBody   = `{"file_id":"f1","name":"Plan.docx","size":12,"digest":{"sha1":"da39a3ee5e6b4b0d3255bfef95601890afd80709"},"is_manual":true}`
	completeBody = `{"request":` + uploadBody + `,"response":{"status_code":200,"headers":{"Etag":"\"x\""},"body":"b2s="},"send_back_params":{"upload":"42"}}`
)

// routes are the requests that succeed, one for each callback.
func routes() map[string]goldenCase {
	return map[string]goldenCase{
		"file":             {path: "files/f1"},
		"download":         {path: "files/f1/download"},
		"permission":       {path: "files/f1/permission"},
		"users":            {path: "users?user_ids=1&user_ids=2"},
		"rename":           {method: http.MethodPut, path: "files/f1/name", body: `{"name":"New.docx"}`},
		"versions":         {path: "files/f1/versions?offset=0&limit=2"},
		"version":          {path: "files/f1/versions/6"},
		"version-download": {path: "files/f1/versions/6/download"},
		"prepare-upload":   {path: "files/f1/upload/prepare"},
		"upload-address":   {method: http.MethodPost, path: "files/f1/upload/address", body: uploadBody},
		"complete-upload":  {method: http.MethodPost, path: "files/f1/upload/complete", body: completeBody},
	}
}

// TestGoldens pins every answer of every route, byte for byte.
func TestGoldens(t *testing.T) {
	t.Parallel()
	for route, good := range routes() {
		t.Run(route, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			record := func(name string, b *backend, c goldenCase) {
				if b == nil {
					b = &backend{}
				}
				cfg, _ := all(b)
				if c.method == "" {
					c.method = http.MethodGet
				}
				r := httptest.NewRequest(c.method, preview.PathPrefix+c.path, strings.NewReader(c.body))
				r.Header.Set("X-Request-Id", "req-1")
				for key, value := range c.header {
					r.Header.Set(key, value)
				}
				w := serve(t, newHandler(t, cfg), r)
				fmt.Fprintf(&out, "-- %s --\n%s %s%s\n", name, c.method, preview.PathPrefix, c.path)
				if c.body != "" {
					fmt.Fprintf(&out, "%s\n", c.body)
				}
				fmt.Fprintf(&out, "\n%d\n", w.Code)
				for _, key := range []string{"Allow", "Cache-Control", "Content-Type", "X-Content-Type-Options"} {
					if value := w.Header().Get(key); value != "" {
						fmt.Fprintf(&out, "%s: %s\n", key, value)
					}
				}
				fmt.Fprintf(&out, "\n%s\n\n", w.Body)
			}
			record("success", nil, good)
			for _, c := range variants()[route] {
				if c.path == "" {
					c.method, c.path, c.body = good.method, good.path, good.body
				}
				record(c.name, c.backend, c)
			}
			for _, e := range storeErrors() {
				record(e.name, failing(e.err), good)
			}
			other := good
			other.method = http.MethodDelete
			record("another method", nil, other)
			golden(t, route+".txt", out.String())
		})
	}
}

// golden compares got with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
