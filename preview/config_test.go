package preview_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/signing"
)

// TestConfigProblems are all reported at once.
func TestConfigProblems(t *testing.T) {
	t.Parallel()
	b := &backend{}
	var none *backend
	for _, c := range []struct {
		name string
		cfg  preview.Config
		want []string // parts, one for each line
	}{
		{"empty", preview.Config{}, []string{"Store is required", "Auth is required"}},
		{"all wrong", preview.Config{
			Timeout: -1, SaveTimeout: -1, MaxBody: -1, Elsewhere: 0xff,
			Users: b, Saver: b, Renamer: b, History: b,
		}, []string{
			"Store is required", "Auth is required", "Timeout must not be negative", "SaveTimeout must not be negative", "MaxBody must not be negative", "Elsewhere holds an unknown callback",
			"Users is given, and", "Saver is given, and", "Renamer is given, and", "History is given, and",
		}},
		{"contradiction", preview.Config{Store: b, Auth: signing.Unsigned, Saver: b, Elsewhere: preview.SaveCallback | preview.UsersCallback}, []string{"Saver is given, and"}},
		{"nil pointers", preview.Config{Store: none, Auth: signing.Unsigned, Users: none, Saver: none, Renamer: none, History: none}, []string{
			"Store is a nil pointer", "Users is a nil pointer", "Saver is a nil pointer", "Renamer is a nil pointer", "History is a nil pointer",
		}},
		{"least", preview.Config{Store: b, Auth: signing.Unsigned}, nil},
		{"elsewhere", preview.Config{Store: b, Auth: signing.Unsigned, Saver: b, Elsewhere: preview.UsersCallback | preview.RenameCallback | preview.HistoryCallback}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h, err := preview.NewHandler(c.cfg)
			if (err == nil) != (len(c.want) == 0) || (h == nil) != (err != nil) {
				t.Fatalf("NewHandler = %v, %v, want %d problems", h, err, len(c.want))
			}
			if err == nil {
				return
			}
			lines := strings.Split(err.Error(), "\n")
			if len(lines) != len(c.want) {
				t.Fatalf("NewHandler = %v, want %d problems", err, len(c.want))
			}
			for i, want := range c.want {
				if !strings.HasPrefix(lines[i], "preview: config: "+want) {
					t.Errorf("problem %d = %q, want %q", i, lines[i], want)
				}
			}
		})
	}
}

// TestConfigIsCopied is why changing it later changes nothing.
func TestConfigIsCopied(t *testing.T) {
	t.Parallel()
	cfg, _ := all(&backend{})
	h := newHandler(t, cfg)
	cfg.Auth, cfg.Store, cfg.CheckID = nil, nil, nil
	if w := get(t, h, "files/f1"); w.Code != 200 {
		t.Errorf("answer = %d %s, want 200", w.Code, w.Body)
	}
}

// TestDefaultLogger is slog.Default.
func TestDefaultLogger(t *testing.T) { //nolint:paralleltest // It changes the default logger.
	log := &logged{}
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(log, nil)))
	defer slog.SetDefault(before)
	h := newHandler(t, preview.Config{Store: failing(errors.New("inner")), Auth: signing.Unsigned})
	get(t, h, "files/f1")
	log.only(t, slog.LevelError)
}
