package preview_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/preview"
)

// permitting answers with p.
func permitting(p preview.Permission) *backend {
	return &backend{permission: func(context.Context, preview.Request) (preview.Permission, error) { return p, nil }}
}

// TestPermissionRules is protocol 2.6 rules 1 to 4: a flag, what it needs, and
// what is missing.
func TestPermissionRules(t *testing.T) {
	t.Parallel()
	type perm = preview.Permission
	for _, c := range []struct {
		name    string
		answer  perm
		without preview.Callbacks
		field   string
		rule    string
	}{
		{"rule 1 without user", perm{Read: true, Update: true}, 0, "user_id", "protocol 2.6 rule 1"},
		{"rule 1 without users", perm{UserID: "u", Read: true, Update: true}, preview.UsersCallback, "update", "protocol 2.6 rule 1: needs the users callback"},
		{"rule 1 without saver", perm{UserID: "u", Read: true, Update: true}, preview.SaveCallback, "update", "protocol 2.6 rule 1: needs the save callbacks"},
		{"rule 2 without user", perm{Read: true, Print: true}, 0, "user_id", "protocol 2.6 rule 2"},
		{"rule 2 without users", perm{UserID: "u", Read: true, Print: true}, preview.UsersCallback, "print", "protocol 2.6 rule 2"},
		{"rule 3 without renamer", perm{Read: true, Rename: true}, preview.RenameCallback, "rename", "protocol 2.6 rule 3"},
		{"rule 4 without history", perm{Read: true, History: true}, preview.HistoryCallback, "history", "protocol 2.6 rule 4"},
		{"user is not UTF-8", perm{UserID: "\xff", Read: true}, 0, "user_id", "UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cfg, log := all(permitting(c.answer))
			drop(&cfg, c.without)
			if w := get(t, newHandler(t, cfg), "files/f1/permission"); w.Code != 500 || !strings.Contains(w.Body.String(), `"code":50001`) {
				t.Errorf("answer = %d %s, want an internal error", w.Code, w.Body)
			}
			line := log.only(t, slog.LevelError)
			if rule, _ := line["rule"].(string); line["field"] != c.field || !strings.HasPrefix(rule, c.rule) && !strings.Contains(rule, "UTF-8") {
				t.Errorf("log names field %q, rule %q; want %q, %q", line["field"], line["rule"], c.field, c.rule)
			}
			if c.without == 0 {
				return
			}
			cfg.Elsewhere = c.without
			if w := get(t, newHandler(t, cfg), "files/f1/permission"); w.Code != 200 {
				t.Errorf("served elsewhere: %d %s, want 200", w.Code, w.Body)
			}
		})
	}
}

// drop takes capabilities out of cfg.
func drop(cfg *preview.Config, set preview.Callbacks) {
	if set&preview.UsersCallback != 0 {
		cfg.Users = nil
	}
	if set&preview.SaveCallback != 0 {
		cfg.Saver = nil
	}
	if set&preview.RenameCallback != 0 {
		cfg.Renamer = nil
	}
	if set&preview.HistoryCallback != 0 {
		cfg.History = nil
	}
}

// TestPermissionUserID fills user_id in from Identify.
func TestPermissionUserID(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, store, want string }{
		{"empty", "", `"user_id":"found"`},
		{"same", "found", `"user_id":"found"`},
		{"another", "other", `"user_id":"other"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cfg, log := all(permitting(preview.Permission{UserID: c.store, Read: true, Update: true, Comment: true, Copy: true, Print: true}))
			cfg.Identify = func(context.Context, preview.Request) (string, error) { return "found", nil }
			if w := get(t, newHandler(t, cfg), "files/f1/permission"); w.Code != 200 || !strings.Contains(w.Body.String(), c.want) {
				t.Errorf("answer = %d %s, want 200 with %s", w.Code, w.Body, c.want)
			}
			if advised := strings.Contains(log.String(), "is not the user that Config.Identify found"); advised != (c.name == "another") {
				t.Errorf("advice given: %v\n%s", advised, log)
			}
		})
	}
}

// TestPermissionFlags maps each field to its name of protocol 2.6, as a number.
func TestPermissionFlags(t *testing.T) {
	t.Parallel()
	names := []string{"read", "update", "download", "rename", "history", "copy", "print", "saveas", "comment"}
	for i, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := preview.Permission{UserID: "u"}
			flags := []*bool{&p.Read, &p.Update, &p.Download, &p.Rename, &p.History, &p.Copy, &p.Print, &p.SaveAs, &p.Comment}
			*flags[i] = true
			cfg, _ := all(permitting(p))
			var want strings.Builder
			want.WriteString(`{"code":0,"data":{"user_id":"u"`)
			for _, other := range names {
				value := `":0`
				if other == name {
					value = `":1`
				}
				want.WriteString(`,"` + other + value)
			}
			want.WriteString("}}")
			if got := get(t, newHandler(t, cfg), "files/f1/permission").Body.String(); got != want.String() {
				t.Errorf("answer = %s, want %s", got, want.String())
			}
		})
	}
}
