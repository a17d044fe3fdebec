package dirstore_test

import (
	"crypto/sha1"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/preview"
)

// zeros is a body of zeros.
type zeros struct{ left int64 }

func (z *zeros) Read(p []byte) (int, error) {
	if z.left == 0 {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), z.left))
	clear(p[:n])
	z.left -= int64(n)
	return n, nil
}

// TestLargeDocument saves and serves 2 GB: the memory does not grow with it.
func TestLargeDocument(t *testing.T) {
	if os.Getenv(long) == "" {
		t.Skip("set " + long + " to write 4 GB")
	}
	t.Parallel() // meant to be run alone
	const size = 2 << 30
	f := newEditFolder(t, map[string]string{"a.docx": "small"})
	cfg := f.editConfig()
	cfg.MaxUpload = size
	f.open(t, cfg)
	hash := sha1.New()
	if _, err := io.Copy(hash, &zeros{size}); err != nil {
		t.Fatal(err)
	}
	u := preview.Upload{Size: size, Digests: []preview.Digest{preview.SHA1Sum([sha1.Size]byte(hash.Sum(nil)))}}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	r := f.as("ann", "a.docx")
	runtime.GC()
	before := resident(t)
	var peak atomic.Int64
	stop := make(chan struct{})
	go func() {
		for tick := time.Tick(20 * time.Millisecond); ; {
			select {
			case <-tick:
				peak.Store(max(peak.Load(), resident(t)))
			case <-stop:
				return
			}
		}
	}()
	do := func(method, link string, body io.Reader) *http.Response {
		t.Helper()
		_, query, _ := strings.Cut(link, "?")
		req, err := http.NewRequestWithContext(t.Context(), method, server.URL+"?"+query, body)
		if err != nil {
			t.Fatal(err)
		}
		if body != nil {
			req.ContentLength = size
		}
		res, err := server.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	a, err := f.UploadAddress(t.Context(), r, u)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	res := do(http.MethodPut, a.URL, &zeros{size})
	if err := res.Body.Close(); err != nil || res.StatusCode != http.StatusCreated {
		t.Fatalf("HTTP %d, %v", res.StatusCode, err)
	}
	t.Log("uploaded in", time.Since(start))
	start = time.Now()
	file, err := f.CompleteUpload(t.Context(), r, u, preview.UploadResult{StatusCode: 201, SendBack: a.SendBack})
	if err != nil || file.Size != size || file.Version != 2 {
		t.Fatalf("CompleteUpload = %+v, %v", file, err)
	}
	t.Log("completed in", time.Since(start))
	start = time.Now()
	res = do(http.MethodGet, f.download(t, "a.docx", "ann").URL, nil)
	n, err := io.Copy(io.Discard, res.Body)
	if err := res.Body.Close(); err != nil {
		t.Error(err)
	}
	if n != size || err != nil {
		t.Errorf("got %d bytes, %v", n, err)
	}
	t.Log("downloaded in", time.Since(start))
	close(stop)
	grown := peak.Load() - before
	if t.Logf("the resident memory grew by %d KiB", grown>>10); grown > 32<<20 {
		t.Errorf("it grew by %d MiB, want less than 32", grown>>20)
	}
}

// resident is the resident memory of this process, in bytes.
func resident(t *testing.T) int64 {
	t.Helper()
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var total, pages int64
	_, _ = fmt.Sscan(string(b), &total, &pages)
	return pages * int64(os.Getpagesize())
}

// TestManyDocuments says how long the first answer takes among 100,000 documents.
func TestManyDocuments(t *testing.T) {
	if os.Getenv(long) == "" {
		t.Skip("set " + long + " to write 100,000 files")
	}
	t.Parallel() // meant to be run alone
	f := newFolder(t, nil)
	for d := range 100 {
		if err := os.Mkdir(f.path(fmt.Sprint(d)), 0o700); err != nil {
			t.Fatal(err)
		}
		for n := range 1000 {
			if err := os.WriteFile(f.path(fmt.Sprintf("%d/document %d.docx", d, n)), []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		f.age(t, fmt.Sprint(d), time.Hour)
	}
	f.age(t, ".", time.Hour)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, name := range []string{"50/document 500.docx", "50/document 501.docx"} {
		start := time.Now()
		f.version(t, name)
		t.Logf("%s: %v", name, time.Since(start))
	}
	runtime.ReadMemStats(&after)
	start := time.Now()
	if _, err := f.File(t.Context(), f.request("nothing")); err == nil {
		t.Error("an unknown id has a document")
	}
	took := time.Since(start)
	var unknown runtime.MemStats
	runtime.ReadMemStats(&unknown)
	t.Logf("an unknown id: %v, %d KiB allocated", took, (unknown.TotalAlloc-after.TotalAlloc)>>10)
	runtime.GC()
	runtime.ReadMemStats(&after)
	t.Logf("%d KiB are held", (after.HeapAlloc-before.HeapAlloc)>>10)
}
