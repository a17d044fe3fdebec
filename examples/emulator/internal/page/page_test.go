package page_test

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/weboffice-go/weboffice/examples/emulator/internal/page"
)

func handler(t *testing.T) http.Handler {
	t.Helper()
	h, err := page.Handler()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func get(t *testing.T, h http.Handler, target string, header http.Header) *httptest.ResponseRecorder {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, http.NoBody)
	req.Header = header
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	return w
}

func TestLanguage(t *testing.T) {
	t.Parallel()
	h := handler(t)
	for accept, want := range map[string]string{
		"":                        "en",
		"de":                      "en",
		"zh-CN,zh;q=0.9,en;q=0.8": "zh-CN",
		"zh":                      "zh-CN",
		"en-US,zh;q=0.5":          "en",
		"fr, zh;q=0.4":            "zh-CN",
		"zh;q=nonsense":           "en",
	} {
		resp := get(t, h, "/", http.Header{"Accept-Language": {accept}})
		doc, err := html.Parse(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		for n := range doc.Descendants() {
			if n.Data == "html" && n.Type == html.ElementNode && attribute(n, "lang") != want {
				t.Errorf("Accept-Language %q: lang is %q, want %q", accept, attribute(n, "lang"), want)
			}
		}
		if resp.Header().Get("Vary") != "Accept-Language" {
			t.Errorf("Vary is %q", resp.Header().Get("Vary"))
		}
	}
}

// TestNothingInline checks that the policy does not forbid what the shell does, and that
// everything that it names exists.
func TestNothingInline(t *testing.T) {
	t.Parallel()
	h := handler(t)
	resp := get(t, h, "/", nil)
	if got := resp.Header().Get("Content-Security-Policy"); got != page.Policy {
		t.Errorf("policy is %q", got)
	}
	doc, err := html.Parse(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if n.Data == "style" || n.Data == "script" && attribute(n, "src") == "" {
			t.Errorf("<%s> is inline", n.Data)
		}
		for _, a := range n.Attr {
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") {
				t.Errorf("<%s> has the attribute %s", n.Data, a.Key)
			}
			if name, _, _ := strings.Cut(a.Val, "#"); (a.Key == "src" || a.Key == "href") && strings.HasPrefix(name, "/") {
				files++
				if code := get(t, h, name, nil).Code; code != http.StatusOK {
					t.Errorf("%s: status %d", name, code)
				}
			}
		}
	}
	if files < 10 {
		t.Errorf("the shell names %d files", files)
	}
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func TestFiles(t *testing.T) {
	t.Parallel()
	h := handler(t)
	types := map[string]string{
		".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
		".json": "application/json", ".svg": "image/svg+xml",
	}
	names := []string{"catalog/en.json", "catalog/zh-CN.json"}
	static, err := fs.Glob(os.DirFS("static"), "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(names, static...) {
		resp := get(t, h, "/static/"+name, nil)
		header := resp.Header()
		if resp.Code != http.StatusOK || header.Get("Content-Type") != types[path.Ext(name)] {
			t.Errorf("%s: status %d, type %q", name, resp.Code, header.Get("Content-Type"))
		}
		if header.Get("X-Content-Type-Options") != "nosniff" || header.Get("Content-Security-Policy") != page.Policy {
			t.Errorf("%s: headers %v", name, header)
		}
		again := get(t, h, "/static/"+name, http.Header{"If-None-Match": {header.Get("ETag")}})
		if again.Code != http.StatusNotModified {
			t.Errorf("%s: status %d for its own ETag", name, again.Code)
		}
	}
	for _, target := range []string{"/static/", "/static/page.go", "/static/../page.go", "/other"} {
		if code := get(t, h, target, nil).Code; code == http.StatusOK {
			t.Errorf("%s: status %d", target, code)
		}
	}
}

// TestOnlyText checks that no script makes markup or code of a string.
func TestOnlyText(t *testing.T) {
	t.Parallel()
	for name, text := range scripts(t) {
		for _, word := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "DOMParser", "srcdoc", "eval(", "Function(", "javascript:", "http://cdn", "https://cdn"} {
			if strings.Contains(text, word) {
				t.Errorf("%s uses %s", name, word)
			}
		}
	}
}

// scripts returns the text of every script, by name.
func scripts(t *testing.T) map[string]string {
	t.Helper()
	names, err := fs.Glob(os.DirFS("."), "static/*.js")
	if err != nil || len(names) == 0 {
		t.Fatal("no scripts: ", err)
	}
	found := make(map[string]string, len(names))
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found[name] = string(text)
	}
	return found
}
