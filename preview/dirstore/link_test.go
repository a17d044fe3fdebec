package dirstore_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/preview/dirstore"
	"github.com/weboffice-go/weboffice/signing"
)

// TestLinkExpires to the second, in the time of Config.Now.
func TestLinkExpires(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name      string
		life      time.Duration
		fraction  time.Duration
		last, end time.Duration // from when the link was made
	}{
		{"default", 0, 0, dirstore.DefaultLinkLife - 1, dirstore.DefaultLinkLife},
		{"ten seconds", 10 * time.Second, 0, 10*time.Second - 1, 10 * time.Second},
		{"rounded up", 10 * time.Second, 400 * time.Millisecond, 10 * time.Second, 10*time.Second + 600*time.Millisecond},
		{"a moment", time.Millisecond, 0, time.Second - 1, time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := newFolder(t, map[string]string{"a.docx": "one"})
			cfg := f.config()
			cfg.LinkLife = tc.life
			f.open(t, cfg)
			f.now.advance(tc.fraction)
			link := f.download(t, "a.docx").URL
			f.now.advance(tc.last)
			if got := f.get(t, link); got.status != http.StatusOK || got.body != "one" {
				t.Errorf("after %v: HTTP %d", tc.last, got.status)
			}
			f.now.advance(tc.end - tc.last)
			if got := f.get(t, link); got.status != http.StatusForbidden || strings.Contains(got.body, "one") {
				t.Errorf("after %v: HTTP %d", tc.end, got.status)
			}
			if got := f.get(t, f.download(t, "a.docx").URL); got.status != http.StatusOK {
				t.Errorf("a new link: HTTP %d", got.status)
			}
		})
	}
}

// TestLinkForged changes every part of a link.
func TestLinkForged(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a.docx": "one", "b.docx": "one"})
	link, err := url.Parse(f.download(t, "a.docx").URL)
	if err != nil {
		t.Fatal(err)
	}
	other, err := url.Parse(f.download(t, "b.docx").URL)
	if err != nil {
		t.Fatal(err)
	}
	with := func(change func(q url.Values)) string {
		q := link.Query()
		change(q)
		return q.Encode()
	}
	for name, query := range map[string]string{
		"nothing":           "",
		"no signature":      with(func(q url.Values) { q.Del("signature") }),
		"empty signature":   with(func(q url.Values) { q.Set("signature", "") }),
		"another signature": with(func(q url.Values) { q.Set("signature", other.Query().Get("signature")) }),
		"padded signature":  with(func(q url.Values) { q.Set("signature", q.Get("signature")+"=") }),
		"another file":      with(func(q url.Values) { q.Set("file", other.Query().Get("file")) }),
		"another version":   with(func(q url.Values) { q.Set("version", "2") }),
		"version with zero": with(func(q url.Values) { q.Set("version", "01") }),
		"later":             with(func(q url.Values) { q.Set("expires", q.Get("expires")+"0") }),
		"plus":              with(func(q url.Values) { q.Set("expires", "+"+q.Get("expires")) }),
		"two files":         with(func(q url.Values) { q.Add("file", q.Get("file")) }),
		"two signatures":    with(func(q url.Values) { q.Add("signature", "x") }),
		"bad escape":        link.RawQuery + "&x=%zz",
		"semicolon":         strings.ReplaceAll(link.RawQuery, "&", ";"),
	} {
		if got := f.get(t, "/files?"+query); got.status != http.StatusForbidden || strings.Contains(got.body, "one") {
			t.Errorf("%s: HTTP %d %q", name, got.status, got.body)
		}
	}
	if got := f.get(t, "/elsewhere/below?"+link.RawQuery); got.status != http.StatusOK {
		t.Errorf("the right query at another path: HTTP %d", got.status)
	}
	cfg := f.config()
	cfg.LinkKey = signing.NewSecret("another key that is long")
	f.open(t, cfg)
	if got := f.get(t, link.String()); got.status != http.StatusForbidden {
		t.Errorf("the link of another key: HTTP %d", got.status)
	}
}

// TestLinkAddress keeps PublicURL, and no secret is printed.
func TestLinkAddress(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a.docx": "one"})
	d := f.download(t, "a.docx")
	if !strings.HasPrefix(d.URL, "https://office.example/files?") {
		t.Errorf("URL = %q", d.URL)
	}
	u, err := url.Parse(d.URL)
	if err != nil {
		t.Fatal(err)
	}
	signature := u.Query().Get("signature")
	for _, text := range []string{fmt.Sprintf("%+v", d), fmt.Sprintf("%+v", f.Store), fmt.Sprintf("%#v", *f.Store)} {
		if strings.Contains(text, signature) || strings.Contains(text, "CANARY") {
			t.Errorf("printed: %s", text)
		}
	}
}

// TestLinkEscapes a path of PublicURL that was entered as it is read.
func TestLinkEscapes(t *testing.T) {
	t.Parallel()
	for public, want := range map[string]string{
		"https://office.example/中 文/":       "https://office.example/%E4%B8%AD%20%E6%96%87/?",
		"https://office.example/a%2Fb/%20":  "https://office.example/a%2Fb/%20?",
		"HTTP://office.example:8080":        "http://office.example:8080?",
		"https://office.example/\"<>/files": "https://office.example/%22%3C%3E/files?",
	} {
		f := newFolder(t, map[string]string{"a.docx": "one"})
		cfg := f.config()
		cfg.PublicURL = public
		f.open(t, cfg)
		if got := f.download(t, "a.docx").URL; !strings.HasPrefix(got, want) {
			t.Errorf("PublicURL %q: URL = %q, want %q", public, got, want)
		}
	}
}

// FuzzLink never serves a query that was not signed, and never panics.
func FuzzLink(f *testing.F) {
	docs := newFolder(f, map[string]string{"a.docx": "one"})
	u, err := url.Parse(docs.download(f, "a.docx").URL)
	if err != nil {
		f.Fatal(err)
	}
	right := u.Query()
	for _, query := range []string{u.RawQuery, "", "file=&version=&expires=&signature=", strings.ToUpper(u.RawQuery), u.RawQuery + "&file=x", "%", ";"} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		r := &http.Request{Method: http.MethodGet, URL: &url.URL{Path: "/", RawQuery: query}, Header: http.Header{}}
		w := &status{header: http.Header{}}
		docs.ServeHTTP(w, r.WithContext(t.Context()))
		got, _ := url.ParseQuery(query)
		same := true
		for name := range right {
			same = same && len(got[name]) == 1 && got.Get(name) == right.Get(name)
		}
		if (w.code == http.StatusOK) != same && w.code != http.StatusForbidden {
			t.Errorf("query %q: HTTP %d", query, w.code)
		}
		if w.code == http.StatusOK && !same {
			t.Errorf("query %q is served", query)
		}
	})
}

type status struct {
	header http.Header
	code   int
}

func (s *status) Header() http.Header { return s.header }

func (s *status) WriteHeader(code int) { s.code = code }

func (s *status) Write(b []byte) (int, error) { return len(b), nil }
