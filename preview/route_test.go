package preview_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/preview"
)

// TestPaths finds the callback wherever PathPrefix is, and the id as it was meant.
func TestPaths(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path string
		id   string // empty: not found
	}{
		{"/v3/3rd/files/f1", "f1"},
		{"/office/v3/3rd/files/f1", "f1"},
		{"/a/b/c/v3/3rd/files/f1", "f1"},
		{"/v3/3rd/v3/3rd/files/f1", "f1"}, // a gateway address that contains PathPrefix
		{"/v3/3rd/files/f0/v3/3rd/files/f1", "f1"},
		{"/x%2Fy/v3/3rd/files/f1", "f1"},
		{"/v3/3rd/files/%66%31", "f1"},
		{"/files/f1", "f1"}, // stripped
		{"files/f1", "f1"},  // stripped with its slash
		{"/v3/3rd/files/users", "users"},
		{"/v3/3rd/files/files", "files"},
		{"/v3/3rd/files/download", "download"},
		{"/v3/3rd/files/v3", "v3"},
		{"/", ""},
		{"/v3/3rd", ""},
		{"/v3/3rd/", ""},
		{"/v3/3rd/files", ""},
		{"/v3/3rd/file/f1", ""},
		{"/v3/3rd/Files/f1", ""},
		{"/V3/3RD/files/f1", ""},
		{"/v3//3rd/files/f1", ""},
		{"//v3/3rd//files/f1", ""},
		{"/v3/3rd/files/f1/", ""},
		{"/v3/3rd/files/f1//download", ""},
		{"/v3/3rd/./files/f1", ""},
		{"/v3/3rd/x/../files/f1", ""},
		{"/office/files/f1", ""},
		{"/v3%2F3rd%2Ffiles%2Ff1", ""},
		{"/v3/3rd/files%2Ff1", ""},
	} {
		t.Run(c.path, func(t *testing.T) {
			t.Parallel()
			b := &backend{}
			cfg, _ := all(b)
			w := serve(t, newHandler(t, cfg), request(t, http.MethodGet, c.path))
			switch {
			case c.id == "" && (w.Code != 404 || w.Body.String() != `{"code":40004,"message":"no such callback"}`):
				t.Errorf("answer = %d %s, want 404", w.Code, w.Body)
			case c.id == "" && b.calls() > 0:
				t.Error("the store was called")
			case c.id != "" && (b.calls() != 1 || b.seen[0].FileID != c.id):
				t.Errorf("answer = %d %s, store saw %v, want %q", w.Code, w.Body, b.seen, c.id)
			}
		})
	}
}

// request makes a request of any path, also one that httptest refuses.
func request(tb testing.TB, method, path string) *http.Request {
	tb.Helper()
	r := httptest.NewRequest(method, "/", nil)
	decoded, err := url.PathUnescape(path)
	if err != nil {
		tb.Fatal(err)
	}
	r.URL.Path, r.URL.RawPath, r.RequestURI = decoded, path, path
	return r
}

// TestIDs is DefaultCheckID in front of a store: 1 to 47 letters, digits and
// underscores, no underscore first.
func TestIDs(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 47)
	for _, c := range []struct {
		escaped string
		good    bool
	}{
		{"a", true},
		{"0", true},
		{"a_b_9", true},
		{long, true},
		{"", false},
		{"_a", false},
		{long + "a", false},
		{"a-b", false},
		{"a.b", false},
		{"..", false},
		{"..%2F..%2Fetc", false},
		{"..%5c..%5cetc", false},
		{"%2e%2e", false},
		{"a%00", false},
		{"a%0a", false},
		{"a%20b", false},
		{"%E8%A8%88", false},
		{"%ff", false},
		{"a%2Fdownload", false},
		{strings.Repeat("%61", 48), false},
	} {
		t.Run(c.escaped, func(t *testing.T) {
			t.Parallel()
			for _, rest := range []string{"", "/download", "/permission", "/versions", "/versions/1", "/versions/1/download", "/upload/prepare"} {
				b := &backend{}
				cfg, _ := all(b)
				w := serve(t, newHandler(t, cfg), request(t, http.MethodGet, "/v3/3rd/files/"+c.escaped+rest))
				if c.good && w.Code != 200 || !c.good && (w.Code != 400 || w.Body.String() != `{"code":40005,"message":"invalid argument"}`) {
					t.Errorf("%q = %d %s, good: %v", c.escaped+rest, w.Code, w.Body, c.good)
				}
				if called := b.calls() > 0; called != c.good {
					t.Errorf("%q: the store was called: %v", c.escaped+rest, called)
				}
			}
		})
	}
}

// TestIDsThatNoCheckSees never reach even a CheckID that accepts all.
func TestIDsThatNoCheckSees(t *testing.T) {
	t.Parallel()
	cfg, _ := all(&backend{})
	var checked []string
	cfg.CheckID = func(id string) error {
		checked = append(checked, id)
		return nil
	}
	h := newHandler(t, cfg)
	for _, bad := range []string{"", strings.Repeat("a", 48), strings.Repeat("%F0%9F%91%8D", 48), "%ff", "a%00b", "a%7fb", "a%C2%85b"} {
		if w := get(t, h, "files/"+bad); w.Code != 400 {
			t.Errorf("%q = %d %s, want 400", bad, w.Code, w.Body)
		}
	}
	if len(checked) > 0 {
		t.Errorf("CheckID saw %q", checked)
	}
	for _, good := range []string{"..%2F..", "a.b", "7f3f1a52-6d0e", strings.Repeat("%F0%9F%91%8D", 47), strings.Repeat("é", 47)} {
		if w := serve(t, h, request(t, http.MethodGet, "/v3/3rd/files/"+good)); w.Code != 200 {
			t.Errorf("%q = %d %s, want 200: CheckID is in charge", good, w.Code, w.Body)
		}
	}
}

// TestMethods is 405 with Allow, in JSON, for every method but the one.
func TestMethods(t *testing.T) {
	t.Parallel()
	for route, good := range routes() {
		t.Run(route, func(t *testing.T) {
			t.Parallel()
			b := &backend{}
			cfg, _ := all(b)
			h := newHandler(t, cfg)
			allowed := good.method
			if allowed == "" {
				allowed = http.MethodGet
			}
			for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "OPTIONS", "TRACE", "get", "BREW"} {
				if method == allowed {
					continue
				}
				r := httptest.NewRequest(http.MethodGet, preview.PathPrefix+good.path, nil)
				r.Method = method
				w := serve(t, h, r)
				if w.Code != 405 || w.Header().Get("Allow") != allowed || w.Body.String() != `{"code":40005,"message":"method not allowed"}` {
					t.Errorf("%s = %d, Allow %q, %s; want 405, %q", method, w.Code, w.Header().Get("Allow"), w.Body, allowed)
				}
			}
			if b.calls() > 0 {
				t.Error("the store was called")
			}
		})
	}
}
