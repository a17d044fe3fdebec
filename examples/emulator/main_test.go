package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// output is what a program prints, while it runs.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
	c  chan struct{} // Told of each write.
}

func newOutput() *output { return &output{c: make(chan struct{}, 1)} }

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.b.Write(p)
	select {
	case o.c <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// until waits for a text, and returns what follows it in its line.
func (o *output) until(t *testing.T, text string) string {
	t.Helper()
	timeout := time.After(2 * time.Minute)
	for {
		if _, rest, ok := strings.Cut(o.String(), text); ok && strings.Contains(rest, "\n") {
			line, _, _ := strings.Cut(rest, "\n")
			return line
		}
		select {
		case <-o.c:
		case <-timeout:
			t.Fatalf("nothing printed %q: %s", text, o)
		}
	}
}

// emulate starts the emulator and returns its URL.
func emulate(t *testing.T, args ...string) (url string, out *output) {
	t.Helper()
	out = newOutput()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- run(ctx, append([]string{"-addr", "127.0.0.1:0", "-no-office"}, args...), func(string) string { return "" }, out, out)
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return out.until(t, "running: "), out
}

func call(t *testing.T, method, url, body string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := (&http.Client{}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= http.StatusMultipleChoices {
		t.Fatalf("%s %s: %s %s, %v", method, url, resp.Status, text, err)
	}
	return string(text)
}

func TestItSaysWhatToDo(t *testing.T) {
	t.Parallel()
	url, out := emulate(t)
	if page := call(t, http.MethodGet, url, ""); !strings.Contains(page, "<html") {
		t.Errorf("the page is %.200s", page)
	}
	var env bytes.Buffer
	if err := run(t.Context(), []string{"env", "-url", url}, func(string) string { return "" }, &env, &env); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(env.String(), "export WEBOFFICE_BASE_URL='"+url+"'\n") || !strings.Contains(out.String(), "curl -H") {
		t.Errorf("env prints %s, and at the start %s", env.String(), out)
	}
}

func TestItEndsAlthoughSomebodyListens(t *testing.T) {
	t.Parallel()
	out := newOutput()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	data := t.TempDir()
	args := []string{"-addr", "127.0.0.1:0", "-no-office", "-seed", "seeds.yaml", "-data", data}
	go func() { done <- run(ctx, args, func(string) string { return "" }, out, out) }()
	url := out.until(t, "running: ")
	if found := call(t, http.MethodGet, url+"/_emulator/chat/messages?text=checkout", ""); strings.Contains(found, `"items":[]`) {
		t.Errorf("the seeds are not there: %s", found)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/_emulator/events", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Client{}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Errorf("the stream did not end in order: %v", err)
	}
	if files, err := filepath.Glob(filepath.Join(data, "*")); err != nil || len(files) != 1 {
		t.Errorf("the folder has %v, %v", files, err)
	}
}

func TestItStaysOnThisMachine(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"-addr", ":0"}, {"-addr", "0.0.0.0:0"}, {"-addr", "nonsense"}, {"-seed", "/does/not/exist"}, {"-x"}, {"surplus"}, {"env", "-url", "http://127.0.0.1:1"}} {
		if err := run(t.Context(), args, func(string) string { return "" }, io.Discard, io.Discard); err == nil {
			t.Errorf("%v did not fail", args)
		}
	}
}

// example is an example program that runs, or has run, with the variables of the
// emulator.
func example(t *testing.T, bin, url string, wait bool, further []string, name string, args ...string) *output {
	t.Helper()
	var env map[string]string
	if err := json.Unmarshal([]byte(call(t, http.MethodGet, url+"/_emulator/env?format=json", "")), &env); err != nil {
		t.Fatal(err)
	}
	out := newOutput()
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, filepath.Join(bin, name), args...)
	cmd.Stdout, cmd.Stderr, cmd.Env, cmd.Dir = out, out, append(os.Environ(), further...), t.TempDir()
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if wait {
		defer cancel()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s %v: %v\n%s", name, args, err, out)
		}
		return out
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
	})
	return out
}

// build builds example programs, and returns their folder.
func build(t *testing.T, names ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds programs")
	}
	bin := t.TempDir()
	args := []string{"build", "-o", bin + string(filepath.Separator)}
	for _, name := range names {
		args = append(args, "../"+name)
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %v: %v\n%s", args, err, out)
	}
	return bin
}

// TestExamplesWorkAgainstIt runs the other examples with the printed variables, and looks
// at what the emulator saw.
func TestExamplesWorkAgainstIt(t *testing.T) {
	t.Parallel()
	bin := build(t, "convert", "robot", "robot-echo", "preview", "token", "alertmanager", "callback-doctor")
	url, _ := emulate(t)
	handbook, err := filepath.Abs("../quickstart/document/handbook.docx")
	if err != nil {
		t.Fatal(err)
	}
	api := url + "/_emulator"
	saw := func(what, query string) {
		t.Helper()
		if found := call(t, http.MethodGet, api+"/search?"+query, ""); strings.Contains(found, `"items":[]`) {
			t.Errorf("%s: nothing was seen of it (%s): %s", what, query, found)
		}
	}

	out := example(t, bin, url, true, nil, "convert", "-merge", handbook)
	if !strings.Contains(out.String(), "handbook") {
		t.Errorf("convert printed %s", out)
	}
	saw("convert", "kind=task&state=success&text=handbook.docx")

	example(t, bin, url, true, nil, "robot", "Deployed **checkout**")
	saw("robot", "kind=message&state=accepted&text=checkout")

	out = example(t, bin, url, false, nil, "robot-echo", "-addr", "127.0.0.1:0", "-path", "/robot")
	echo := strings.TrimSuffix(out.until(t, "Listening on "), ".")
	call(t, http.MethodPut, api+"/chat/robots/r1/callback", `{"url":"http://`+echo+`/robot"}`)
	call(t, http.MethodPost, api+"/chat/say", `{"robot":"r1","text":"good morning"}`)
	call(t, http.MethodPost, api+"/assert", `{"kind":"message","text":"You said:","within":"60s"}`)

	out = example(t, bin, url, false, nil, "alertmanager", "-addr", "127.0.0.1:0")
	alerts := strings.Fields(out.until(t, "http://"))[0]
	call(t, http.MethodPost, "http://"+alerts, `{"version":"4","groupKey":"a","status":"firing","commonLabels":{"alertname":"DiskFull"},"alerts":[{"status":"firing","labels":{"alertname":"DiskFull"}}]}`)
	saw("alertmanager", "kind=message&state=accepted&text=DiskFull")

	gateway(t, bin, url, handbook)
	tokens(t, bin, url)
	if found := call(t, http.MethodGet, api+"/exchanges?refused=true", ""); !strings.Contains(found, `"items":[]`) {
		t.Errorf("some requests were refused: %s", found)
	}
}

// gateway looks at a document of the example preview, and has the doctor examine it.
func gateway(t *testing.T, bin, url, document string) {
	t.Helper()
	folder := t.TempDir()
	content, err := os.ReadFile(document)
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "plan.docx"), content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	out := example(t, bin, url, false, nil, "preview", "-dir", folder, "-edit", "-addr", "127.0.0.1:0")
	address := "http://" + strings.Fields(out.until(t, "http://"))[0]
	file := idOf(out.String())
	var session struct{ ID string }
	if err := json.Unmarshal([]byte(call(t, http.MethodPost, url+"/_emulator/viewer/sessions", `{"gateway":"`+address+`","file_id":"`+file+`","token":"ann"}`)), &session); err != nil {
		t.Fatal(err)
	}
	for _, step := range []string{"open", "history"} {
		if got := call(t, http.MethodPost, url+"/_emulator/viewer/sessions/"+session.ID+"/"+step, ""); !strings.Contains(got, `"ok":true`) {
			t.Errorf("%s of a document of the example preview: %s", step, got)
		}
	}
	example(t, bin, url, true, []string{"WEBOFFICE_TOKEN=ann"}, "callback-doctor", "-base", address, "-file", file)
}

// idOf is the first word of the line that ends in the name of the document.
func idOf(printed string) string {
	for line := range strings.Lines(printed) {
		if strings.HasSuffix(strings.TrimSpace(line), "plan.docx") {
			return strings.Fields(line)[0]
		}
	}
	return ""
}

// tokens calls the example token as the plugin does.
func tokens(t *testing.T, bin, url string) {
	t.Helper()
	users := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	backend := newServer(t, users)
	config := filepath.Join(t.TempDir(), "apps.json")
	text := `{"auth_url":"` + url + `/oauth2/token","users_url":"` + backend + `","apps":{"dev-app":{"key_env":"WEBOFFICE_APP_KEY"}}}`
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out := example(t, bin, url, false, nil, "token", "-config", config, "-addr", "127.0.0.1:0")
	address := strings.Fields(out.until(t, "Listening on "))[0]
	if got := call(t, http.MethodPost, url+"/_emulator/plugin/calls", `{"url":"http://`+address+`","file_id":"plan","token":"ann"}`); !strings.Contains(got, `"ok":true`) {
		t.Errorf("the token callback of the example: %s", got)
	}
}

func newServer(t *testing.T, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}
