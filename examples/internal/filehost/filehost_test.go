package filehost_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/examples/internal/filehost"
)

func TestHost(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "stored")
	if err := os.WriteFile(file, []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := filehost.New("https://files.example/store/")
	address := h.Publish(file, "报告 1.docx")
	other := h.Publish(file, "报告 1.docx")
	if !strings.HasPrefix(address, "https://files.example/store"+filehost.Prefix) || !strings.HasSuffix(address, "%201.docx") || address == other {
		t.Errorf("addresses %s and %s, want two below the base that end in the name", address, other)
	}
	path := strings.TrimPrefix(address, "https://files.example")
	for name, tt := range map[string]struct {
		method, target string
		status         int
	}{
		"published":       {http.MethodGet, path, http.StatusOK},
		"prefix stripped": {http.MethodGet, strings.TrimPrefix(path, "/store"), http.StatusOK},
		"head":            {http.MethodHead, path, http.StatusOK},
		"other method":    {http.MethodPost, path, http.StatusNotFound},
		"a guess":         {http.MethodGet, filehost.Prefix + "x/1.docx", http.StatusNotFound},
		"the file itself": {http.MethodGet, filehost.Prefix + ".." + file, http.StatusNotFound},
		"elsewhere":       {http.MethodGet, "/", http.StatusNotFound},
	} {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequest(tt.method, tt.target, nil))
		if rec.Code != tt.status || tt.method == http.MethodGet && rec.Code == http.StatusOK && rec.Body.String() != "content" {
			t.Errorf("%s: %d %q, want %d", name, rec.Code, rec.Body, tt.status)
		}
	}
}
