package dirstore_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestServe looks at the headers of an answer.
func TestServe(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{
		"plan.docx": "a plan", "deep/预算 \"2025\".XLSX": "1+1", "page.html": "<script>", "a;b=c.pdf": "x",
	})
	for name, want := range map[string]struct{ contentType, disposition, body string }{
		"plan.docx":             {"application/vnd.openxmlformats-officedocument.wordprocessingml.document", `attachment; filename=plan.docx`, "a plan"},
		"deep/预算 \"2025\".XLSX": {"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", `attachment; filename*=utf-8''%E9%A2%84%E7%AE%97%20_2025_.XLSX`, "1+1"},
		"page.html":             {"application/octet-stream", `attachment; filename=page.html`, "<script>"},
		"a;b=c.pdf":             {"application/pdf", `attachment; filename="a;b=c.pdf"`, "x"},
	} {
		at := f.age(t, name, time.Hour)
		d := f.download(t, name)
		got := f.get(t, d.URL)
		header := map[string]string{}
		for name := range got.header {
			header[name] = got.header.Get(name)
		}
		wantHeader := map[string]string{
			"Content-Type": want.contentType, "Content-Disposition": want.disposition, "X-Content-Type-Options": "nosniff",
			"Etag": `"` + d.Digest.Hex + `"`, "Accept-Ranges": "bytes", "Cache-Control": "private, no-store",
			"Last-Modified": at.UTC().Format(http.TimeFormat), "Content-Length": strconv.Itoa(len(want.body)),
		}
		if diff := cmp.Diff(wantHeader, header); diff != "" {
			t.Errorf("%s: headers (-want +got):\n%s", name, diff)
		}
		if got.status != http.StatusOK || got.body != want.body {
			t.Errorf("%s: HTTP %d %q", name, got.status, got.body)
		}
	}
}

// TestServeMethods obeys ranges, conditions and methods.
func TestServeMethods(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a.docx": "0123456789"})
	d := f.download(t, "a.docx")
	for _, tc := range []struct {
		name, method string
		header       []string
		status       int
		body         string
	}{
		{"head", http.MethodHead, nil, 200, ""},
		{"range", http.MethodGet, []string{"Range", "bytes=2-4"}, 206, "234"},
		{"open range", http.MethodGet, []string{"Range", "bytes=7-"}, 206, "789"},
		{"suffix", http.MethodGet, []string{"Range", "bytes=-2"}, 206, "89"},
		{"range if the same", http.MethodGet, []string{"Range", "bytes=2-4", "If-Range", `"` + d.Digest.Hex + `"`}, 206, "234"},
		{"range if another", http.MethodGet, []string{"Range", "bytes=2-4", "If-Range", `"x"`}, 200, "0123456789"},
		{"not there", http.MethodGet, []string{"Range", "bytes=20-"}, 416, "invalid range: failed to overlap\n"},
		{"not changed", http.MethodGet, []string{"If-None-Match", `"` + d.Digest.Hex + `"`}, 304, ""},
		{"post", http.MethodPost, nil, 405, "Method Not Allowed\n"},
		{"put", http.MethodPut, nil, 405, "Method Not Allowed\n"},
	} {
		got := f.do(t, tc.method, d.URL, tc.header...)
		if got.status != tc.status || got.body != tc.body {
			t.Errorf("%s: HTTP %d %q, want %d %q", tc.name, got.status, got.body, tc.status, tc.body)
		}
		if tc.status == 405 && got.header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: Allow is %q", tc.name, got.header.Get("Allow"))
		}
		if got.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: may be sniffed", tc.name)
		}
		if got.header.Get("Cache-Control") != "private, no-store" {
			t.Errorf("%s: may be kept", tc.name)
		}
	}
}

// TestServeVersion serves the version that the link is for, and no other.
func TestServeVersion(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a.docx": "one"})
	old := f.download(t, "a.docx").URL
	f.write(t, "a.docx", "two")
	if got := f.get(t, old); got.status != http.StatusGone || strings.Contains(got.body, "two") {
		t.Errorf("the link to the version before: HTTP %d %q", got.status, got.body)
	}
	if got := f.get(t, f.download(t, "a.docx").URL); got.status != http.StatusOK || got.body != "two" {
		t.Errorf("the new link: HTTP %d %q", got.status, got.body)
	}
	if err := os.Remove(f.path("a.docx")); err != nil {
		t.Fatal(err)
	}
	if got := f.get(t, old); got.status != http.StatusNotFound {
		t.Errorf("the link to a file that is gone: HTTP %d", got.status)
	}
}

// TestServeChanges writes to a file while it is served, over a real connection.
func TestServeChanges(t *testing.T) {
	t.Parallel()
	const size = 32 << 20 // more than buffers hold
	content := strings.Repeat("a", size)
	for _, tc := range []struct {
		name   string
		change func(f *folder) error
		whole  bool
	}{
		{"in place", func(f *folder) error { return os.WriteFile(f.path("a.docx"), []byte(strings.Repeat("b", size)), 0o600) }, false},
		{"cut", func(f *folder) error { return os.Truncate(f.path("a.docx"), size/2) }, false},
		{"replaced", func(f *folder) error {
			if err := os.WriteFile(f.path(".new"), []byte(strings.Repeat("b", size)), 0o600); err != nil {
				return err
			}
			return os.Rename(f.path(".new"), f.path("a.docx"))
		}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := newFolder(t, map[string]string{"a.docx": content})
			f.age(t, "a.docx", time.Hour)
			server := httptest.NewServer(f)
			t.Cleanup(server.Close)
			_, query, _ := strings.Cut(f.download(t, "a.docx").URL, "?")
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"?"+query, nil)
			if err != nil {
				t.Fatal(err)
			}
			res, err := server.Client().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			if _, err := io.CopyN(io.Discard, res.Body, 1<<10); err != nil {
				t.Fatal(err)
			}
			if err := tc.change(f); err != nil {
				t.Fatal(err)
			}
			rest, err := io.ReadAll(res.Body)
			switch {
			case tc.whole && (err != nil || len(rest)+1<<10 != size):
				t.Errorf("got %d bytes and %v, want the whole old file", len(rest), err)
			case !tc.whole && !errors.Is(err, io.ErrUnexpectedEOF):
				t.Errorf("got %d bytes and %v, want the answer to break off", len(rest), err)
			}
			if strings.Contains(string(rest), "b") {
				t.Error("the answer mixes two versions")
			}
		})
	}
}

// TestServeEmptied saves in place, as some editors do, at the moment between the look at
// the file and its first byte.
func TestServeEmptied(t *testing.T) {
	t.Parallel()
	for _, left := range []int64{0, 3} {
		f := newFolder(t, map[string]string{"a.docx": strings.Repeat("x", 1000)})
		f.age(t, "a.docx", time.Hour)
		link := f.download(t, "a.docx").URL
		w := &emptying{ResponseRecorder: httptest.NewRecorder(), at: 2, do: func() error { return os.Truncate(f.path("a.docx"), left) }}
		f.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, link, nil))
		if w.err != nil || w.at > 0 {
			t.Fatalf("%d, %v", w.at, w.err)
		}
		if w.Code == http.StatusOK {
			t.Errorf("a file that was cut to %d bytes is a complete answer of %d", left, w.Body.Len())
		}
	}
}

// emptying does something when the headers are asked for the nth time: the second is
// after the file was looked at.
type emptying struct {
	*httptest.ResponseRecorder
	at  int
	do  func() error
	err error
}

func (e *emptying) Header() http.Header {
	if e.at--; e.at == 0 {
		e.err = e.do()
	}
	return e.ResponseRecorder.Header()
}
