package dirstore_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/preview/dirstore"
	"github.com/weboffice-go/weboffice/signing"
)

// TestNew reports every problem at once.
func TestNew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	right := dirstore.Config{Root: dir, PublicURL: "https://a.example/files", LinkKey: signing.NewSecret("sixteen bytes.. "), Allow: dirstore.ReadOnly}
	for _, tc := range []struct {
		name   string
		change func(cfg *dirstore.Config)
		want   []string
	}{
		{"nothing", func(cfg *dirstore.Config) { *cfg = dirstore.Config{} }, []string{"Root is required", "PublicURL is required", "LinkKey is required", "Allow is required"}},
		{"no folder", func(cfg *dirstore.Config) { cfg.Root = filepath.Join(dir, "none"); cfg.LinkLife = -1 }, []string{"Root", "LinkLife"}},
		{"a file", func(cfg *dirstore.Config) { cfg.Root = file }, []string{"Root"}},
		{"relative address", func(cfg *dirstore.Config) { cfg.PublicURL = "/files" }, []string{"absolute"}},
		{"another scheme", func(cfg *dirstore.Config) { cfg.PublicURL = "ftp://a.example/" }, []string{"absolute"}},
		{"query", func(cfg *dirstore.Config) { cfg.PublicURL = "https://a.example/?CANARY=1" }, []string{"no query"}},
		{"password", func(cfg *dirstore.Config) { cfg.PublicURL = "https://ann:CANARY@a.example/" }, []string{"no user"}},
		{"short key", func(cfg *dirstore.Config) { cfg.LinkKey = signing.NewSecret("CANARY-15-bytes") }, []string{"LinkKey must have at least 16 bytes"}},
		{"negative limits", func(cfg *dirstore.Config) { cfg.MaxUpload = -1 }, []string{"MaxUpload"}},
		{"state that is a document by another path", func(cfg *dirstore.Config) {
			alias := filepath.Join(t.TempDir(), "alias")
			if err := os.Symlink(dir, alias); err != nil {
				t.Skip("this system has no symbolic links for us: ", err)
			}
			cfg.Root = alias
			cfg.StateFile = filepath.Join(dir, "state")
		}, []string{"start with a dot"}},
		{"state that is a folder", func(cfg *dirstore.Config) { cfg.StateFile = t.TempDir() }, []string{"StateFile"}},
		{"state that is a document", func(cfg *dirstore.Config) { cfg.StateFile = filepath.Join(dir, "state") }, []string{"start with a dot"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			cfg := right
			tc.change(&cfg)
			s, err := dirstore.New(cfg)
			if err == nil || s != nil {
				t.Fatalf("New = %v, %v", s, err)
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("New = %v, want %q in it", err, want)
				}
			}
			if strings.Contains(err.Error(), "CANARY") {
				t.Errorf("New = %v, with a secret", err)
			}
		})
	}
}

// TestStateFileElsewhere leaves the folder as it is.
func TestStateFileElsewhere(t *testing.T) {
	t.Parallel()
	f := newFolder(t, nil)
	if err := os.Remove(f.path(dirstore.StateFileName)); err != nil {
		t.Fatal(err)
	}
	f.write(t, "a.docx", "one")
	cfg := f.config()
	cfg.StateFile = filepath.Join(t.TempDir(), "state")
	f.open(t, cfg)
	f.version(t, "a.docx")
	f.write(t, "a.docx", "two")
	f.open(t, cfg)
	if got := f.version(t, "a.docx"); got != 2 {
		t.Errorf("version %d, want 2", got)
	}
	entries, err := os.ReadDir(f.dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}

// TestStateFileForeign leaves alone what is no state file.
func TestStateFileForeign(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		content string
		right   bool
	}{
		"YAML":                   {"server:\n  port: 80\n", false},
		"one line without end":   {"port: 80", false},
		"JSON":                   {"{}\n", false},
		"JSON of something else": {"{\"id\":\"x\"}\n", false},
		"corrupt":                {"{\"id\":\"x\",\"versi\x00\n\x00\x00\n", false},
		"zeros":                  {"\x00\x00\x00\x00", false},
		"empty":                  {"", true},
		"torn at first":          {"{\"id\":\"x\",\"versi", true},
		"torn at once":           {"{\"", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFolder(t, map[string]string{"a.docx": "one"})
			cfg := f.config()
			cfg.StateFile = filepath.Join(t.TempDir(), "config.yaml")
			if err := os.WriteFile(cfg.StateFile, []byte(tc.content), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := dirstore.New(cfg)
			if (err == nil) != tc.right {
				t.Fatalf("New = %v", err)
			}
			if err == nil {
				if _, err := s.File(t.Context(), f.request("a.docx")); err != nil {
					t.Error(err)
				}
				_ = s.Close()
				return
			}
			if !strings.Contains(err.Error(), "StateFile") {
				t.Errorf("New = %v, want StateFile in it", err)
			}
			if b, err := os.ReadFile(cfg.StateFile); err != nil || string(b) != tc.content {
				t.Errorf("the file is %q now, %v", b, err)
			}
		})
	}
}

// TestClose ends a store.
func TestClose(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a.docx": "one"})
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := f.File(t.Context(), f.request("a.docx")); err == nil {
		t.Error("File after Close has no error")
	}
}
