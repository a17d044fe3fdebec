package s3test_test

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/dirstore"
	"github.com/weboffice-go/weboffice/preview/previews3/internal/s3test"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
)

const (
	appID  = "SX2024"
	appKey = "CANARY-app-key"
)

// module is the folder of this module, which the gateway leaves.
var module, _ = os.Getwd()

// TestProgram runs examples/preview on a bucket. It is here, because the module of the
// examples does not inherit those of the gateway.
func TestProgram(t *testing.T) {
	t.Parallel()
	p := program(filepath.Join(t.TempDir(), "preview.exe")) // Windows needs the extension.
	build := exec.CommandContext(t.Context(), "go", "build", "-o", string(p), "github.com/weboffice-go/weboffice/examples/preview")
	build.Dir = module
	build.Env = append(os.Environ(), "GOWORK="+filepath.Join(module, "../../../../go.work"))
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, test := range map[string]func(*testing.T){"session": p.session, "replicas": p.replicas, "errors": p.errors} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

// program is the name of the executable.
type program string

// command has the credentials of the gateway.
func (p program) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), string(p), args...)
	for _, pair := range os.Environ() { // Nothing of the machine.
		if !strings.HasPrefix(pair, "AWS_") && !strings.HasPrefix(pair, "WEBOFFICE_") {
			cmd.Env = append(cmd.Env, pair)
		}
	}
	none := filepath.Join(t.TempDir(), "none")
	cmd.Env = append(cmd.Env, "AWS_CONFIG_FILE="+none, "AWS_SHARED_CREDENTIALS_FILE="+none, "AWS_EC2_METADATA_DISABLED=true",
		"AWS_ACCESS_KEY_ID="+s3test.AccessKey, "AWS_SECRET_ACCESS_KEY="+s3test.SecretKey)
	return cmd
}

// noSecrets looks for keys, and for the queries of links.
func noSecrets(t *testing.T, out string) {
	t.Helper()
	if found := regexp.MustCompile(`CANARY|` + s3test.SecretKey + `|X-Amz|[?&]`).FindString(out); found != "" {
		t.Errorf("the output holds %q:\n%s", found, out)
	}
}

// documentsFolder has two documents, one of which is at version 2.
func documentsFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	store, err := dirstore.New(dirstore.Config{
		Root: dir, PublicURL: "http://localhost", LinkKey: signing.NewSecret("0123456789abcdef"), Allow: dirstore.ReadOnly,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{"the plan", "the plan, changed"} {
		for _, name := range []string{"notes.pdf", "notes.txt", "plan.docx"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content[:8]), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "plan.docx"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := store.File(t.Context(), preview.Request{FileID: store.ID("plan.docx")}); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A look imports a folder, and two users edit a copy of its document, which is removed.
func (p program) session(t *testing.T) {
	t.Helper()
	b := s3test.NewBucket(t)
	run := func(args ...string) string {
		t.Helper()
		out, err := p.command(t, append(args, "-s3", b.Name, "-s3-endpoint", "http://"+b.Addr, "-s3-prefix", "/office", "-view", "-edit")...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		noSecrets(t, string(out))
		for _, want := range []string{
			`notes.pdf: opens as "notes.pdf", version 1, 8 bytes`, `plan.docx: opens as "plan.docx", version 2, 17 bytes`, "All 2 documents open.",
			"* Ann opens plan.docx: version 1, 17 bytes.\n", "* Ann saves: version 2, ", "* Bob saves: version 3, ", "* Bob renames it: plan of Bob.docx.",
			"version 4      17 bytes", "by Ann\n", "by Bob\n", "by owner\n",
		} {
			if !strings.Contains(string(out), want) {
				t.Errorf("the output lacks %q:\n%s", want, out)
			}
		}
		return string(out)
	}
	if out := run("-dir", documentsFolder(t)); !strings.Contains(out, "Copies plan.docx to s3://"+b.Name+"/office/\n") {
		t.Errorf("the output names no import:\n%s", out)
	}
	before := b.Objects(t)
	if len(before) != 4 {
		t.Errorf("the bucket has %q, want two documents, and not the text", before)
	}
	if out := run(); strings.Contains(out, "Copies") {
		t.Errorf("what is there is imported again:\n%s", out)
	}
	if after := b.Objects(t); !slices.Equal(after, before) {
		t.Errorf("a session leaves %q, want %q", after, before)
	}
}

// Two processes serve one bucket.
func (p program) replicas(t *testing.T) {
	t.Helper()
	b := s3test.NewBucket(t)
	s3test.Fill(t, b.NewStore(t, nil))
	var viewers [2]*previewtest.Viewer
	for i := range viewers {
		cmd := p.command(t, "-s3", b.Name, "-s3-endpoint", "http://"+b.Addr, "-s3-prefix", "office", "-edit", "-addr", "127.0.0.1:0")
		cmd.Env = append(cmd.Env, "WEBOFFICE_APP_ID="+appID, "WEBOFFICE_APP_KEY="+appKey)
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		cmd.WaitDelay = 20 * time.Second
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stderr = cmd.Stdout
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var base string
		var all bytes.Buffer
		lines := bufio.NewReader(io.TeeReader(out, &all))
		for base == "" {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatalf("the program does not say where it listens: %v\n%s", err, &all)
			}
			if found := regexp.MustCompile(`Listening on (\S+) `).FindStringSubmatch(line); found != nil {
				base = found[1]
			}
		}
		t.Cleanup(func() { // The context of the test has ended.
			_, _ = io.Copy(io.Discard, lines)
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != 0 {
				t.Errorf("the program ends with code %d:\n%s", code, &all)
			}
			noSecrets(t, all.String())
		})
		if !strings.Contains(all.String(), "plan  Plan.docx\n") {
			t.Errorf("the program does not list the document:\n%s", &all)
		}
		if viewers[i], err = previewtest.NewViewer(previewtest.ViewerConfig{
			BaseURL: base, Credentials: signing.App(appID, signing.NewSecret(appKey)), WebOfficeToken: signing.NewSecret("CANARY-token"),
		}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := viewers[0].Save(t.Context(), "plan", "Plan.docx", []byte("saved at the first")); err != nil {
		t.Fatal(err)
	}
	var content strings.Builder
	if f, err := viewers[1].Open(t.Context(), "plan", &content); err != nil || f.Version != 2 || content.String() != "saved at the first" {
		t.Errorf("the second process opens %+v, %q, %v", f, &content, err)
	}
}

func (p program) errors(t *testing.T) {
	t.Helper()
	b := s3test.NewBucket(t)
	at := []string{"-s3-endpoint", "http://" + b.Addr, "-view"}
	for name, c := range map[string]struct {
		args []string
		env  []string
		code int
		want string
	}{
		"no credentials": {[]string{"-s3", b.Name}, []string{"AWS_ACCESS_KEY_ID=", "AWS_SECRET_ACCESS_KEY="}, 1, "the client finds no credentials"},
		"wrong key":      {[]string{"-s3", b.Name}, []string{"AWS_SECRET_ACCESS_KEY=CANARY"}, 1, "HTTP 403, SignatureDoesNotMatch"},
		"no bucket":      {[]string{"-s3", "nothing-here"}, nil, 1, "there is no bucket nothing-here"},
		"it replaces":    {[]string{"-s3", b.Name, "-s3-create-only", "x-unknown: true"}, nil, 1, "Config.CreateOnly is -s3-create-only"},
		"no documents":   {[]string{"-s3", b.Name, "-s3-prefix", "none"}, nil, 1, "there are no documents in s3://" + b.Name + "/none/"},
		"no region":      {[]string{"-s3", b.Name, "-s3-endpoint", ""}, nil, 2, "-s3-region or AWS_REGION"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := p.command(t, append(slices.Clone(at), c.args...)...)
			cmd.Env = append(cmd.Env, c.env...)
			out, _ := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != c.code || !strings.Contains(string(out), c.want) {
				t.Errorf("code %d, want %d with %q:\n%s", code, c.code, c.want, out)
			}
			noSecrets(t, string(out))
		})
	}
	if keys := b.Objects(t); len(keys) != 0 {
		t.Errorf("the checks left %q", keys)
	}
}
