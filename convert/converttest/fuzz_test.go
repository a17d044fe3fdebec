package converttest_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

// FuzzServeHTTP signs whatever comes: the server never panics, and answers in
// JSON unless a result was asked for.
func FuzzServeHTTP(f *testing.F) {
	for _, seed := range []struct{ method, path, body string }{
		{http.MethodPost, toText, document},
		{http.MethodPost, toPDF, with(`"from_page":1,"to_page":2,"show_comments":1`)},
		{http.MethodPost, toText, with(`"ranges":"1,3-5"`)},
		{http.MethodPost, toText, `{"url":`},
		{http.MethodPost, "/x" + toText, `[]`},
		{http.MethodGet, tasks + "open:task-000001", ""},
		{http.MethodGet, tasks + "%2F..%2F", ""},
		{http.MethodGet, converttest.PathPrefix + "results/open:task-000001/1.txt?Signature=A", ""},
		{"PATCH", "//", ""},
	} {
		f.Add(seed.method, seed.path, seed.body)
	}
	f.Fuzz(func(t *testing.T, method, path, body string) {
		u, err := url.ParseRequestURI(path)
		if err != nil || !strings.HasPrefix(path, "/") {
			t.Skip()
		}
		if _, err := http.NewRequestWithContext(t.Context(), method, "http://office.example/", http.NoBody); err != nil {
			t.Skip() // no method
		}
		req := httptest.NewRequest(http.MethodPost, toText, strings.NewReader(body))
		req.Method, req.URL, req.RequestURI = method, u, path
		sign(t, req, signingtest.Credentials(), at, body)
		s := newServer(t, &converttest.Options{Now: fixed})
		rec := httptest.NewRecorder()
		s.ServeHTTP(rec, req)
		if strings.Contains(u.EscapedPath(), converttest.PathPrefix+"results/") {
			return
		}
		var answer struct {
			Code *int `json:"code"`
		}
		if err := json.Unmarshal(rec.Body.Bytes(), &answer); err != nil || answer.Code == nil || rec.Header().Get("Content-Type") != "application/json" {
			t.Fatalf("%s %s: %d %q, want JSON with a code", method, path, rec.Code, rec.Body)
		}
		if accepted := len(s.Submissions()) > 0; accepted != (*answer.Code == 0 && rec.Code == http.StatusOK && method == http.MethodPost) {
			t.Errorf("%s %s: %d %s, accepted: %t", method, path, rec.Code, rec.Body, accepted)
		}
	})
}

// FuzzRanges: what the server accepts has pages that there can be.
func FuzzRanges(f *testing.F) {
	for _, seed := range []string{"1", "1,3-5", "9-9", "1,,2", "0", "01", "5-3", "2147483647", "１"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		value, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		s := newServer(t, &converttest.Options{Now: fixed})
		r := send(t, s, signingtest.Credentials(), http.MethodPost, toText, with(`"ranges":`+string(value)))
		subs := s.Submissions()
		if (r.Code == 0) != (len(subs) > 0) {
			t.Fatalf("ranges %q: %s, accepted: %t", text, r.Raw, len(subs) > 0)
		}
		if r.Code != 0 {
			return
		}
		ranges, ok := subs[0].Pages.(convert.Ranges)
		if !ok || len(ranges) != strings.Count(text, ",")+1 {
			t.Fatalf("ranges %q: pages %v, want one range per item", text, subs[0].Pages)
		}
		for _, span := range ranges {
			if span.From < 1 || span.To < span.From {
				t.Errorf("ranges %q: %v", text, span)
			}
		}
	})
}
