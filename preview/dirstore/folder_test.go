package dirstore_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/dirstore"
	"github.com/weboffice-go/weboffice/signing"
)

// folder is a folder of documents, and a store over it.
type folder struct {
	*dirstore.Store
	dir string
	now *clock
}

// clock is a clock that tests set.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// newFolder makes a folder of files, and opens it.
func newFolder(tb testing.TB, files map[string]string) *folder {
	tb.Helper()
	f := &folder{dir: tb.TempDir(), now: &clock{t: time.Date(2025, time.May, 1, 8, 0, 0, 0, time.UTC)}}
	for name, content := range files {
		f.write(tb, name, content)
	}
	f.reopen(tb)
	return f
}

func (f *folder) config() dirstore.Config {
	return dirstore.Config{
		Root: f.dir, PublicURL: "https://office.example/files", LinkKey: signing.NewSecret("CANARY link key of a folder"),
		Allow: dirstore.ReadOnly, Now: f.now.now,
	}
}

// reopen is a restart.
func (f *folder) reopen(tb testing.TB) {
	tb.Helper()
	if f.Store != nil {
		if err := f.Close(); err != nil {
			tb.Fatal(err)
		}
	}
	f.open(tb, f.config())
}

func (f *folder) open(tb testing.TB, cfg dirstore.Config) {
	tb.Helper()
	s, err := dirstore.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	f.Store = s
}

func (f *folder) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

func (f *folder) write(tb testing.TB, name, content string) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(f.path(name)), 0o700); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(f.path(name), []byte(content), 0o600); err != nil {
		tb.Fatal(err)
	}
}

func (f *folder) link(tb testing.TB, target, name string) {
	tb.Helper()
	if err := os.Symlink(target, f.path(name)); err != nil {
		tb.Skip("this system has no symbolic links for us: ", err)
	}
}

// age makes a file look as if it was last changed some time ago.
func (f *folder) age(tb testing.TB, name string, by time.Duration) time.Time {
	tb.Helper()
	at := time.Now().Add(-by).Truncate(time.Microsecond)
	if err := os.Chtimes(f.path(name), at, at); err != nil {
		tb.Fatal(err)
	}
	return at
}

func (f *folder) request(name string) preview.Request { return preview.Request{FileID: f.ID(name)} }

// version gives the version of a document.
func (f *folder) version(tb testing.TB, name string) uint32 {
	tb.Helper()
	file, err := f.File(tb.Context(), f.request(name))
	if err != nil {
		tb.Fatalf("File(%q): %v", name, err)
	}
	return file.Version
}

// download gives a link to a document.
func (f *folder) download(tb testing.TB, name string, user ...string) preview.Download {
	tb.Helper()
	d, err := f.Download(tb.Context(), f.as(strings.Join(user, ""), name))
	if err != nil {
		tb.Fatalf("Download(%q): %v", name, err)
	}
	return d
}

// answer is what ServeHTTP wrote.
type answer struct {
	status int
	header http.Header
	body   string
}

// get fetches a link.
func (f *folder) get(tb testing.TB, link string) answer {
	tb.Helper()
	return f.do(tb, http.MethodGet, link)
}

func (f *folder) do(tb testing.TB, method, link string, header ...string) answer {
	tb.Helper()
	req := httptest.NewRequestWithContext(tb.Context(), method, link, nil)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	f.ServeHTTP(w, req)
	return answer{w.Code, w.Header(), w.Body.String()}
}

// fetch fetches a download as previewtest asks for it.
func (f *folder) fetch(ctx context.Context, d preview.Download) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.URL, nil)
	if err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	f.ServeHTTP(w, req)
	if w.Code != http.StatusOK {
		return nil, io.ErrUnexpectedEOF
	}
	return io.NopCloser(w.Body), nil
}
