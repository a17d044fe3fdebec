package samples_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/dirstore"
	"github.com/weboffice-go/weboffice/signing"
)

// newFileHost serves the files of a folder by links that expire. Mount it at publicURL.
func newFileHost(folder, publicURL string, key signing.Secret) (*dirstore.Store, error) {
	return dirstore.New(dirstore.Config{
		Root: folder, PublicURL: publicURL, LinkKey: key, Allow: dirstore.ReadOnly,
		LinkLife: 24 * time.Hour, // longer than a document waits for its turn
	})
}

// fileRequest asks for a PDF of a file of the host.
func fileRequest(
	ctx context.Context, host *dirstore.Store, name string,
) (convert.PDFRequest, error) {
	link, err := host.Download(ctx, preview.Request{FileID: host.ID(name)})
	if err != nil {
		return convert.PDFRequest{}, err
	}
	return convert.PDFRequest{URL: link.URL, Filename: filepath.Base(name)}, nil
}

// TestFileHost fetches a file as the service would, and not without its link.
func TestFileHost(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "plan.docx"), []byte("the plan"), 0o600); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	defer server.Close()
	host, err := newFileHost(folder, server.URL+"/files", signing.NewSecret("0123456789abcdef"))
	if err != nil {
		t.Fatal(err)
	}
	mux.Handle("/files", host)
	request, err := fileRequest(t.Context(), host, "plan.docx")
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]string{request.URL: "the plan", server.URL + "/files": ""} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if got := string(body); err != nil || (want != "") != (answer.StatusCode == http.StatusOK) || want != "" && got != want {
			t.Errorf("GET %s = %d %q, %v, want %q", url, answer.StatusCode, got, err, want)
		}
	}
	if _, err := fileRequest(t.Context(), host, "none.docx"); err == nil {
		t.Error("a file that is not there has a link")
	}
}
