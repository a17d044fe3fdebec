package converttest_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

// rawQuery does not expect JSON.
func rawQuery(t *testing.T, s http.Handler, id string) (status int, body string) {
	t.Helper()
	rec := httptest.NewRecorder()
	s.ServeHTTP(rec, signed(t, signingtest.Credentials(), http.MethodGet, tasks+id, ""))
	return rec.Code, rec.Body.String()
}

// TestResultsExpire is protocol 8: half an hour from the answer that reported it.
func TestResultsExpire(t *testing.T) {
	t.Parallel()
	now := at
	s := newServer(t, &converttest.Options{Now: func() time.Time { return now }})
	id := submit(t, s, toText, document)
	first := query(t, s, id).Result.Texts[0].URL
	now = at.Add(10 * time.Minute)
	second := query(t, s, id).Result.Texts[0].URL
	if first == second {
		t.Errorf("two queries gave the same address %s", first)
	}
	for _, tt := range []struct {
		after         time.Duration
		first, second int
	}{
		{convert.URLLifetime - 1, http.StatusOK, http.StatusOK},
		{convert.URLLifetime, http.StatusForbidden, http.StatusOK},
		{convert.URLLifetime + 10*time.Minute - 1, http.StatusForbidden, http.StatusOK},
		{convert.URLLifetime + 10*time.Minute, http.StatusForbidden, http.StatusForbidden},
	} {
		now = at.Add(tt.after)
		if got, body := get(t, s, first); got != tt.first {
			t.Errorf("first address after %v = %d %s, want %d", tt.after, got, body, tt.first)
		}
		if got, body := get(t, s, second); got != tt.second {
			t.Errorf("second address after %v = %d %s, want %d", tt.after, got, body, tt.second)
		}
	}
	now = at.Add(14 * time.Minute) // so that the next query is signed in time
	if got, _ := get(t, s, query(t, s, id).Result.Texts[0].URL); got != http.StatusOK {
		t.Errorf("address of a new query = %d, want 200", got)
	}
}

func TestURLLifetimeIsASetting(t *testing.T) {
	t.Parallel()
	now := at
	s := newServer(t, &converttest.Options{Now: func() time.Time { return now }, URLLifetime: time.Millisecond})
	address := query(t, s, submit(t, s, toText, document)).Result.Texts[0].URL
	if got, _ := get(t, s, address); got != http.StatusOK {
		t.Errorf("at once = %d, want 200", got)
	}
	now = now.Add(time.Millisecond)
	if got, body := get(t, s, address); got != http.StatusForbidden || !strings.Contains(body, "expired") {
		t.Errorf("after its lifetime = %d %s, want 403 and that it expired", got, body)
	}
}

func TestOnlyTheAddressGivesAccess(t *testing.T) {
	t.Parallel()
	s := newServer(t, &converttest.Options{Now: fixed, Converter: converttest.Script{converttest.Success([]byte("a"), []byte("b"))}})
	files := query(t, s, submit(t, s, toText, document)).Result.Texts
	other := query(t, s, submit(t, s, toText, document)).Result.Texts
	u, err := url.Parse(files[0].URL)
	if err != nil {
		t.Fatal(err)
	}
	bare := "http://convert.test" + u.Path
	for name, address := range map[string]string{
		"no query":           bare,
		"no token":           bare + "?Expires=" + u.Query().Get("Expires"),
		"a guess":            bare + "?Signature=" + strings.Repeat("A", 26),
		"another file":       strings.Replace(files[0].URL, "/1.txt", "/2.txt", 1),
		"another name":       strings.Replace(files[0].URL, "/1.txt", "/01.txt", 1),
		"token of a task":    bare + "?" + other[0].URL[strings.Index(other[0].URL, "?")+1:],
		"a task that is not": strings.Replace(files[0].URL, "task-000001", "task-000009", 1),
	} {
		if got, body := get(t, s, address); got != http.StatusForbidden {
			t.Errorf("%s: %d %s, want 403", name, got, body)
		}
	}
}

// TestSignedDownloadIsRefused: a client that signs it shows its signature to a
// host which it was not made for.
func TestSignedDownloadIsRefused(t *testing.T) {
	t.Parallel()
	s := newServer(t, &converttest.Options{Now: fixed})
	address := query(t, s, submit(t, s, toText, document)).Result.Texts[0].URL
	rec := httptest.NewRecorder()
	s.ServeHTTP(rec, signed(t, signingtest.Credentials(), http.MethodGet, address, ""))
	if rec.Code != http.StatusBadRequest {
		t.Errorf("signed download = %d %s, want 400", rec.Code, rec.Body)
	}
}

func TestDownloadInParts(t *testing.T) {
	t.Parallel()
	s := newServer(t, &converttest.Options{Now: fixed})
	req := httptest.NewRequest(http.MethodGet, query(t, s, submit(t, s, toPDF, document)).Result.PDFs[0].URL, nil)
	req.Header.Set("Range", "bytes=3-5")
	rec := httptest.NewRecorder()
	s.ServeHTTP(rec, req)
	if rec.Code != http.StatusPartialContent || rec.Body.String() != "ver" || rec.Header().Get("Content-Type") != "application/pdf" {
		t.Errorf("bytes 3-5 = %d %q %v, want 206, ver, application/pdf", rec.Code, rec.Body, rec.Header())
	}
}

func TestPublicURL(t *testing.T) {
	t.Parallel()
	s := newServer(t, &converttest.Options{Now: fixed, PublicURL: "https://results.example/files/"})
	got := query(t, s, submit(t, s, toText, document)).Result.Texts[0].URL
	if want := "https://results.example/files" + converttest.PathPrefix + "results/"; !strings.HasPrefix(got, want) {
		t.Errorf("url = %s, want it below %s", got, want)
	}
	if status, _ := get(t, s, got); status != http.StatusOK {
		t.Errorf("download = %d, want 200", status)
	}
}

func TestResultsOverTLS(t *testing.T) {
	t.Parallel()
	s := newServer(t, &converttest.Options{Now: fixed})
	id := submit(t, s, toText, document)
	r := send(t, s, signingtest.Credentials(), http.MethodGet, "https://office.example"+tasks+id, "")
	if !strings.Contains(r.Raw, `"https://office.example/api/developer/v1/results/`) {
		t.Errorf("query = %s, want a result at the same scheme and host", r.Raw)
	}
}

// TestFilesOfTheLastSuccess: a task whose files change serves the newest.
func TestFilesOfTheLastSuccess(t *testing.T) {
	t.Parallel()
	s := newServer(t, &converttest.Options{Now: fixed, Converter: converttest.Script{
		converttest.Success([]byte("old"), []byte("old too")), converttest.Success([]byte("new")),
	}})
	id := submit(t, s, toText, document)
	old := query(t, s, id).Result.Texts
	query(t, s, id)
	if status, body := get(t, s, old[0].URL); status != http.StatusOK || body != "new" {
		t.Errorf("first file = %d %q, want the newest", status, body)
	}
	if status, _ := get(t, s, old[1].URL); status != http.StatusNotFound {
		t.Errorf("second file = %d, want 404: there is none now", status)
	}
}

func TestElapsedEndsWithTheTask(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := converttest.NewServer(nil)
		created := serve(t, s, signingtest.NewRequest(t, signingtest.Credentials(), http.MethodPost, toText, []byte(document)))
		if created.Code != 0 {
			t.Fatal(created.Raw)
		}
		for range 2 {
			time.Sleep(397 * time.Millisecond)
			r := serve(t, s, signingtest.NewRequest(t, signingtest.Credentials(), http.MethodGet, tasks+s.Submissions()[0].Task.ID, nil))
			if !strings.Contains(r.Raw, `"elapsed":397,`) { // milliseconds (public reference 1.1)
				t.Errorf("query = %s, want elapsed 397", r.Raw)
			}
		}
	})
}
