package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/weboffice-go/weboffice/examples/internal/cli"
	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
)

const (
	appID  = "SX2024"
	appKey = "CANARY-app-key"
)

// testFolder makes a folder with two documents and what is none.
func testFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"plan.docx": "the plan\n", "2026/計劃.xlsx": "numbers", ".hidden": "no document", "build.sh": "no document"} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// env makes a getenv of pairs.
func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestView(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args   []string
		getenv func(string) string
	}{
		"made-up app":    {nil, env()},
		"the app":        {nil, env("WEBOFFICE_APP_ID", appID, "WEBOFFICE_APP_KEY", appKey)},
		"another scheme": {[]string{"-scheme", "OTHER-1"}, env()},
		"unsigned":       {[]string{"-unsigned"}, env()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			dir := testFolder(t)
			if err := run(t.Context(), append(c.args, "-dir", dir, "-view"), c.getenv, &out); err != nil {
				t.Fatalf("run = %v\n%s", err, &out)
			}
			if left, err := filepath.Glob(filepath.Join(dir, ".weboffice-*")); err != nil || len(left) > 0 {
				t.Errorf("a look leaves %q behind, %v", left, err)
			}
			for _, want := range []string{
				`plan.docx: opens as "plan.docx", version 1, 9 bytes`, `2026/計劃.xlsx: opens as "計劃.xlsx", version 1, 7 bytes`,
				"All 2 documents open.", "/permission user=guest-", "GET /files user=- status=200 code=-",
			} {
				if !strings.Contains(out.String(), want) {
					t.Errorf("the output lacks %q:\n%s", want, &out)
				}
			}
			if strings.Contains(out.String(), "build.sh") {
				t.Errorf("a script is a document:\n%s", &out)
			}
			noSecrets(t, out.String())
		})
	}
}

// TestSession edits a copy, so that the folder stays as it is.
func TestSession(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	dir := testFolder(t)
	if err := run(t.Context(), []string{"-dir", dir, "-view", "-edit"}, env(), &out); err != nil {
		t.Fatalf("run = %v\n%s", err, &out)
	}
	for _, want := range []string{
		"* Ann opens 計劃.xlsx: version 1, 7 bytes.\n", "* Ann saves: version 2, 21 bytes.\n", "* Bob saves: version 3, ",
		"* Bob renames it: 計劃 of Bob.xlsx.", "version 4       7 bytes", "by Ann\n", "by Bob\n", "by owner\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output lacks %q:\n%s", want, &out)
		}
	}
	noSecrets(t, out.String())
	if left, err := filepath.Glob(filepath.Join(dir, ".weboffice-*")); err != nil || len(left) > 0 {
		t.Errorf("the session leaves %q behind, %v", left, err)
	}
}

// TestEnvironment gives every flag a variable of the same name, which -h names once.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-h"}, env(), &out); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("run -h = %v", err)
	}
	for _, name := range []string{"DIR", "STATE", "ADDR", "PUBLIC", "PROXY_STRIPS", "SCHEME", "UNSIGNED", "VIEW", "EDIT", "S3", "S3_ENDPOINT", "S3_REGION", "S3_PREFIX", "S3_CREATE_ONLY"} {
		if strings.Count(out.String(), "[WEBOFFICE_"+name+"]") != 1 {
			t.Errorf("-h does not name WEBOFFICE_%s once:\n%s", name, &out)
		}
	}
	dir := testFolder(t)
	out.Reset()
	if err := run(t.Context(), nil, env("WEBOFFICE_DIR", dir, "WEBOFFICE_VIEW", "true"), &out); err != nil || !strings.Contains(out.String(), "All 2 documents open.") {
		t.Errorf("run = %v\n%s", err, &out)
	}
	if err := run(t.Context(), []string{"-view=maybe"}, env("WEBOFFICE_EDIT", "maybe"), io.Discard); err == nil || !strings.Contains(err.Error(), "WEBOFFICE_EDIT") {
		t.Errorf("run = %v, want WEBOFFICE_EDIT in it", err)
	}
}

// TestPrintable keeps escapes and line breaks of file names from the terminal.
func TestPrintable(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"plan.docx": "plan.docx", "計劃 \"1\".xlsx": `"計劃 \"1\".xlsx"`, "a\x1b[2Jb": `"a\x1b[2Jb"`, "a\nb": `"a\nb"`, "\xce\xc4": `"\xce\xc4"`,
	} {
		if got := printable(name); got != want {
			t.Errorf("printable(%q) = %s, want %s", name, got, want)
		}
	}
}

// noSecrets looks for keys, tokens and the signatures of links.
func noSecrets(t *testing.T, out string) {
	t.Helper()
	if found := regexp.MustCompile(`CANARY|[?&]|built-in viewer|hidden`).FindString(out); found != "" {
		t.Errorf("the output holds %q:\n%s", found, out)
	}
}

func TestViewOfAnEmptyFolder(t *testing.T) {
	t.Parallel()
	err := run(t.Context(), []string{"-dir", t.TempDir(), "-view"}, env(), io.Discard)
	if err == nil || !strings.Contains(err.Error(), "no documents") {
		t.Errorf("run = %v, want that there are no documents", err)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args   []string
		getenv func(string) string
		want   string
	}{
		{nil, env(), "-dir is required"},
		{[]string{"-dir", "."}, env(), "or let everybody call with -unsigned"},
		{[]string{"-dir", "."}, env("WEBOFFICE_APP_ID", appID), "or let everybody call with -unsigned"},
		{[]string{"-dir", ".", "-view"}, env("WEBOFFICE_APP_KEY", appKey), "or let everybody call with -unsigned"},
		{[]string{"-dir", ".", "-unsigned"}, env("WEBOFFICE_APP_KEY", appKey), "choose one"},
		{[]string{"-dir", "/nowhere", "-view"}, env(), "nowhere"},
		{[]string{"-dir", t.TempDir(), "-state", "/nowhere/state", "-addr", "127.0.0.1:0", "-unsigned"}, env(), "no folder /nowhere/state: create it"},
		{[]string{"-dir", "/nowhere", "-addr", "127.0.0.1:0", "-unsigned"}, env(), "no folder /nowhere: create it"},
		{[]string{"-dir", "main.go", "-view"}, env(), "-dir: main.go is not a folder"},
		{[]string{"-dir", ".", "-public", "office.example.com"}, env(), "-public must be an address"},
		{[]string{"-s3-region", "eu-central-1"}, env("WEBOFFICE_DIR", "."), "-s3 is required with the other flags of S3"},
		{[]string{"-s3", "documents", "-s3-endpoint", "storage.example.com"}, env(), "-s3-endpoint must be a URL"},
		{[]string{"-s3", "documents", "-s3-create-only", "x-forbid-overwrite"}, env(), "-s3-create-only: it must be NAME: VALUE"},
		{[]string{"-s3", "documents", "-dir", "/nowhere"}, env(), "no folder /nowhere: create it"},
		{[]string{"-view", "."}, env(), `unexpected argument "."`},
		{[]string{"-nothing"}, env(), "not defined"},
	} {
		err := run(t.Context(), c.args, c.getenv, io.Discard)
		var usage *cli.UsageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "CANARY") {
			t.Errorf("run %q = %v, want the mistake %q", c.args, err, c.want)
		}
	}
	if err := run(t.Context(), []string{"-h"}, env(), io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("run -h = %v", err)
	}
}

// program is a run in the background.
type program struct {
	base string // where it listens

	mu    sync.Mutex
	out   bytes.Buffer
	ready chan string
	ended chan error
}

var listening = regexp.MustCompile(`Listening on (http://\S+) `)

func (p *program) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if found := listening.FindSubmatch(b); found != nil {
		p.ready <- string(found[1])
	}
	return p.out.Write(b)
}

func (p *program) output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.String()
}

// start runs the program until the test ends.
func start(t *testing.T, args ...string) *program {
	t.Helper()
	p := &program{ready: make(chan string, 1), ended: make(chan error, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	go func() {
		p.ended <- run(ctx, append(args, "-addr", "127.0.0.1:0"), env("WEBOFFICE_APP_ID", appID, "WEBOFFICE_APP_KEY", appKey), p)
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-p.ended; err != nil {
			t.Errorf("run = %v", err)
		}
		noSecrets(t, p.output())
	})
	select {
	case p.base = <-p.ready:
	case err := <-p.ended:
		p.ended <- err
		t.Fatalf("run = %v\n%s", err, p.output())
	}
	return p
}

// open opens plan.docx at a gateway address.
func open(t *testing.T, base, key string) (string, error) {
	t.Helper()
	viewer, err := previewtest.NewViewer(previewtest.ViewerConfig{
		BaseURL: base, Credentials: signing.App(appID, signing.NewSecret(key)), WebOfficeToken: signing.NewSecret("CANARY-token"),
	})
	if err != nil {
		t.Fatal(err)
	}
	var content strings.Builder
	_, err = viewer.Open(t.Context(), planID, &content)
	return content.String(), err
}

// planID is dirstore's id of plan.docx, which never changes.
const planID = "gnigrzsrj7tkod35uj446z32hbqtvvte"

func TestServe(t *testing.T) {
	t.Parallel()
	p := start(t, "-dir", testFolder(t))
	if content, err := open(t, p.base, appKey); err != nil || content != "the plan\n" {
		t.Errorf("Open = %q, %v\n%s", content, err, p.output())
	}
	if _, err := open(t, p.base, "another key"); !errors.Is(err, preview.ErrUnauthorized) {
		t.Errorf("Open with another key = %v, want unauthorized", err)
	}
	for _, want := range []string{planID + "  plan.docx\n", "Gateway address for the console: " + p.base + "\n", "for SVC-2:" + appID + ".", "status=401 code=40002", "say with -public"} {
		if !strings.Contains(p.output(), want) {
			t.Errorf("the output lacks %q:\n%s", want, p.output())
		}
	}
}

// TestServeBehindAProxy is the address that a console would have.
func TestServeBehindAProxy(t *testing.T) {
	t.Parallel()
	for name, strips := range map[string]string{"stripping": "/docs", "passing": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var target *url.URL
			proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
				r.Out.URL.Path = strings.TrimPrefix(r.Out.URL.Path, strips)
				r.SetURL(target)
			}})
			t.Cleanup(proxy.Close)
			p := start(t, "-dir", testFolder(t), "-state", t.TempDir(), "-public", proxy.URL+"/docs/", "-proxy-strips", strips)
			var err error
			if target, err = url.Parse(p.base); err != nil {
				t.Fatal(err)
			}
			if content, err := open(t, proxy.URL+"/docs", appKey); err != nil || content != "the plan\n" {
				t.Errorf("Open = %q, %v\n%s", content, err, p.output())
			}
		})
	}
}

func TestLinkKeyOutlastsARestart(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "key")
	first, err := linkKey(name)
	if err != nil || len(first.Reveal()) < 50 {
		t.Fatalf("linkKey = %d characters, %v", len(first.Reveal()), err)
	}
	again, err := linkKey(name)
	if err != nil || !again.Equal(first) {
		t.Errorf("the second linkKey is another one, %v", err)
	}
	if info, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the key's file has mode %v, %v", info.Mode(), err)
	}
}

func TestGuests(t *testing.T) {
	t.Parallel()
	g := guests{key: signing.NewSecret("key")}
	ids := map[string]bool{}
	for _, token := range []string{"", "CANARY-1", "CANARY-2", "CANARY-1"} {
		id, err := g.identify(t.Context(), preview.Request{WebOfficeToken: signing.NewSecret(token)})
		if err != nil || strings.Contains(id, "CANARY") {
			t.Errorf("identify = %q, %v", id, err)
		}
		ids[id] = true
	}
	if len(ids) != 3 {
		t.Errorf("users = %v, want three", ids)
	}
	users, err := g.Users(t.Context(), preview.Request{}, []string{"guest-1", "nobody", "owner"})
	if err != nil || len(users) != 2 {
		t.Errorf("Users = %v, %v, want two", users, err)
	}
}

func TestShowCalls(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	h := showCalls(&out, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		noteUser(r.Context(), "ann")
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprint(w, `{"code":40007,"message":"x"}`)
	}))
	r := httptest.NewRequest(http.MethodPut, "/v3/3rd/files/f1/name%0A?token=CANARY", nil)
	h.ServeHTTP(httptest.NewRecorder(), r)
	if got := out.String(); !strings.Contains(got, " PUT /v3/3rd/files/f1/name%0A user=ann status=418 code=40007 ") || strings.Count(got, "\n") != 1 {
		t.Errorf("line = %q", got)
	}
}
