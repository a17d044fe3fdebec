package preview_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/preview"
)

// FuzzHandler sends anything: the answer is always the envelope, nothing panics,
// and no store sees an id that was not checked.
func FuzzHandler(f *testing.F) {
	for _, good := range routes() {
		f.Add(good.method, preview.PathPrefix+good.path, "app", "token", "request", "a=b", []byte(good.body))
	}
	for _, path := range []string{
		"", "/", "*", "//", "/v3/3rd/", "/v3/3rd/files//download", "/v3/3rd/files/..%2F..%2Fetc", "/v3/3rd//files/f1", "/v3/3rd/files/%ff", "/v3/3rd/files/" + strings.Repeat("a", 48),
		"/v3/3rd/files/f1/versions/99999999999", "/v3/3rd/users?user_ids=%00", "/v3/3rd/files/f1?%zz", "/files/f1", "/v3/3rd/files/f1/v3/3rd/files/.",
	} {
		f.Add("GET", path, "", "", "\x00", "%", []byte(nil))
	}
	f.Fuzz(func(t *testing.T, method, target, app, token, requestID, query string, body []byte) {
		b := &backend{}
		cfg, log := all(b)
		r := httptest.NewRequest(http.MethodGet, "/", bytes.NewReader(body))
		path, rawQuery, _ := strings.Cut(target, "?")
		if decoded, err := url.PathUnescape(path); err == nil {
			r.URL.Path, r.URL.RawPath = decoded, path
		} else {
			r.URL.Path = path
		}
		r.Method, r.URL.RawQuery, r.RequestURI = method, rawQuery, target
		r.Header["X-App-Id"] = []string{app}
		r.Header["X-Weboffice-Token"] = []string{token}
		r.Header["X-Request-Id"] = []string{requestID}
		r.Header["X-User-Query"] = []string{query}
		w := serve(t, newHandler(t, cfg), r)
		if w.Code >= 500 && len(log.lines(t, slog.LevelError)) == 0 {
			t.Errorf("answer = %d %s, and nothing in the log", w.Code, w.Body)
		}
		if strings.Contains(log.String(), "panicked") {
			t.Errorf("panic:\n%s", log)
		}
		if w.Code >= 500 && method != "POST" { // uploads have contents of their own
			t.Errorf("%s %q = %d %s\n%s", method, target, w.Code, w.Body, log)
		}
		for _, seen := range b.seen {
			if strings.HasSuffix(path, "users") && seen.FileID == "" {
				continue
			}
			if err := preview.DefaultCheckID(seen.FileID); err != nil {
				t.Errorf("%q: the store saw %q: %v", target, seen.FileID, err)
			}
		}
	})
}

// FuzzIDs lets CheckID accept everything: what is left holds for every id.
func FuzzIDs(f *testing.F) {
	for _, id := range []string{"", "f1", "..", "%2e%2e%2f", "%00", "%ff", strings.Repeat("%C3%A9", 48), "a/b"} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, escaped string) {
		b := &backend{}
		cfg, _ := all(b)
		cfg.CheckID = func(string) error { return nil }
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL.Path = "/v3/3rd/files/" + escaped
		if decoded, err := url.PathUnescape(r.URL.Path); err == nil {
			r.URL.Path, r.URL.RawPath = decoded, r.URL.Path
		}
		serve(t, newHandler(t, cfg), r)
		for _, seen := range b.seen {
			id := seen.FileID
			if id == "" || utf8.RuneCountInString(id) > preview.MaxFileIDLength || !utf8.ValidString(id) || strings.ContainsFunc(id, unicode.IsControl) {
				t.Errorf("%q: the store saw %q", escaped, id)
			}
		}
	})
}

// FuzzAnswer lets a store answer anything: it goes out as valid JSON, or not at
// all.
func FuzzAnswer(f *testing.F) {
	f.Add("f1", "Plan.docx", "u1", "https://example.com/?a=b", "md5", strings.Repeat("0", 32), "Referer", "x")
	f.Add("", "\xff", "\u2028", "https://[::1]:80/%", "sha1", "", "", "\r\n")
	f.Fuzz(func(t *testing.T, id, name, user, address, digestType, digest, key, value string) {
		file := goodFile()
		file.ID, file.Name, file.CreatorID = id, name, user
		download := preview.Download{URL: address, Digest: preview.Digest{Type: preview.DigestType(digestType), Hex: digest}, Header: map[string]string{key: value}}
		b := &backend{file: answering(file), download: answering(download), permission: answering(preview.Permission{UserID: user, Read: true})}
		cfg, _ := all(b)
		h := newHandler(t, cfg)
		for _, path := range []string{"files/f1", "files/f1/download", "files/f1/permission"} {
			w := get(t, h, path)
			if !utf8.Valid(w.Body.Bytes()) || w.Code != 200 && w.Code != 500 {
				t.Errorf("%s = %d %q", path, w.Code, w.Body)
			}
		}
	})
}
