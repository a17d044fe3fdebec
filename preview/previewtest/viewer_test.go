package previewtest_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

// TestViewerOpen opens a document, in the order of public reference 3.3.
func TestViewerOpen(t *testing.T) {
	t.Parallel()
	o := newOffice()
	h, err := preview.NewHandler(o.config())
	if err != nil {
		t.Fatal(err)
	}
	var calls []string
	recorded := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls = append(calls, r.Method+" "+r.URL.Path)
		h.ServeHTTP(w, r)
	})
	v, err := previewtest.NewViewer(previewtest.ViewerConfig{
		Handler: recorded, WebOfficeToken: signing.NewSecret("ann"), HTTPClient: previewtest.HTTPClient(o),
	})
	if err != nil {
		t.Fatal(err)
	}
	var content strings.Builder
	f, err := v.Open(t.Context(), "plan", &content)
	if err != nil {
		t.Fatal(err)
	}
	want := preview.File{
		ID: "plan", Name: "Plan.docx", Version: 2, Size: 13, CreatedAt: firstSave, ModifiedAt: firstSave.Add(2 * time.Hour),
		CreatorID: "ann", ModifierID: "bob",
	}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Errorf("Open (-want +got):\n%s", diff)
	}
	if content.String() != "a better plan" {
		t.Errorf("Open wrote %q", content.String())
	}
	if diff := cmp.Diff([]string{
		"GET /v3/3rd/users", "GET /v3/3rd/files/plan/permission", "GET /v3/3rd/files/plan", "GET /v3/3rd/files/plan/download", "GET /v3/3rd/users",
	}, calls); diff != "" {
		t.Errorf("callbacks (-want +got):\n%s", diff)
	}
	if _, err := v.As(signing.NewSecret("eve")).Open(t.Context(), "plan", nil); !errors.Is(err, preview.ErrForbidden) {
		t.Errorf("Open as eve = %v, want ErrForbidden", err)
	}
	if _, err := v.As(signing.NewSecret("nobody")).Open(t.Context(), "plan", nil); !errors.Is(err, preview.ErrUnauthorized) {
		t.Errorf("Open as nobody = %v, want ErrUnauthorized", err)
	}
	if _, err := v.Open(t.Context(), "nothing", nil); !errors.Is(err, preview.ErrNotFound) {
		t.Errorf("Open of nothing = %v, want ErrNotFound", err)
	}
}

// TestViewerOpenReports finds what is wrong behind the download address.
func TestViewerOpenReports(t *testing.T) {
	t.Parallel()
	right := script{
		"files/f1":            rightFile(),
		"files/f1/download":   `{"code":0,"data":{"url":"http://files.example/f1?signature=CANARY","digest_type":"md5","digest":"4b3a6218bb3e3a7303e8a171a60fcf92"}}`,
		"files/f1/permission": `{"code":0,"data":{"user_id":"ann","read":1,"update":1}}`,
		"users":               `{"code":0,"data":[{"id":"ann","name":"Ann"}]}`,
	}
	for _, tc := range []struct {
		name   string
		change script
		bytes  string
		want   []string
	}{
		{"right", nil, "bytes", nil},
		{"size", nil, "byte", []string{previewtest.RuleFetchSize, previewtest.RuleFetchDigest}},
		{"digest", nil, "BYTES", []string{previewtest.RuleFetchDigest}},
		{"nothing there", nil, "", []string{previewtest.RuleFetch}},
		{"goes on", script{
			"files/f1":            rightFile(`"version":3`, `"version":0`, `"size":5`, `"size":6`),
			"files/f1/permission": `{"code":0,"data":{"user_id":"ann","read":true}}`,
		}, "bytes", []string{previewtest.RuleFetchSize, previewtest.RuleVersion, previewtest.RuleFlags}},
		{"unknown user", script{"users": `{"code":0,"data":[]}`}, "bytes", []string{previewtest.RuleUserKnown}},
		{"wrapped users", script{"users": `{"code":0,"data":{"users":[]}}`}, "bytes", []string{previewtest.RuleUsersList}},
		{"no users, in memory", script{"users": `{"code":40004,"message":"not served"}`}, "bytes", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			answers := script{}
			for _, some := range []script{right, tc.change} {
				maps.Copy(answers, some)
			}
			files := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if tc.bytes == "" {
					http.NotFound(w, r)
				}
				_, _ = io.WriteString(w, tc.bytes)
			})
			v, err := previewtest.NewViewer(previewtest.ViewerConfig{Handler: answers, HTTPClient: previewtest.HTTPClient(files)})
			if err != nil {
				t.Fatal(err)
			}
			_, err = v.Open(t.Context(), "f1", io.Discard)
			want := map[string]bool{}
			for _, rule := range tc.want {
				want[rule] = true
			}
			got := map[string]bool{}
			for _, rule := range rulesIn(err) {
				got[rule] = true
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("broken rules (-want +got):\n%s\n%v", diff, err)
			}
			if strings.Contains(fmt.Sprintf("%v %+v", err, err), "CANARY") {
				t.Errorf("err = %v, and holds the query of an address", err)
			}
		})
	}
}

// TestViewerUsersOverNetwork wants the users callback where update needs it.
func TestViewerUsersOverNetwork(t *testing.T) {
	t.Parallel()
	files := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "bytes") }))
	t.Cleanup(files.Close)
	answers := script{
		"files/f1":            rightFile(),
		"files/f1/download":   `{"code":0,"data":{"url":"` + files.URL + `"}}`,
		"files/f1/permission": `{"code":0,"data":{"user_id":"ann","read":1,"update":1}}`,
	}
	server := httptest.NewServer(answers)
	t.Cleanup(server.Close)
	v, err := previewtest.NewViewer(previewtest.ViewerConfig{BaseURL: server.URL + "/"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = v.Open(t.Context(), "f1", nil)
	if !errors.Is(err, preview.ErrNotFound) || !slices.Contains(rulesIn(err), previewtest.RuleUserKnown) {
		t.Errorf("Open = %v, want RuleUserKnown and the refusal of the users callback", err)
	}
	answers["files/f1/permission"] = `{"code":0,"data":{"user_id":"ann","read":1}}`
	if _, err := v.Open(t.Context(), "f1", nil); err != nil {
		t.Errorf("Open without update = %v", err)
	}
}

// TestViewerSigns is verified behind a proxy that strips a prefix (public reference 3.1).
func TestViewerSigns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		verifier, err := signing.NewVerifier(signing.VerifierConfig{
			Credentials: []signing.Credentials{signingtest.Credentials()}, PublicPrefix: "/office",
		})
		if err != nil {
			t.Fatal(err)
		}
		o := newOffice()
		cfg := o.config()
		cfg.Auth = verifier.VerifyRequest
		cfg.Logger = slog.New(slog.DiscardHandler)
		var got *http.Request
		h, err := preview.NewHandler(cfg)
		if err != nil {
			t.Fatal(err)
		}
		vcfg := previewtest.ViewerConfig{
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				got = r
				h.ServeHTTP(w, r)
			}),
			ProxyStrips: "/office/", Credentials: signingtest.Credentials(), HTTPClient: previewtest.HTTPClient(o),
			WebOfficeToken: signing.NewSecret("ann"), UserQuery: url.Values{"theme": {"dark side"}},
		}
		v, err := previewtest.NewViewer(vcfg)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v.Open(t.Context(), "plan", nil); err != nil {
			t.Error(err)
		}
		if _, err := v.Save(t.Context(), "plan", "Plan.docx", []byte("the best plan")); err != nil {
			t.Error(err)
		}
		if _, err := v.Users(t.Context(), "ann", "b&b"); err != nil {
			t.Error(err)
		}
		if got.RequestURI != "/v3/3rd/users?user_ids=ann&user_ids=b%26b" || got.URL.Path != "/v3/3rd/users" {
			t.Errorf("behind the proxy: %q, %q", got.RequestURI, got.URL.Path)
		}
		want := map[string]string{
			"Content-Type": "", "X-App-Id": "test-app", "X-Weboffice-Token": "ann", "X-User-Query": "theme=dark+side",
			"Content-Md5": signing.ContentMD5([]byte("/office/v3/3rd/users?user_ids=ann&user_ids=b%26b")),
		}
		for name, value := range want {
			if got.Header.Get(name) != value {
				t.Errorf("%s is %q, want %q", name, got.Header.Get(name), value)
			}
		}
		if got.Header.Get("X-Request-Id") == "" {
			t.Error("there is no X-Request-Id")
		}
		vcfg.Now = func() time.Time { return time.Now().Add(-time.Hour) }
		late, err := previewtest.NewViewer(vcfg)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := late.File(t.Context(), "plan"); !errors.Is(err, preview.ErrUnauthorized) {
			t.Errorf("an hour late = %v, want ErrUnauthorized", err)
		}
	})
}

// TestViewerDo sends targets as they are, and follows no redirect.
func TestViewerDo(t *testing.T) {
	t.Parallel()
	var got []string
	v := viewerOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, r.Method+" "+r.RequestURI+" "+r.Header.Get("Content-Type")+" "+string(body))
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	}))
	for _, target := range []string{"/v3/3rd/files/..%2F..%2Fetc", "/v3/3rd//files/a:b?x=1&x=%20"} {
		res, err := v.Do(t.Context(), http.MethodDelete, target, nil)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusTemporaryRedirect {
			t.Errorf("Do = HTTP %d", res.StatusCode)
		}
	}
	res, err := v.Do(t.Context(), http.MethodPost, "/v3/3rd/notify", []byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	want := []string{"DELETE /v3/3rd/files/..%2F..%2Fetc  ", "DELETE /v3/3rd//files/a:b?x=1&x=%20  ", "POST /v3/3rd/notify application/json {}"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// TestViewerDoTarget keeps signature and token at the gateway.
func TestViewerDoTarget(t *testing.T) {
	t.Parallel()
	v := viewerOf(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s was called", r.URL) }))
	for _, target := range []string{"@other.example/x", ".other.example/x", ":1/x", "", "?q", "v3/3rd/users"} {
		res, err := v.Do(t.Context(), http.MethodGet, target, nil)
		if err == nil {
			res.Body.Close()
			t.Errorf("Do(%q) has no error", target)
		}
	}
}

// TestViewerErrors names neither the token nor the query of an address.
func TestViewerErrors(t *testing.T) {
	t.Parallel()
	down := httptest.NewServer(http.NotFoundHandler())
	down.Close()
	v, err := previewtest.NewViewer(previewtest.ViewerConfig{
		BaseURL: down.URL, WebOfficeToken: signing.NewSecret("CANARY-token"), UserQuery: url.Values{"k": {"CANARY-query"}},
		Credentials: signing.App("app", signing.NewSecret("CANARY-key")),
	})
	if err != nil {
		t.Fatal(err)
	}
	_, refused := v.Users(t.Context(), "CANARY-id")
	echo := viewerOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"code":40002,"message":"bad token %s","data":{"url":"https://a.example/?s=CANARY"}}`, r.Header.Get("X-WebOffice-Token"))
	})).As(signing.NewSecret("CANARY-token"))
	_, echoed := echo.File(t.Context(), "f1")
	var kept *previewtest.AnswerError
	if !errors.As(echoed, &kept) || !bytes.Contains(kept.Body, []byte("40002")) {
		t.Fatalf("err = %v, want an AnswerError with the body", echoed)
	}
	for name, text := range map[string]string{
		"refused": fmt.Sprintf("%v %+v", refused, refused), "echoed": echoed.Error(), "body": string(kept.Body), "viewer": fmt.Sprintf("%v %+v %#v", v, v, *v),
	} {
		if text == "" || strings.Contains(text, "CANARY") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestViewerShowsWords that are also the token of a test.
func TestViewerShowsWords(t *testing.T) {
	t.Parallel()
	v := viewerOf(t, script{"files/f1": `{"code":40002,"message":"nobody is signed in"}`}).As(signing.NewSecret("nobody"))
	if _, err := v.File(t.Context(), "f1"); err == nil || !strings.Contains(err.Error(), "nobody is signed in") {
		t.Errorf("File = %v, want the message", err)
	}
}

// TestViewerFileID may have 47 characters (protocol 8).
func TestViewerFileID(t *testing.T) {
	t.Parallel()
	for n, want := range map[int][]string{47: nil, 48: {previewtest.RuleFileIDLength}} {
		id := strings.Repeat("a", n)
		_, err := viewerOf(t, script{"files/" + id: rightFile(`"f1"`, `"`+id+`"`)}).File(t.Context(), id)
		if diff := cmp.Diff(want, rulesIn(err)); diff != "" {
			t.Errorf("%d characters: broken rules (-want +got):\n%s", n, diff)
		}
	}
}

// TestNewViewer reports every problem at once.
func TestNewViewer(t *testing.T) {
	t.Parallel()
	h := http.NotFoundHandler()
	robot := signing.Robot(signing.NewSecret("key"), signing.NewSecret("secret"))
	for _, tc := range []struct {
		name string
		cfg  previewtest.ViewerConfig
		want []string
	}{
		{"nothing", previewtest.ViewerConfig{}, []string{"either BaseURL or Handler"}},
		{"relative", previewtest.ViewerConfig{BaseURL: "/office"}, []string{"absolute"}},
		{"query", previewtest.ViewerConfig{BaseURL: "https://a.example?x=1"}, []string{"no query"}},
		{"with the suffix", previewtest.ViewerConfig{BaseURL: "https://a.example/office/v3/3rd/"}, []string{"without /v3/3rd/"}},
		{"with the suffix, no slash", previewtest.ViewerConfig{BaseURL: "https://a.example/v3/3rd"}, []string{"without /v3/3rd/"}},
		{"strips nothing", previewtest.ViewerConfig{BaseURL: "https://a.example/office", ProxyStrips: "/office"}, []string{"without Handler"}},
		{"strips another path", previewtest.ViewerConfig{Handler: h, BaseURL: "https://a.example/office", ProxyStrips: "/off"}, []string{"ProxyStrips is not where"}},
		{"three", previewtest.ViewerConfig{ProxyStrips: "office/", Credentials: robot}, []string{"without Handler", "starts with", "either BaseURL", "robots"}},
		{"bad key", previewtest.ViewerConfig{Handler: h, Credentials: signing.App("", signing.NewSecret("k"))}, []string{"app id is empty"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			v, err := previewtest.NewViewer(tc.cfg)
			if err == nil || v != nil {
				t.Fatalf("NewViewer = %v, %v", v, err)
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("NewViewer = %v, want %q in it", err, want)
				}
			}
		})
	}
}
