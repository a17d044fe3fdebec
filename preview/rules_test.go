package preview_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/preview"
)

// ruleCase is one wrong value, and how the log names it.
type ruleCase[T any] struct {
	name  string
	spoil func(*T)
	field string
	rule  string // a part of it
	value string
}

var emoji240 = strings.Repeat("👍", 236) + ".doc" // 240 characters in 948 bytes, and more in UTF-16

func fileCases() []ruleCase[preview.File] {
	type f = preview.File
	cases := []ruleCase[f]{
		{"another id", func(f *f) { f.ID = "f2" }, "id", "protocol 2.4: equal to the requested id", "f2"},
		{"no name", func(f *f) { f.Name = "" }, "name", "protocol 2.4: required", ""},
		{"241 characters", func(f *f) { f.Name = "x" + emoji240 }, "name", "protocol 2.4: at most 240", "x" + strings.Repeat("👍", 19) + "…"},
		{"name is not UTF-8", func(f *f) { f.Name = "a\xff.doc" }, "name", "UTF-8", "a\ufffd.doc"},
		{"version 0", func(f *f) { f.Version = 0 }, "version", "protocol 2.4: starts at 1", "0"},
		{"negative size", func(f *f) { f.Size = -1 }, "size", "protocol 2.4", "-1"},
		{"not created", func(f *f) { f.CreatedAt = time.Time{} }, "create_time", "protocol 2.4: required", ""},
		{"not modified", func(f *f) { f.ModifiedAt = time.Time{} }, "modify_time", "protocol 2.4: required", ""},
		{"the very start of 1970", func(f *f) { f.CreatedAt = time.Unix(0, 999) }, "create_time", "protocol 2.4: epoch seconds", "1970-01-01T00:00:00Z"},
		{"year 5138", func(f *f) { f.ModifiedAt = time.Unix(100_000_000_000, 0) }, "modify_time", "milliseconds", "5138-11-16T09:46:40Z"},
		{"before 1970", func(f *f) { f.CreatedAt = time.Unix(-1, 0) }, "create_time", "protocol 2.4: epoch seconds", "1969-12-31T23:59:59Z"},
		{"milliseconds", func(f *f) { f.ModifiedAt = time.Unix(1700000000000, 0) }, "modify_time", "milliseconds", "55840-11-08T22:13:20Z"},
		{"no creator", func(f *f) { f.CreatorID = "" }, "creator_id", "protocol 2.4: required", ""},
		{"no modifier", func(f *f) { f.ModifierID = "" }, "modifier_id", "protocol 2.4: required", ""},
		{"creator is not UTF-8", func(f *f) { f.CreatorID = "\xff" }, "creator_id", "UTF-8", "\ufffd"},
		{"modifier is not UTF-8", func(f *f) { f.ModifierID = "\xff" }, "modifier_id", "UTF-8", "\ufffd"},
	}
	for _, c := range `\/|":*?<>` {
		name := "a" + string(c) + "b"
		cases = append(cases, ruleCase[f]{"name with " + string(c), func(f *preview.File) { f.Name = name }, "name", `protocol 2.4: none of \ / | " : * ? < >`, name})
	}
	return cases
}

func downloadCases() []ruleCase[preview.Download] {
	type d = preview.Download
	address := "protocol 2.5: absolute http or https address"
	md5 := strings.Repeat("0", 32)
	return []ruleCase[d]{
		{"no address", func(d *d) { d.URL = "" }, "url", address, ""},
		{"relative", func(d *d) { d.URL = "/a?sig=1" }, "url", address, "/a?[secret]"},
		{"no host", func(d *d) { d.URL = "https:///a" }, "url", address, "https:///a"},
		{"port alone", func(d *d) { d.URL = "https://:443/a" }, "url", address, "https://:443/a"},
		{"another scheme", func(d *d) { d.URL = "ftp://example.com/a?sig=1" }, "url", address, "ftp://example.com/a?[secret]"},
		{"no address at all", func(d *d) { d.URL = "https://example.com/%zz" }, "url", address, "[secret]"},
		{"address is not UTF-8", func(d *d) { d.URL = "https://example.com/\xff" }, "url", address, "https://example.com/%FF"},
		{"sha256", func(d *d) { d.Digest = preview.Digest{Type: preview.SHA256, Hex: strings.Repeat("0", 64)} }, "digest_type", "protocol 2.5: md5 or sha1", "sha256"},
		{"unknown type", func(d *d) { d.Digest = preview.Digest{Type: "crc32", Hex: "00000000"} }, "digest_type", "protocol 2.5: md5 or sha1", "crc32"},
		{"digest without type", func(d *d) { d.Digest = preview.Digest{Hex: md5} }, "digest_type", "protocol 2.5: md5 or sha1", ""},
		{"type without digest", func(d *d) { d.Digest = preview.Digest{Type: preview.MD5} }, "digest", "protocol 2.5: 32 lowercase", ""},
		{"sha1 as md5", func(d *d) { d.Digest = preview.Digest{Type: preview.MD5, Hex: md5 + "00000000"} }, "digest", "protocol 2.5: 32 lowercase", md5 + "00000000"},
		{"md5 as sha1", func(d *d) { d.Digest = preview.Digest{Type: preview.SHA1, Hex: md5} }, "digest", "protocol 2.5: 40 lowercase", md5},
		{"uppercase", func(d *d) { d.Digest.Hex = strings.Repeat("AB", 16) }, "digest", "lowercase", strings.Repeat("AB", 16)},
		{"base64", func(d *d) { d.Digest.Hex = "1B2M2Y8AsgTpgAmY7PhCfg==        " }, "digest", "hexadecimal", "1B2M2Y8AsgTpgAmY7PhCfg==        "},
		{"empty header", func(d *d) { d.Header = map[string]string{"": "x"} }, "headers", "protocol 2.5: names", ""},
		{"header with a colon", func(d *d) { d.Header = map[string]string{"Referer:": "x"} }, "headers", "protocol 2.5: names", "Referer:"},
		{"header with a blank", func(d *d) { d.Header = map[string]string{"My Header": "x"} }, "headers", "protocol 2.5: names", "My Header"},
		{"header not in ASCII", func(d *d) { d.Header = map[string]string{"Größe": "x"} }, "headers", "protocol 2.5: names", "Größe"},
		{"line break in a value", func(d *d) { d.Header = map[string]string{"A": "secret\r\nB: c"} }, "headers", "protocol 2.5: values", "A"},
		{"value is not UTF-8", func(d *d) { d.Header = map[string]string{"A": "\xff"} }, "headers", "protocol 2.5: values", "A"},
		{"header twice", func(d *d) { d.Header = map[string]string{"Referer": "x", "referer": "y"} }, "headers", "protocol 2.5: each HTTP header once", "referer"},
	}
}

// checkBroken calls a route, and expects that the caller learns nothing and the
// log everything.
func checkBroken(t *testing.T, b *backend, c goldenCase, field, rule, value string) {
	t.Helper()
	cfg, log := all(b)
	method := c.method
	if method == "" {
		method = "GET"
	}
	w := send(t, newHandler(t, cfg), method, c.path, c.body)
	if want := `{"code":50001,"message":"internal error"}`; w.Code != 500 || w.Body.String() != want {
		t.Errorf("%s = %d %s, want 500 %s", c.path, w.Code, w.Body, want)
	}
	line := log.only(t, slog.LevelError)
	if got, _ := line["rule"].(string); line["field"] != field || !strings.Contains(got, rule) || line["value"] != value {
		t.Errorf("log names field %q, rule %q, value %q; want %q, …%q…, %q", line["field"], line["rule"], line["value"], field, rule, value)
	}
	if line["file_id"] != "f1" && !strings.HasPrefix(c.path, "users") {
		t.Errorf("log names file %q, want f1", line["file_id"])
	}
}

// TestFileRules is protocol 2.4, wherever a File is the answer.
func TestFileRules(t *testing.T) {
	t.Parallel()
	for _, c := range fileCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			bad := goodFile()
			c.spoil(&bad)
			b := &backend{
				file: func(context.Context, preview.Request) (preview.File, error) { return bad, nil },
				complete: func(context.Context, preview.Request, preview.Upload, preview.UploadResult) (preview.File, error) {
					return bad, nil
				},
				versions: func(context.Context, preview.Request, preview.Page) ([]preview.File, error) {
					first := goodFile()
					first.Version = 100
					return []preview.File{first, bad}, nil
				},
			}
			checkBroken(t, b, routes()["file"], c.field, c.rule, c.value)
			checkBroken(t, b, routes()["complete-upload"], c.field, c.rule, c.value)
			checkBroken(t, b, routes()["versions"], "[1]."+c.field, c.rule, c.value)
		})
	}
}

// TestDownloadRules is protocol 2.5, also for a version.
func TestDownloadRules(t *testing.T) {
	t.Parallel()
	for _, c := range downloadCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			bad := goodDownload()
			c.spoil(&bad)
			b := &backend{download: func(context.Context, preview.Request) (preview.Download, error) { return bad, nil }}
			checkBroken(t, b, routes()["download"], c.field, c.rule, c.value)
			checkBroken(t, b, routes()["version-download"], c.field, c.rule, c.value)
		})
	}
}

// TestFilesThatPass are values at the edge of protocol 2.4, and ids that are
// filled in.
func TestFilesThatPass(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*preview.File){
		"240 characters":     func(f *preview.File) { f.Name = emoji240 },
		"id given":           func(f *preview.File) { f.ID = "f1" },
		"largest version":    func(f *preview.File) { f.Version = 1<<32 - 1 },
		"empty file":         func(f *preview.File) { f.Size = 0 },
		"first second":       func(f *preview.File) { f.CreatedAt = time.Unix(1, 0) },
		"last second":        func(f *preview.File) { f.ModifiedAt = time.Unix(99_999_999_999, 0) },
		"another time zone":  func(f *preview.File) { f.CreatedAt = f.CreatedAt.In(time.FixedZone("", 8*3600)) },
		"modified before":    func(f *preview.File) { f.ModifiedAt = f.CreatedAt.Add(-time.Hour) },
		"name without a dot": func(f *preview.File) { f.Name = "README" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := goodFile()
			change(&f)
			cfg, log := all(&backend{file: func(context.Context, preview.Request) (preview.File, error) { return f, nil }})
			if w := get(t, newHandler(t, cfg), "files/f1"); w.Code != 200 || !strings.Contains(w.Body.String(), `"id":"f1"`) {
				t.Errorf("answer = %d %s, want 200 with the requested id\n%s", w.Code, w.Body, log)
			}
		})
	}
}
