package s3test_test

import (
	"crypto/md5"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previews3"
	"github.com/weboffice-go/weboffice/preview/previews3/internal/s3test"
)

// zeros is a document that needs no memory.
type zeros struct{ size, at int64 }

func (z *zeros) Read(p []byte) (int, error) {
	if z.at == z.size {
		return 0, io.EOF
	}
	n := min(int64(len(p)), z.size-z.at)
	clear(p[:n])
	z.at += n
	return int(n), nil
}

func (z *zeros) Seek(offset int64, whence int) (int64, error) {
	z.at = offset + map[int]int64{io.SeekCurrent: z.at, io.SeekEnd: z.size}[whence]
	return z.at, nil
}

// resident reads a value in KB of this process, and resets VmHWM, the peak.
func resident(t *testing.T, name string) (kb int) {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0 // Only Linux has it, and not every sandbox.
	}
	_, rest, _ := strings.Cut(string(status), name+":")
	if _, err := fmt.Sscan(rest, &kb); err != nil {
		t.Fatal(err)
	}
	if os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) != nil {
		return 0
	}
	return kb
}

// Bytes go between the service and the storage: no callback holds them.
func TestMemory(t *testing.T) { //nolint:paralleltest // It measures what the process allocates.
	size := int64(200 << 20)
	if os.Getenv(long) != "" {
		size = 2 << 30
	}
	if testing.Short() {
		t.Skip("200 MB")
	}
	s := s3test.NewBucket(t).NewStore(t, nil)
	s3test.Fill(t, s)
	hash := md5.New()
	if _, err := io.Copy(hash, &zeros{size: size}); err != nil {
		t.Fatal(err)
	}
	allocated := func(what string, limit uint64, work func()) {
		t.Helper()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		work()
		runtime.ReadMemStats(&after)
		t.Logf("%s: %d KB", what, (after.TotalAlloc-before.TotalAlloc)>>10)
		if got := after.TotalAlloc - before.TotalAlloc; got > limit {
			t.Errorf("%s allocates %d bytes, want less than %d", what, got, limit)
		}
	}
	debug.FreeOSMemory()
	before := resident(t, "VmRSS")
	defer func() { // The gateway is in the same process, unless S3TEST_GATEWAY names another.
		grown := resident(t, "VmHWM") - before
		if t.Logf("the resident memory grew by up to %d KB", grown); grown > 32<<10 {
			t.Errorf("it grew by %d KB, want less than 32 MB", grown)
		}
	}()
	allocated("Create", 32<<20, func() {
		if err := s.Create(t.Context(), previews3.Document{ID: "big", Name: "Big.docx", Body: &zeros{size: size}}); err != nil {
			t.Fatal(err)
		}
	})
	r := preview.Request{FileID: "big", UserID: "ann"}
	u := preview.Upload{Name: "Big.docx", Size: size, Digests: []preview.Digest{preview.MD5Sum([16]byte(hash.Sum(nil)))}}
	var a preview.UploadAddress
	var err error
	allocated("UploadAddress", 8<<20, func() { a, err = s.UploadAddress(t.Context(), r, u) })
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), a.Method, a.URL, &zeros{size: size})
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = size
	for name, value := range a.Header {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp, err)
	}
	_ = resp.Body.Close()
	allocated("CompleteUpload and Download", 8<<20, func() {
		if f, err := s.CompleteUpload(t.Context(), r, u, preview.UploadResult{SendBack: a.SendBack}); err != nil || f.Version != 2 || f.Size != size {
			t.Error(f, err)
		}
		d, err := s.Download(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		resp := get(t, d.URL)
		defer resp.Body.Close()
		got := md5.New()
		if n, err := io.Copy(got, resp.Body); err != nil || n != size || fmt.Sprintf("%x", got.Sum(nil)) != d.Digest.Hex {
			t.Errorf("%d bytes came back, %v", n, err)
		}
	})
}
