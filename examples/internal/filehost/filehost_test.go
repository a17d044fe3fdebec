package filehost_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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

func TestAddressesEnd(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "report.txt")
	if err := os.WriteFile(file, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	host := filehost.New("https://files.example")
	host.Now = func() time.Time { return now }
	status := func(address string) int {
		rec := httptest.NewRecorder()
		host.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, address, http.NoBody))
		return rec.Code
	}
	address := host.PublishUntil(file, "a report.txt", now.Add(time.Hour))
	var got []int
	got = append(got, status(address))
	now = now.Add(time.Hour)
	got = append(got, status(address))
	host.Withdraw(address)
	got = append(got, status(address))
	if want := []int{200, 403, 404}; !slices.Equal(got, want) {
		t.Errorf("before, after and withdrawn: %v, want %v", got, want)
	}
}
