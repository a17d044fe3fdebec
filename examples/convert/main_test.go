package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
	"github.com/weboffice-go/weboffice/examples/internal/cli"
	"github.com/weboffice-go/weboffice/examples/internal/office"
	"github.com/weboffice-go/weboffice/examples/internal/office/officetest"
	"github.com/weboffice-go/weboffice/signing"
)

const handbook = "../quickstart/document/handbook.docx"

// called is what a run of the command left.
type called struct {
	code           int
	stdout, stderr string
}

// call runs the command with only those variables in its environment.
func call(ctx context.Context, environ map[string]string, stdin string, args ...string) called {
	var stdout, stderr bytes.Buffer
	code := run(ctx, args, environment{strings.NewReader(stdin), &stdout, &stderr, func(key string) string { return environ[key] }})
	return called{code, stdout.String(), stderr.String()}
}

// deployment is a service on a real port, with the environment that reaches it.
func deployment(t *testing.T, opts *converttest.Options, around func(http.Handler) http.Handler) (*converttest.Server, map[string]string) {
	t.Helper()
	if opts == nil {
		opts = &converttest.Options{}
	}
	opts.Credentials = []signing.Credentials{signing.App("my-app", signing.NewSecret("CANARY-key"))}
	s := converttest.NewServer(opts)
	t.Cleanup(s.Close)
	var h http.Handler = s
	if around != nil {
		h = around(s)
	}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return s, map[string]string{"WEBOFFICE_BASE_URL": server.URL, "WEBOFFICE_APP_ID": "my-app", "WEBOFFICE_APP_KEY": "CANARY-key"}
}

// files are those in dir, with what they hold.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got[e.Name()] = string(b)
	}
	return got
}

func TestDemoText(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	got := call(t.Context(), nil, "", "-demo", "-file", handbook, "-merge", "-keep-line-breaks", "-pages", "1,3", "-out", dir)
	if got.code != cli.ExitOK || got.stdout != filepath.Join(dir, "handbook.txt")+"\n" {
		t.Fatalf("got %+v, want 0 and the path", got)
	}
	text := files(t, dir)["handbook.txt"]
	for _, want := range []string{"Handbook of the reading room\n", "€ & takes five minutes", "1 Library Lane\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("text has no %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "図書館") {
		t.Errorf("text has the second page:\n%s", text)
	}
}

func TestDemoPDF(t *testing.T) {
	t.Parallel()
	officetest.Engine(t, office.Config{})
	dir := t.TempDir()
	got := call(t.Context(), nil, "", "-demo", "-to", "pdf", "-file", handbook, "-from", "2", "-until", "3", "-out", dir)
	if pdf := files(t, dir)["handbook.pdf"]; got.code != cli.ExitOK || !strings.HasPrefix(pdf, "%PDF-") {
		t.Errorf("got %+v and a file that begins %.8q, want 0 and a PDF", got, pdf)
	}
}

// TestBatchWithFailures: a document that fails does not stop the others.
func TestBatchWithFailures(t *testing.T) {
	t.Parallel()
	_, environ := deployment(t, &converttest.Options{Converter: converttest.Scripts{
		"":         {converttest.Success([]byte("one"), []byte("two"))},
		"bad.docx": {converttest.Failure("no fonts")},
	}}, nil)
	dir := t.TempDir()
	list := "# comment\n\nhttps://files.example/store?id=CANARY-token\tstored.docx\nhttps://files.example/bad.docx\n  missing.docx  \n"
	got := call(t.Context(), environ, list, "-list", "-", "-out", dir, "-json", "-serve", "127.0.0.1:0", "-public", "http://files.example", "-in", "https://files.example/A.docx", "https://files.example/a.pptx", "https://files.example/picture.png")
	if got.code != cli.ExitFailed {
		t.Errorf("got %+v, want 1", got)
	}
	var sum summary
	if err := json.Unmarshal([]byte(got.stdout), &sum); err != nil {
		t.Fatalf("stdout %q: %v", got.stdout, err)
	}
	if sum.Converted != 3 || sum.Failed != 3 || len(sum.Documents) != 6 {
		t.Errorf("summary = %+v, want 3 converted and 3 failed", sum)
	}
	for i, want := range []struct{ source, file, err string }{
		{"https://files.example/A.docx", "A-002.txt", ""},
		{"https://files.example/a.pptx", "a-2-002.txt", ""},
		{"https://files.example/picture.png", "", "Filename"},
		{"https://files.example/store", "stored-002.txt", ""},
		{"https://files.example/bad.docx", "", "no fonts"},
		{"missing.docx", "", "missing.docx"},
	} {
		e := sum.Documents[i]
		if e.Source != want.source || (e.Error == "") != (want.err == "") || !strings.Contains(e.Error, want.err) {
			t.Errorf("document %d = %+v, want %+v", i, e, want)
		}
		if want.file != "" && (len(e.Files) != 2 || e.Files[1] != filepath.Join(dir, want.file) || e.Task == nil) {
			t.Errorf("document %d = %+v, want two files, the second %s, and its task", i, e, want.file)
		}
	}
	if got := len(files(t, dir)); got != 6 {
		t.Errorf("%d files, want 6", got)
	}
	if all := got.stdout + got.stderr; strings.Contains(all, "CANARY") {
		t.Errorf("a secret is in the output:\n%s", all)
	}
}

// TestWhatIsSent are the flags as the service sees them (protocol 2.1).
func TestWhatIsSent(t *testing.T) {
	t.Parallel()
	type sent struct {
		Target                    convert.Target
		Filename                  string
		Pages                     convert.Pages
		Merge, LineBreaks, Review bool
		Password                  bool
	}
	for name, tt := range map[string]struct {
		args []string
		want sent
	}{
		"defaults":  {nil, sent{Target: convert.Text, Filename: "a.docx", LineBreaks: true}},
		"text":      {[]string{"-to", "txt", "-merge", "-keep-line-breaks=false", "-pages", "1,3-5"}, sent{Target: convert.Text, Filename: "a.docx", Pages: convert.Ranges{convert.Page(1), {From: 3, To: 5}}, Merge: true}},
		"from":      {[]string{"-from", "3"}, sent{Target: convert.Text, Filename: "a.docx", Pages: convert.Span{From: 3}, LineBreaks: true}},
		"pdf":       {[]string{"-to", "pdf", "-comments", "-pages", "3-5"}, sent{Target: convert.PDF, Filename: "a.docx", Pages: convert.Span{From: 3, To: 5}, Review: true}},
		"pdf until": {[]string{"-to", "pdf", "-until", "5", "-name", "b.PPTX"}, sent{Target: convert.PDF, Filename: "b.PPTX", Pages: convert.Span{To: 5}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, environ := deployment(t, nil, nil)
			environ["WEBOFFICE_PASSWORD"] = "CANARY-password"
			tt.want.Password = true
			got := call(t.Context(), environ, "", append(tt.args, "-out", t.TempDir(), "https://files.example/a.docx")...)
			if got.code != cli.ExitOK || strings.Contains(got.stdout+got.stderr, "CANARY") {
				t.Fatalf("got %+v, want 0 and no secret", got)
			}
			sub := s.Submissions()[0]
			is := sent{sub.Task.Target, sub.Filename, sub.Pages, sub.MergePages, sub.KeepLineBreaks, sub.ShowComments, sub.Password.Reveal() == "CANARY-password"}
			if diff := cmp.Diff(tt.want, is); diff != "" {
				t.Errorf("submission (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUsageErrors(t *testing.T) {
	t.Parallel()
	const url = "https://files.example/a.docx"
	key := filepath.Join(t.TempDir(), "none")
	for name, tt := range map[string]struct {
		args []string
		want []string // all of them at once
	}{
		"nothing":             {nil, []string{"no document", "-base-url", "-app-id", "WEBOFFICE_APP_KEY"}},
		"unknown flag":        {[]string{"-passwd", "x"}, []string{"-passwd"}},
		"target":              {[]string{"-to", "png", url}, []string{"neither txt nor pdf"}},
		"a file, no -demo":    {[]string{"-base-url", "https://o.example", "-app-id", "a", "-file", handbook}, []string{"cannot fetch a file", "WEBOFFICE_APP_KEY"}},
		"task of a demo":      {[]string{"-demo", "-task", "open:x"}, []string{"no task outlives"}},
		"no address":          {[]string{"-base-url", "office.example", "-app-id", "a", url}, []string{"-base-url must be"}},
		"flag behind":         {[]string{"-demo", url, "-quiet"}, []string{"-quiet comes after an address"}},
		"public address":      {[]string{"-demo", "-serve", ":0", "-public", "files.example", url}, []string{"-public must be"}},
		"serve alone":         {[]string{"-demo", "-serve", ":0", url}, []string{"go together"}},
		"path as URL":         {[]string{"-demo", "report.docx"}, []string{"-file takes paths"}},
		"no extension":        {[]string{"-demo", "https://files.example/d?id=1"}, []string{"https://files.example/d does not end in a name"}},
		"name of two":         {[]string{"-demo", "-name", "a.docx", url, url}, []string{"-name is for one"}},
		"missing list":        {[]string{"-demo", "-list", key}, []string{"-list"}},
		"missing key file":    {[]string{"-app-key-file", key, url}, []string{"-app-key-file"}},
		"merge to pdf":        {[]string{"-demo", "-to", "pdf", "-merge", url}, []string{"-merge"}},
		"lines of a pdf":      {[]string{"-demo", "-to", "pdf", "-keep-line-breaks", url}, []string{"-keep-line-breaks is for"}},
		"comments to txt":     {[]string{"-demo", "-comments", url}, []string{"-comments"}},
		"pages twice":         {[]string{"-demo", "-pages", "1", "-from", "2", url}, []string{"excludes"}},
		"pages, grammar":      {[]string{"-demo", "-pages", "1..3", url}, []string{"-pages"}},
		"pages, negative":     {[]string{"-demo", "-from", "-1", url}, []string{"from 1"}},
		"pages, backwards":    {[]string{"-demo", "-from", "3", "-until", "3", url}, []string{"after the first"}},
		"pages, many for pdf": {[]string{"-demo", "-to", "pdf", "-pages", "1,3", url}, []string{"one range"}},
		"pages, one for pdf":  {[]string{"-demo", "-to", "pdf", "-pages", "3", url}, []string{"after the first"}},
		"concurrency":         {[]string{"-demo", "-concurrency", "0", url}, []string{"-concurrency"}},
		"wait":                {[]string{"-demo", "-max-wait", "0s", url}, []string{"-max-wait"}},
	} {
		got := call(t.Context(), nil, "", tt.args...)
		if got.code != cli.ExitUsage || got.stdout != "" {
			t.Errorf("%s: %+v, want 2", name, got)
		}
		for _, want := range tt.want {
			if !strings.Contains(got.stderr, want) {
				t.Errorf("%s: stderr does not say %q:\n%s", name, want, got.stderr)
			}
		}
	}
	if got := call(t.Context(), nil, "", "-help"); got.code != cli.ExitOK || !strings.Contains(got.stdout, "130") {
		t.Errorf("-help: %+v, want 0 and the exit codes", got)
	}
}

func TestServiceThatRefuses(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(map[string]string) []string{
		"wrong key":   func(e map[string]string) []string { e["WEBOFFICE_APP_KEY"] = "CANARY-wrong"; return nil },
		"other word":  func(map[string]string) []string { return []string{"-scheme", "WPS-2"} },
		"not there":   func(e map[string]string) []string { e["WEBOFFICE_BASE_URL"] = "http://127.0.0.1:1"; return nil },
		"out no file": func(map[string]string) []string { return []string{"-out", "main.go"} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, environ := deployment(t, nil, nil)
			args := append([]string{"-out", t.TempDir()}, change(environ)...)
			got := call(t.Context(), environ, "", append(args, "https://files.example/a.docx")...)
			if got.code != cli.ExitFailed || got.stdout != "" || strings.Contains(got.stderr, "CANARY") || len(s.Submissions()) != 0 {
				t.Errorf("got %+v and %d submissions, want 1, no secret and none", got, len(s.Submissions()))
			}
		})
	}
}

func TestServeAFile(t *testing.T) {
	t.Parallel()
	_, environ := deployment(t, &converttest.Options{Sources: &http.Client{}, Converter: converttest.Async(func(ctx context.Context, s converttest.Submission, _ func(float64)) ([][]byte, error) {
		r, err := s.Open(ctx)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		b, err := io.ReadAll(r)
		return [][]byte{b}, err
	})}, nil)
	dir := t.TempDir()
	var got called
	for range 10 { // Another process can take the port in between.
		free := httptest.NewServer(http.NotFoundHandler())
		address := strings.TrimPrefix(free.URL, "http://")
		free.Close()
		got = call(t.Context(), environ, "", "-serve", address, "-public", "http://"+address, "-file", handbook, "-out", dir)
		if !strings.Contains(got.stderr, "address already in use") {
			break
		}
	}
	want, err := os.ReadFile(handbook)
	if err != nil {
		t.Fatal(err)
	}
	if got.code != cli.ExitOK || files(t, dir)["handbook.txt"] != string(want) {
		t.Errorf("got %+v, want 0 and the very document", got)
	}
}

// TestCarryOn: the task of an interrupted run is not submitted again.
func TestCarryOn(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	step := converttest.Pending(50)
	s, environ := deployment(t, &converttest.Options{Converter: jobFunc(func() converttest.Step {
		mu.Lock()
		defer mu.Unlock()
		return step
	})}, nil)
	dir := t.TempDir()
	first := call(t.Context(), environ, "", "-json", "-to", "pdf", "-max-wait", "10ms", "-out", dir, "https://files.example/a.docx")
	var sum summary
	if err := json.Unmarshal([]byte(first.stdout), &sum); err != nil || first.code != cli.ExitFailed || sum.Documents[0].Task == nil {
		t.Fatalf("first run: %+v, %v, want 1 and a task", first, err)
	}
	mu.Lock()
	step = converttest.Success([]byte("text"))
	mu.Unlock()
	id := sum.Documents[0].Task.ID
	second := call(t.Context(), environ, "", "-to", "pdf", "-task", id+"=a.docx", "-task", id, "-out", dir)
	if got := files(t, dir); second.code != cli.ExitOK || len(got) != 1 || got["a.pdf"] != "text" || len(s.Submissions()) != 1 {
		t.Errorf("second run: %+v, files %v, %d submissions, want 0, the file, one", second, got, len(s.Submissions()))
	}
}

// jobFunc is a Converter of one step.
type jobFunc func() converttest.Step

func (f jobFunc) Step() converttest.Step { return f() }

func (f jobFunc) Start(context.Context, converttest.Submission) (converttest.Job, error) {
	return f, nil
}

// TestInterrupted: wherever it happens, there is no half file, and the code is 130.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"submit": "/to/txt", "wait": "/tasks/", "download": "/results/"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			var once sync.Once
			s, environ := deployment(t, &converttest.Options{Converter: converttest.Script{converttest.Success(bytes.Repeat([]byte("half a file "), 1e5))}}, func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if strings.Contains(r.URL.Path, path) {
						once.Do(interrupt)
					}
					next.ServeHTTP(w, r)
				})
			})
			s.Fail(converttest.Everything, -1, slowFrom(path))
			dir := t.TempDir()
			got := call(ctx, environ, "", "-out", dir, "-quiet", "https://files.example/a.docx", "https://files.example/b.docx")
			if got.code != exitInterrupted || !strings.Contains(got.stderr, "0 of 2 documents converted") {
				t.Errorf("got %+v, want 130", got)
			}
			if left := files(t, dir); len(left) != 0 {
				t.Errorf("files are left: %v", len(left))
			}
		})
	}
}

// slowFrom delays answers below path by more than a test waits.
func slowFrom(path string) converttest.Fault {
	return func(next http.Handler) http.Handler {
		slow := converttest.Slow(time.Hour)(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Path, path) {
				slow.ServeHTTP(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// TestBars draws them for documents that end well, fail, and are never reached.
func TestBars(t *testing.T) {
	t.Parallel()
	var terminal bytes.Buffer
	documents := []*document{{url: "https://files.example/a.docx", filename: "a.docx"}, {file: "b.docx", filename: "b.docx"}, {file: "c.docx", filename: "c.docx"}}
	b := newBars(&lines{w: &terminal, documents: documents, last: map[int]string{}})
	b.submitted(0, convert.Task{ID: "x"})
	b.progress(0, &convert.Status{Progress: 40})
	b.progress(1, &convert.Status{Progress: 40}) // of a task that was not submitted here
	b.end(1, convert.Outcome{Err: errors.New("no fonts")})
	b.end(0, convert.Outcome{})
	b.close()
	for _, want := range []string{"b.docx: not converted: no fonts", "all documents", "2 of 3"} {
		if !strings.Contains(terminal.String(), want) {
			t.Errorf("the terminal does not show %q:\n%q", want, terminal.String())
		}
	}
}
