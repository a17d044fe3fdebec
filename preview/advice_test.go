package preview_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/preview"
)

// advised gives the advice in a log, each as its first words.
func advised(t *testing.T, log *logged, level slog.Level) []string {
	t.Helper()
	var texts []string
	for _, line := range log.lines(t, level) {
		if text, ok := line["advice"].(string); ok {
			words, _, _ := strings.Cut(text, "(")
			texts = append(texts, strings.TrimSpace(words))
		}
	}
	return texts
}

// TestAdvicePermission is protocol 2.6 rules 5 to 8, and flags without read.
func TestAdvicePermission(t *testing.T) {
	t.Parallel()
	type perm = preview.Permission
	const (
		commentRead   = "comment: 1 has no effect with read=1 and update=0"
		commentUpdate = "comment: 0 has no effect with update=1"
		exportUser    = "user_id: without it, export as image ends in 'permission denied' although read=1 and download=1"
		exportUsers   = "download: export as image needs the users callback, and ends in 'permission denied' without it"
		html          = "copy: with 0, reading the document as HTML ends in 'permission denied'"
		painter       = "copy: with 0 the format painter does not work"
		noRead        = "read: 0 beside flags that are 1, which are of no use to somebody who cannot open the document: set Permission.Read"
	)
	for _, c := range []struct {
		name   string
		answer perm
		users  bool
		want   []string
	}{
		{"nothing", perm{}, true, nil},
		{"reader who may copy", perm{Read: true, Copy: true}, true, nil},
		{"rule 5, reader", perm{Read: true, Copy: true, Comment: true}, true, []string{commentRead}},
		{"rule 5, editor", perm{UserID: "u", Read: true, Update: true, Copy: true}, true, []string{commentUpdate}},
		{"rule 5, editor who may comment", perm{UserID: "u", Read: true, Update: true, Copy: true, Comment: true}, true, nil},
		{"rule 6, no user", perm{Read: true, Copy: true, Download: true}, true, []string{exportUser}},
		{"rule 6, no users", perm{UserID: "u", Read: true, Copy: true, Download: true}, false, []string{exportUsers}},
		{"rule 6, all there", perm{UserID: "u", Read: true, Copy: true, Download: true}, true, nil},
		{"rule 7", perm{Read: true}, true, []string{html}},
		{"rules 7 and 8", perm{UserID: "u", Read: true, Update: true, Comment: true}, true, []string{html, painter}},
		{"not even reading", perm{UserID: "u", Update: true, Comment: true, Copy: true}, true, []string{noRead}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cfg, log := all(permitting(c.answer))
			if !c.users {
				cfg.Users = nil
			}
			h := newHandler(t, cfg)
			if w := get(t, h, "files/f1/permission"); w.Code != 200 {
				t.Fatalf("answer = %d %s, want 200: advice is no error", w.Code, w.Body)
			}
			if diff := cmp.Diff(c.want, advised(t, log, slog.LevelInfo)); diff != "" {
				t.Errorf("advice (-want +got):\n%s", diff)
			}
			get(t, h, "files/f2/permission")
			if got := advised(t, log, slog.LevelInfo); len(got) != len(c.want) {
				t.Errorf("the second answer is advised again: %q", got)
			}
			if got := advised(t, log, slog.LevelDebug); len(got) != 2*len(c.want) {
				t.Errorf("at debug level there is %q, want all of it twice", got)
			}
		})
	}
}

// TestAdviceAddress is protocol 2.5: reachable from the public network.
func TestAdviceAddress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		host    string
		private bool
	}{
		{"files.example.com", false},
		{"93.184.216.34:8443", false},
		{"[2606:2800:220:1::1]", false},
		{"1.2.3.4.example.com", false},
		{"local.example.com.", false},
		{"localhost", true},
		{"minio:9000", true},
		{"127.0.0.1:8080", true},
		{"10.1.2.3", true},
		{"172.16.0.1", true},
		{"192.168.0.1", true},
		{"169.254.169.254", true},
		{"100.64.0.1", true},
		{"0.0.0.0", true},
		{"[::1]", true},
		{"[fd00::1]", true},
		{"[fe80::1]", true},
		{"[::ffff:10.0.0.1]", true},
		{"storage.local", true},
		{"storage.INTERNAL", true},
		{"storage.lan.", true},
	} {
		t.Run(c.host, func(t *testing.T) {
			t.Parallel()
			cfg, log := all(&backend{
				download: func(context.Context, preview.Request) (preview.Download, error) {
					return preview.Download{URL: "http://" + c.host + "/a?sig=x"}, nil
				},
				address: func(context.Context, preview.Request, preview.Upload) (preview.UploadAddress, error) {
					return preview.UploadAddress{URL: "http://" + c.host + "/a?sig=x"}, nil
				},
			})
			for _, route := range []string{"download", "upload-address"} {
				good := routes()[route]
				if good.method == "" {
					good.method = "GET"
				}
				if w := send(t, newHandler(t, cfg), good.method, good.path, good.body); w.Code != 200 {
					t.Fatalf("%s = %d %s, want 200: advice is no error", route, w.Code, w.Body)
				}
			}
			if got := advised(t, log, slog.LevelInfo); len(got) > 0 != c.private || c.private && len(got) != 2 {
				t.Errorf("advice = %q, private: %v", got, c.private)
			}
		})
	}
}

// TestAdviceOthers are the rest: allowed, but hardly meant.
func TestAdviceOthers(t *testing.T) {
	t.Parallel()
	now := time.Unix(1700000000, 0)
	for _, c := range []struct {
		name  string
		route string
		b     *backend
		want  string
	}{
		{"address not escaped", "download", &backend{download: func(context.Context, preview.Request) (preview.Download, error) {
			return preview.Download{URL: "https://files.example.com/計劃 1.docx"}, nil
		}}, "url: it holds characters"},
		{"blank", "download", &backend{download: func(context.Context, preview.Request) (preview.Download, error) {
			return preview.Download{URL: "https://files.example.com/plan 1.docx"}, nil
		}}, "url: it holds characters"},
		{"version above 31 bits", "file", &backend{file: func(context.Context, preview.Request) (preview.File, error) {
			f := goodFile()
			f.Version, f.CreatedAt, f.ModifiedAt = 1<<31, now, now
			return f, nil
		}}, "version: it is above"},
		{"in the future", "file", &backend{file: func(context.Context, preview.Request) (preview.File, error) {
			f := goodFile()
			f.CreatedAt, f.ModifiedAt = now, now.Add(24*time.Hour+time.Second)
			return f, nil
		}}, "create_time or modify_time lies"},
		{"tomorrow", "file", &backend{file: func(context.Context, preview.Request) (preview.File, error) {
			f := goodFile()
			f.CreatedAt, f.ModifiedAt = now, now.Add(24*time.Hour)
			return f, nil
		}}, ""},
		{"another size than announced", "complete-upload", &backend{complete: func(context.Context, preview.Request, preview.Upload, preview.UploadResult) (preview.File, error) {
			f := goodFile()
			f.CreatedAt, f.ModifiedAt = now, now
			return f, nil
		}}, "size: it differs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cfg, log := all(c.b)
			cfg.Now = func() time.Time { return now }
			good := routes()[c.route]
			if good.method == "" {
				good.method = "GET"
			}
			if w := send(t, newHandler(t, cfg), good.method, good.path, good.body); w.Code != 200 {
				t.Fatalf("answer = %d %s, want 200: advice is no error", w.Code, w.Body)
			}
			got := strings.Join(advised(t, log, slog.LevelInfo), "|")
			if c.want == "" && got != "" || !strings.HasPrefix(got, c.want) || strings.Contains(got, "|") {
				t.Errorf("advice = %q, want %q", got, c.want)
			}
		})
	}
}
