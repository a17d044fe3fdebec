package converttest_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

// resign signs req anew, now, with another Content-Type.
func resign(t *testing.T, req *http.Request, contentType, body string) {
	t.Helper()
	signer, err := signing.NewSigner(signingtest.Credentials())
	if err != nil {
		t.Fatal(err)
	}
	req.Header["Content-Type"] = []string{contentType}
	req.Header.Del("Authorization")
	req.Header.Del("Content-Md5")
	signer.Sign(req.Header, []byte(body), time.Now())
}

func TestSignatures(t *testing.T) {
	t.Parallel()
	other := signing.App("test-app", signing.NewSecret("another key"))
	for name, tt := range map[string]struct {
		spoil func(*http.Request)
		by    signing.Credentials
		want  string
	}{
		"unsigned":       {func(r *http.Request) { r.Header = http.Header{} }, signingtest.Credentials(), "not a valid datetime"},
		"no signature":   {func(r *http.Request) { r.Header.Del("Authorization") }, signingtest.Credentials(), "shape"},
		"another key":    {func(*http.Request) {}, other, "signature failure"},
		"another app":    {func(*http.Request) {}, signing.App("nobody", signing.NewSecret("k")), "signature failure"},
		"another scheme": {func(*http.Request) {}, signing.AppWithScheme("WPS-2", "test-app", signing.NewSecret("test-app-key")), "compare scheme"},
		"another body":   {func(r *http.Request) { r.Header.Set("Content-Md5", strings.Repeat("0", 32)) }, signingtest.Credentials(), "digest"},
		"another date":   {func(r *http.Request) { r.Header.Set("Date", signing.FormatDate(at.Add(time.Minute))) }, signingtest.Credentials(), "signature failure"},
		"an old date":    {func(r *http.Request) { r.Header.Set("Date", signing.FormatDate(at.Add(-16*time.Minute))) }, signingtest.Credentials(), "skewed"},
	} {
		for _, method := range []string{http.MethodPost, http.MethodGet} {
			t.Run(name+" "+method, func(t *testing.T) {
				t.Parallel()
				s := newServer(t, &converttest.Options{Now: fixed})
				id := submit(t, s, toText, document)
				req := signed(t, tt.by, http.MethodPost, toText, document)
				if method == http.MethodGet {
					req = signed(t, tt.by, method, tasks+id, "")
				}
				tt.spoil(req)
				r := serve(t, s, req)
				if r.Status != http.StatusUnauthorized || r.Code != convert.CodeInvalidSignature || !strings.Contains(r.Message, tt.want) {
					t.Errorf("answer = %d %s, want 401, code 30003 and %q", r.Status, r.Raw, tt.want)
				}
				if len(s.Submissions()) != 1 {
					t.Errorf("a request that is not signed was accepted: %v", s.Submissions())
				}
			})
		}
	}
}

// TestQueryWithoutContentType: hand-made GETs have none (public reference 3.1).
func TestQueryWithoutContentType(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	created := serve(t, s, signingtest.NewRequest(t, signingtest.Credentials(), http.MethodPost, toText, []byte(document)))
	if created.Code != 0 {
		t.Fatal(created.Raw)
	}
	r := serve(t, s, signingtest.NewRequest(t, signingtest.Credentials(), http.MethodGet, tasks+s.Submissions()[0].Task.ID, nil))
	if r.Code != 0 {
		t.Errorf("query = %s, want a status", r.Raw)
	}
}

func TestSeveralAppsAndRotation(t *testing.T) {
	t.Parallel()
	old, current := signing.App("a", signing.NewSecret("old")), signing.App("a", signing.NewSecret("new"))
	b := signing.App("b", signing.NewSecret("of b"))
	s := newServer(t, &converttest.Options{Credentials: []signing.Credentials{old, current, b}, Now: fixed})
	for _, c := range []signing.Credentials{old, current, b} {
		if r := send(t, s, c, http.MethodPost, toText, document); r.Code != 0 {
			t.Errorf("submit of %v = %s, want a task", c, r.Raw)
		}
	}
	subs := s.Submissions()
	if r := send(t, s, current, http.MethodGet, tasks+subs[0].Task.ID, ""); r.Code != 0 {
		t.Errorf("query by the same app, other key = %s, want a status", r.Raw)
	}
	if r := send(t, s, b, http.MethodGet, tasks+subs[0].Task.ID, ""); r.Status != http.StatusNotFound || r.Code != convert.CodeFileNotExists {
		t.Errorf("query by another app = %d %s, want 404 and code 30012", r.Status, r.Raw)
	}
}

func TestEndpoints(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		method, target string
		status, code   int
		allow          string
	}{
		"unknown task":       {http.MethodGet, tasks + "open:other", http.StatusNotFound, convert.CodeFileNotExists, ""},
		"no task":            {http.MethodGet, tasks, http.StatusNotFound, convert.CodeNoImpl, ""},
		"root":               {http.MethodGet, "/", http.StatusNotFound, convert.CodeNoImpl, ""},
		"prefix":             {http.MethodGet, converttest.PathPrefix, http.StatusNotFound, convert.CodeNoImpl, ""},
		"other target":       {http.MethodPost, "/api/developer/v1/office/convert/to/png", http.StatusNotFound, convert.CodeNoImpl, ""},
		"other version":      {http.MethodPost, "/api/developer/v2/office/convert/to/pdf", http.StatusNotFound, convert.CodeNoImpl, ""},
		"slash at the end":   {http.MethodPost, toPDF + "/", http.StatusNotFound, convert.CodeNoImpl, ""},
		"case":               {http.MethodPost, strings.ToUpper(toPDF), http.StatusNotFound, convert.CodeNoImpl, ""},
		"submit by GET":      {http.MethodGet, toPDF, http.StatusMethodNotAllowed, convert.CodeNoImpl, "POST"},
		"submit by PUT":      {http.MethodPut, toText, http.StatusMethodNotAllowed, convert.CodeNoImpl, "POST"},
		"query by POST":      {http.MethodPost, tasks + "x", http.StatusMethodNotAllowed, convert.CodeNoImpl, "GET"},
		"download by DELETE": {http.MethodDelete, "/api/developer/v1/results/x/1.txt", http.StatusMethodNotAllowed, convert.CodeNoImpl, "GET, HEAD"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, &converttest.Options{Now: fixed})
			r := send(t, s, signingtest.Credentials(), tt.method, tt.target, "")
			if r.Status != tt.status || r.Code != tt.code || r.Header.Get("Allow") != tt.allow || r.Header.Get("X-Request-Id") == "" {
				t.Errorf("%s %s = %d %s %v, want %d, code %d, Allow %q and an X-Request-Id", tt.method, tt.target, r.Status, r.Raw, r.Header, tt.status, tt.code, tt.allow)
			}
		})
	}
}

// TestPathPrefix: calls are signed over the path that the client sees.
func TestPathPrefix(t *testing.T) {
	t.Parallel()
	s := newServer(t, &converttest.Options{Now: fixed})
	mux := http.NewServeMux()
	mux.Handle("/office/", http.StripPrefix("/office", s))
	mux.Handle("/kept"+converttest.PathPrefix, s)
	mux.Handle(converttest.PathPrefix, s)
	for _, prefix := range []string{"", "/office", "/kept"} {
		id := submit(t, mux, prefix+toText, document)
		r := send(t, mux, signingtest.Credentials(), http.MethodGet, prefix+tasks+id, "")
		if r.Code != 0 || !strings.Contains(r.Raw, "http://example.com"+prefix+converttest.PathPrefix+"results/") {
			t.Errorf("below %q: query = %s, want a result below the same prefix", prefix, r.Raw)
		}
		if r := send(t, mux, signingtest.Credentials(), http.MethodGet, prefix+tasks+strings.ReplaceAll(id, ":", "%3A"), ""); r.Code != 0 {
			t.Errorf("below %q, id escaped: query = %s, want a status", prefix, r.Raw)
		}
	}
}

// TestCallsPerSecond is public reference 1.2: any second, each app on its own,
// queries included.
func TestCallsPerSecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, b := signing.App("a", signing.NewSecret("of a")), signing.App("b", signing.NewSecret("of b"))
		s := converttest.NewServer(&converttest.Options{Credentials: []signing.Credentials{a, b}, CallsPerSecond: 2})
		ask := func(c signing.Credentials) int {
			return serve(t, s, signingtest.NewRequest(t, c, http.MethodGet, tasks+"x", nil)).Code
		}
		for i, tt := range []struct {
			after time.Duration
			by    signing.Credentials
			want  int
		}{
			{0, a, convert.CodeFileNotExists},
			{600 * time.Millisecond, a, convert.CodeFileNotExists},
			{0, a, convert.CodeRateLimiter},
			{0, b, convert.CodeFileNotExists},
			{399 * time.Millisecond, a, convert.CodeRateLimiter},
			{time.Millisecond, a, convert.CodeFileNotExists}, // the first is a second old
			{0, a, convert.CodeRateLimiter},
			{600 * time.Millisecond, a, convert.CodeFileNotExists},
		} {
			time.Sleep(tt.after)
			if got := ask(tt.by); got != tt.want {
				t.Errorf("call %d: code %d, want %d", i, got, tt.want)
			}
		}
	})
}

func TestRateLimitAnswer(t *testing.T) {
	t.Parallel()
	s := newServer(t, &converttest.Options{CallsPerSecond: 1, Now: fixed})
	submit(t, s, toText, document)
	if r := send(t, s, signingtest.Credentials(), http.MethodPost, toText, document); r.Status != http.StatusOK || r.Code != convert.CodeRateLimiter || r.Message != "RateLimiter" {
		t.Errorf("over the limit: %d %s, want 200, code 30002, RateLimiter", r.Status, r.Raw)
	}
	id := s.Submissions()[0].Task.ID
	for range 3 { // a download counts for no app
		if status, body := get(t, s, "http://convert.test/api/developer/v1/results/"+id+"/1.txt"); status != http.StatusForbidden {
			t.Errorf("a download without a signature = %d %s, want 403", status, body)
		}
	}
	own := newServer(t, &converttest.Options{CallsPerSecond: 1, Now: fixed, RateLimit: func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = w.Write([]byte(`{"code":1}`))
	}})
	submit(t, own, toText, document)
	if r := send(t, own, signingtest.Credentials(), http.MethodPost, toText, document); r.Status != http.StatusTooManyRequests || r.Code != 1 {
		t.Errorf("over the limit, own RateLimit: %d %s, want 429, code 1", r.Status, r.Raw)
	}
	if len(own.Submissions()) != 1 {
		t.Errorf("%d submissions, want 1: what is over the limit is not accepted", len(own.Submissions()))
	}
}

func TestLoggerSaysWhy(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := newServer(t, &converttest.Options{Now: fixed, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	send(t, s, signingtest.Credentials(), http.MethodPost, toText, with(`"password":"CANARY","from_page":0`))
	if !strings.Contains(log.String(), "from_page") || strings.Contains(log.String(), "CANARY") {
		t.Errorf("log = %q, want the broken rule and not the password", &log)
	}
}
