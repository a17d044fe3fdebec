package preview_test

import (
	"context"
	"encoding/hex"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/weboffice-go/weboffice/preview"
)

// TestUsersRules is public reference 4.
func TestUsersRules(t *testing.T) {
	t.Parallel()
	type user = preview.User
	for _, c := range []struct {
		name   string
		answer []user
		field  string
		rule   string
		value  string
	}{
		{"no id", []user{{Name: "A"}}, "[0].id", "public reference 4: required", ""},
		{"no name", []user{{ID: "1", Name: "A"}, {ID: "2"}}, "[1].name", "public reference 4: required", ""},
		{"name is not UTF-8", []user{{ID: "1", Name: "\xff"}}, "[0].name", "UTF-8", "\ufffd"},
		{"not asked for", []user{{ID: "3", Name: "C"}}, "[0].id", "one of user_ids", "3"},
		{"twice", []user{{ID: "1", Name: "A"}, {ID: "1", Name: "A"}}, "[1].id", "each user once", "1"},
		{"avatar by http", []user{{ID: "1", Name: "A", AvatarURL: "http://example.com/a?token=x"}}, "[0].avatar_url", "https", "http://example.com/a?[secret]"},
		{"relative avatar", []user{{ID: "1", Name: "A", AvatarURL: "/a?token=x"}}, "[0].avatar_url", "https", "/a?[secret]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := &backend{users: func(context.Context, preview.Request, []string) ([]user, error) { return c.answer, nil }}
			checkBroken(t, b, routes()["users"], c.field, c.rule, c.value)
		})
	}
}

// TestHistoryRules is public reference 5, beyond what holds for every File.
func TestHistoryRules(t *testing.T) {
	t.Parallel()
	numbered := func(versions ...uint32) func(context.Context, preview.Request, preview.Page) ([]preview.File, error) {
		return func(context.Context, preview.Request, preview.Page) ([]preview.File, error) {
			var files []preview.File
			for _, v := range versions {
				f := goodFile()
				f.Version = v
				files = append(files, f)
			}
			return files, nil
		}
	}
	for _, c := range []struct {
		name  string
		route string
		b     *backend
		field string
		rule  string
		value string
	}{
		{"ascending", "versions", &backend{versions: numbered(6, 7)}, "[1].version", "descending", "7"},
		{"twice", "versions", &backend{versions: numbered(7, 7)}, "[1].version", "descending", "7"},
		{"more than asked for", "versions", &backend{versions: numbered(7, 6, 5)}, "data", "limit", "3"},
		{"another version", "version", &backend{version: func(context.Context, preview.Request, uint32) (preview.File, error) {
			return goodFile(), nil
		}}, "version", "equal to the requested version", "7"},
		{"another file", "version", &backend{version: func(_ context.Context, _ preview.Request, v uint32) (preview.File, error) {
			f := goodFile()
			f.ID, f.Version = "f2", v
			return f, nil
		}}, "id", "protocol 2.4", "f2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			checkBroken(t, c.b, routes()[c.route], c.field, c.rule, c.value)
		})
	}
}

// TestSaveRules is public reference 5.
func TestSaveRules(t *testing.T) {
	t.Parallel()
	address := func(change func(*preview.UploadAddress)) *backend {
		return &backend{address: func(context.Context, preview.Request, preview.Upload) (preview.UploadAddress, error) {
			a := goodAddress()
			change(&a)
			return a, nil
		}}
	}
	digests := func(types ...preview.DigestType) *backend {
		return &backend{prepare: func(context.Context, preview.Request) ([]preview.DigestType, error) { return types, nil }}
	}
	type a = preview.UploadAddress
	for _, c := range []struct {
		name  string
		route string
		b     *backend
		field string
		rule  string
		value string
	}{
		{"unknown digest", "prepare-upload", digests("md5", "crc32"), "digest_types", "md5, sha1 or sha256", "crc32"},
		{"digest twice", "prepare-upload", digests("md5", "md5"), "digest_types", "each type once", "md5"},
		{"no address", "upload-address", address(func(a *a) { a.URL = "" }), "url", "absolute", ""},
		{"relative address", "upload-address", address(func(a *a) { a.URL = "/put?sig=x" }), "url", "absolute", "/put?[secret]"},
		{"method", "upload-address", address(func(a *a) { a.Method = "PATCH" }), "method", "PUT or POST", "PATCH"},
		{"method in lowercase", "upload-address", address(func(a *a) { a.Method = "put" }), "method", "PUT or POST", "put"},
		{"header", "upload-address", address(func(a *a) { a.Header = map[string]string{"A B": "x"} }), "headers", "names", "A B"},
		{"param", "upload-address", address(func(a *a) { a.Params = map[string]string{"p": "\xff"} }), "params", "UTF-8", "p"},
		{"send back", "upload-address", address(func(a *a) { a.SendBack = map[string]string{"\xff": "x"} }), "send_back_params", "UTF-8", "\ufffd"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			checkBroken(t, c.b, routes()[c.route], c.field, c.rule, c.value)
		})
	}
}

// TestCapabilitiesAreGiven checks what the methods are called with.
func TestCapabilitiesAreGiven(t *testing.T) {
	t.Parallel()
	var got []any
	b := &backend{
		users: func(_ context.Context, _ preview.Request, ids []string) ([]preview.User, error) {
			got = append(got, ids)
			return nil, nil
		},
		rename: func(_ context.Context, _ preview.Request, name string) error {
			got = append(got, name)
			return nil
		},
		versions: func(_ context.Context, _ preview.Request, p preview.Page) ([]preview.File, error) {
			got = append(got, p)
			return nil, nil
		},
		version: func(_ context.Context, _ preview.Request, v uint32) (preview.File, error) {
			got = append(got, v)
			return preview.File{}, preview.ErrVersionNotFound
		},
		address: func(_ context.Context, _ preview.Request, u preview.Upload) (preview.UploadAddress, error) {
			got = append(got, u)
			return goodAddress(), nil
		},
		complete: func(_ context.Context, _ preview.Request, u preview.Upload, r preview.UploadResult) (preview.File, error) {
			got = append(got, u, r)
			return preview.File{}, preview.ErrNotUploaded
		},
	}
	cfg, _ := all(b)
	h := newHandler(t, cfg)
	md5, sha1, sha256 := strings.Repeat("1", 32), strings.Repeat("2", 40), strings.Repeat("3", 64)
	full := `{"file_id":"f1","name":"計劃.docx","size":12,"digest":{"sha256":"` + sha256 + `","md5":"` + md5 + `","crc":"x","sha1":"` + sha1 +
		`"},"is_manual":1,"attachment_size":3,"content_type":"application/x","unknown":{}}`
	upload := preview.Upload{
		Name: "計劃.docx", Size: 12, Manual: true, AttachmentSize: 3, ContentType: "application/x",
		Digests: []preview.Digest{{Type: preview.MD5, Hex: md5}, {Type: preview.SHA1, Hex: sha1}, {Type: preview.SHA256, Hex: sha256}},
	}
	const small = `"request":{"name":"a","size":0,"is_manual":false,"digest":null}`
	for _, c := range []struct {
		name, method, path, body string
		want                     []any
	}{
		{"users in order, once", "GET", "users?user_ids=&user_ids=b&user_ids=a&user_ids=b&user_ids=a%2Cc&x=1", "", []any{[]string{"b", "a", "a,c"}}},
		{"rename", "PUT", "files/f1/name", `{"name":"New 名.docx","x":1}`, []any{"New 名.docx"}},
		{"first page", "GET", "files/f1/versions", "", []any{preview.Page{}}},
		{"page", "GET", "files/f1/versions?offset=20&limit=10", "", []any{preview.Page{Offset: 20, Limit: 10}}},
		{"version", "GET", "files/f1/versions/4294967295", "", []any{uint32(1<<32 - 1)}},
		{"address", "POST", "files/f1/upload/address", full, []any{upload}},
		{"complete", "POST", "files/f1/upload/complete", `{"request":` + full + `,"response":{"status_code":201,"headers":{"etag":"\"e\"","A":["1","2"]},"body":"b2s="},"send_back_params":{"upload":"42","n":7}}`, []any{
			upload,
			preview.UploadResult{StatusCode: 201, Header: http.Header{"Etag": {`"e"`}, "A": {"1", "2"}}, Body: []byte("ok"), SendBack: map[string]string{"upload": "42", "n": "7"}},
		}},
		{"complete, little told", "POST", "files/f1/upload/complete", `{` + small + `,"response":{"headers":null,"body":"<ok/>"},"send_back_params":null}`, []any{
			preview.Upload{Name: "a"},
			preview.UploadResult{Header: http.Header{}, Body: []byte("<ok/>"), SendBack: map[string]string{}},
		}},
		{"complete, nothing told", "POST", "files/f1/upload/complete", `{` + small + `}`, []any{
			preview.Upload{Name: "a"},
			preview.UploadResult{Header: http.Header{}, Body: []byte{}, SendBack: map[string]string{}},
		}},
	} { // one after the other: they share got
		got = nil
		w := send(t, h, c.method, c.path, c.body)
		if diff := cmp.Diff(c.want, got, cmpopts.IgnoreUnexported(preview.Upload{}, preview.UploadResult{})); diff != "" {
			t.Errorf("%s: called with (-want +got):\n%s\n%s", c.name, diff, w.Body)
		}
	}
}

// TestNotServed is Config: a nil capability is not served.
func TestNotServed(t *testing.T) {
	t.Parallel()
	for route, set := range map[string]preview.Callbacks{
		"users": preview.UsersCallback, "rename": preview.RenameCallback,
		"versions": preview.HistoryCallback, "version": preview.HistoryCallback, "version-download": preview.HistoryCallback,
		"prepare-upload": preview.SaveCallback, "upload-address": preview.SaveCallback, "complete-upload": preview.SaveCallback,
	} {
		t.Run(route, func(t *testing.T) {
			t.Parallel()
			b := &backend{}
			cfg, log := all(b)
			drop(&cfg, set)
			cfg.Elsewhere = set
			good := routes()[route]
			for _, method := range []string{"GET", good.method} {
				w := send(t, newHandler(t, cfg), method, good.path, good.body)
				if want := `{"code":40004,"message":"this callback is not served here"}`; w.Code != 404 || w.Body.String() != want {
					t.Errorf("%s = %d %s, want 404 %s", good.path, w.Code, w.Body, want)
				}
			}
			if n := b.calls(); n != 0 {
				t.Errorf("the backend was called %d times", n)
			}
			if lines := log.lines(t, slog.LevelInfo); len(lines) > 0 {
				t.Errorf("above debug level: %v", lines)
			}
		})
	}
}

// TestBodies are bodies that are no request.
func TestBodies(t *testing.T) {
	t.Parallel()
	bodies := []string{
		"", " ", "null", "[]", `"name"`, "1", "{", `{"name":}`, `{"name":1}`, `{"name":null}`, `{"name":""}`, `{}{}`, "\xff", `{"name":"a\u0000b"`,
		`{"name":"a?b"}`, `{"name":"` + strings.Repeat("é", 241) + `"}`, `{"request":[]}`, `{"request":{"name":"a","size":1.5}}`,
		`{"request":{"name":"a","size":1,"is_manual":"yes"}}`, `{"request":{"name":"a","size":1},"send_back_params":[]}`, `{"request":{"name":"a","size":1},"response":{"headers":[]}}`,
	}
	for _, route := range []string{"rename", "upload-address", "complete-upload"} {
		t.Run(route, func(t *testing.T) {
			t.Parallel()
			b := &backend{}
			cfg, _ := all(b)
			h := newHandler(t, cfg)
			good := routes()[route]
			for _, body := range bodies {
				if w := send(t, h, good.method, good.path, body); w.Code != 400 || w.Body.String() != `{"code":40005,"message":"invalid argument"}` {
					t.Errorf("%s with %q = %d %s, want 400 with code 40005", route, body, w.Code, w.Body)
				}
			}
			if n := b.calls(); n != 0 {
				t.Errorf("the backend was called %d times", n)
			}
		})
	}
}

// TestDigests come in any case, and are passed over if they are empty or of an unknown
// type.
func TestDigests(t *testing.T) {
	t.Parallel()
	md5, sha256 := strings.Repeat("ab", 16), strings.Repeat("cd", 32)
	for body, want := range map[string][]preview.Digest{
		`{"md5":"` + strings.ToUpper(md5) + `"}`:                   {{Type: preview.MD5, Hex: md5}},
		`{"md5":null,"sha1":"","sha256":"` + sha256 + `"}`:         {{Type: preview.SHA256, Hex: sha256}},
		`{"crc64":123456,"xxh":{"a":1},"b":[2],"c":"","d":"text"}`: nil,
		`null`: nil,
	} {
		var got preview.Upload
		cfg, _ := all(&backend{address: func(_ context.Context, _ preview.Request, u preview.Upload) (preview.UploadAddress, error) {
			got = u
			return goodAddress(), nil
		}})
		w := send(t, newHandler(t, cfg), "POST", "files/f1/upload/address", `{"name":"a.docx","size":3,"digest":`+body+`}`)
		if diff := cmp.Diff(want, got.Digests); w.Code != 200 || diff != "" {
			t.Errorf("%s: %d %s, digests (-want +got):\n%s", body, w.Code, w.Body, diff)
		}
		for _, g := range want {
			if found := got.Digest(g.Type); found != g || hex.EncodeToString(found.Bytes()) != g.Hex {
				t.Errorf("Digest(%s) = %v, bytes %x", g.Type, found, found.Bytes())
			}
		}
		if none := got.Digest(preview.SHA1); none != (preview.Digest{}) || len(none.Bytes()) > 0 {
			t.Errorf("Digest of a type that is not there = %v", none)
		}
	}
	if got := preview.SHA256Sum([32]byte{1}); got.Type != preview.SHA256 || got.Hex != "01"+strings.Repeat("00", 31) {
		t.Errorf("SHA256Sum = %v", got)
	}
	if got := (preview.Digest{Type: preview.MD5, Hex: "zz"}).Bytes(); got != nil {
		t.Errorf("Bytes of what is not hexadecimal = %x", got)
	}
}
