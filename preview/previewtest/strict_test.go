package previewtest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
)

// script answers callbacks by path with what it says, as JSON.
type script map[string]string

func (s script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, there := s[strings.TrimPrefix(r.URL.Path, preview.PathPrefix)]
	if !there {
		body = `{"code":40004,"message":"not found"}`
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = io.WriteString(w, body)
}

func rightFile(change ...string) string {
	return strings.NewReplacer(change...).Replace(
		`{"code":0,"data":{"id":"f1","name":"Plan.docx","version":3,"size":5,"create_time":1700000000,"modify_time":1700000001,"creator_id":"ann","modifier_id":"bob"}}`)
}

// viewerOf gives a Viewer of a handler, in memory.
func viewerOf(t *testing.T, h http.Handler) *previewtest.Viewer {
	t.Helper()
	v, err := previewtest.NewViewer(previewtest.ViewerConfig{Handler: h})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// rulesIn gives the rules of every AnswerError in err.
func rulesIn(err error) []string {
	rules := map[string]bool{}
	var walk func(error)
	walk = func(err error) {
		switch e := err.(type) { //nolint:errorlint // It walks the tree itself.
		case *previewtest.AnswerError:
			rules[e.Rule] = true
		case interface{ Unwrap() []error }:
			for _, err := range e.Unwrap() {
				walk(err)
			}
		}
	}
	walk(err)
	return slices.Sorted(maps.Keys(rules))
}

// call is one method of a Viewer.
type call func(ctx context.Context, v *previewtest.Viewer) error

func callFile(ctx context.Context, v *previewtest.Viewer) error {
	_, err := v.File(ctx, "f1")
	return err
}

func callDownload(ctx context.Context, v *previewtest.Viewer) error {
	_, err := v.Download(ctx, "f1")
	return err
}

func callPermission(ctx context.Context, v *previewtest.Viewer) error {
	_, err := v.Permission(ctx, "f1")
	return err
}

func callUsers(ctx context.Context, v *previewtest.Viewer) error {
	_, err := v.Users(ctx, "ann", "bob")
	return err
}

func callVersions(ctx context.Context, v *previewtest.Viewer) error {
	_, err := v.Versions(ctx, "f1", preview.Page{Limit: 2})
	return err
}

func callVersion(ctx context.Context, v *previewtest.Viewer) error {
	_, err := v.Version(ctx, "f1", 3)
	return err
}

func callRename(ctx context.Context, v *previewtest.Viewer) error {
	return v.Rename(ctx, "f1", "Other.docx")
}

func callSave(ctx context.Context, v *previewtest.Viewer) error {
	_, err := v.Save(ctx, "f1", "Plan.docx", []byte("bytes"))
	return err
}

// TestViewerStrict breaks each rule about a single answer, and finds that rule only.
func TestViewerStrict(t *testing.T) {
	t.Parallel()
	download := func(data string) string { return `{"code":0,"data":{` + data + `}}` }
	long := strings.Repeat("a", 241)
	for _, tc := range []struct {
		name, path, body string
		call             call
		want             []string // rules; none: right
	}{
		{"file", "files/f1", rightFile(), callFile, nil},
		{"file with more fields", "files/f1", rightFile(`"id"`, `"new":null,"id"`), callFile, nil},
		{"file: no JSON", "files/f1", `<html>`, callFile, []string{previewtest.RuleJSON}},
		{"file: null", "files/f1", `null`, callFile, []string{previewtest.RuleJSON}},
		{"file: list", "files/f1", `[]`, callFile, []string{previewtest.RuleJSON}},
		{"file: empty", "files/f1", ``, callFile, []string{previewtest.RuleJSON}},
		{"file: two objects", "files/f1", `{"code":0}{"code":0}`, callFile, []string{previewtest.RuleJSON}},
		{"file: too large", "files/f1", `{"code":0,"message":"` + strings.Repeat("x", previewtest.MaxAnswer) + `"}`, callFile, []string{previewtest.RuleJSON}},
		{"file: a byte that is no UTF-8", "files/f1", rightFile(`Plan`, "Pl\xffn"), callFile, []string{previewtest.RuleJSON}},
		{"file: half a surrogate pair", "files/f1", rightFile(`Plan`, `Pl\ud800n`), callFile, []string{previewtest.RuleJSON}},
		{"file: the other half", "files/f1", rightFile(`Plan`, `Pl\uDC00n`), callFile, []string{previewtest.RuleJSON}},
		{"file: two first halves", "files/f1", rightFile(`Plan`, `Pl\ud83d\ud83dn`), callFile, []string{previewtest.RuleJSON}},
		{"file: a surrogate pair", "files/f1", rightFile(`Plan`, `Pl\ud83d\uDE00n`), callFile, nil},
		{"file: an escaped escape", "files/f1", rightFile(`"ann"`, `"a\\ud800"`), callFile, nil},
		{"file: no code", "files/f1", rightFile(`"code":0,`, ``), callFile, []string{previewtest.RuleCode}},
		{"file: code is a string", "files/f1", rightFile(`"code":0`, `"code":"0"`), callFile, []string{previewtest.RuleCode}},
		{"file: code is null", "files/f1", rightFile(`"code":0`, `"code":null`), callFile, []string{previewtest.RuleCode}},
		{"file: msg", "files/f1", rightFile(`"code":0`, `"code":0,"msg":"ok"`), callFile, []string{previewtest.RuleMessage}},
		{"file: message null", "files/f1", rightFile(`"code":0`, `"code":0,"message":null`), callFile, []string{previewtest.RuleMessage}},
		{"file: no data", "files/f1", `{"code":0}`, callFile, []string{previewtest.RuleData}},
		{"file: data null", "files/f1", `{"code":0,"data":null}`, callFile, []string{previewtest.RuleData}},
		{"file: data is a list", "files/f1", `{"code":0,"data":[]}`, callFile, []string{previewtest.RuleData}},
		{"file: no creator", "files/f1", rightFile(`"creator_id":"ann",`, ``), callFile, []string{previewtest.RuleFileFields}},
		{"file: empty name", "files/f1", rightFile(`Plan.docx`, ``), callFile, []string{previewtest.RuleFileFields}},
		{"file: id is a number", "files/f1", rightFile(`"f1"`, `1`), callFile, []string{previewtest.RuleFileTypes}},
		{"file: version is a string", "files/f1", rightFile(`"version":3`, `"version":"3"`), callFile, []string{previewtest.RuleFileTypes}},
		{"file: version with a fraction", "files/f1", rightFile(`"version":3`, `"version":3.0`), callFile, []string{previewtest.RuleFileTypes}},
		{"file: size null", "files/f1", rightFile(`"size":5`, `"size":null`), callFile, []string{previewtest.RuleFileTypes}},
		{"file: another id", "files/f1", rightFile(`"f1"`, `"F1"`), callFile, []string{previewtest.RuleFileID}},
		{"file: name with a slash", "files/f1", rightFile(`Plan`, `a/b`), callFile, []string{previewtest.RuleFileName}},
		{"file: long name", "files/f1", rightFile(`Plan.docx`, long), callFile, []string{previewtest.RuleFileNameLength}},
		{"file: name of 240 characters", "files/f1", rightFile(`Plan.docx`, strings.Repeat("文", 240)), callFile, nil},
		{"file: version 0", "files/f1", rightFile(`"version":3`, `"version":0`), callFile, []string{previewtest.RuleVersion}},
		{"file: last version", "files/f1", rightFile(`"version":3`, `"version":4294967295`), callFile, nil},
		{"file: version of 33 bits", "files/f1", rightFile(`"version":3`, `"version":4294967296`), callFile, []string{previewtest.RuleVersion}},
		{"file: negative size", "files/f1", rightFile(`"size":5`, `"size":-1`), callFile, []string{previewtest.RuleSize}},
		{"file: milliseconds", "files/f1", rightFile(`1700000000`, `1700000000000`), callFile, []string{previewtest.RuleTimes}},
		{"file: no time", "files/f1", rightFile(`1700000001`, `0`), callFile, []string{previewtest.RuleTimes}},
		{
			"file: three rules", "files/f1", rightFile(`"size":5`, `"size":-1`, `"f1"`, `"f2"`, `"code":0`, `"code":0,"msg":""`), callFile,
			[]string{previewtest.RuleFileID, previewtest.RuleSize, previewtest.RuleMessage},
		},

		{"download", "files/f1/download", download(`"url":"https://a.example/x?y=z"`), callDownload, nil},
		{"download: all", "files/f1/download", download(`"url":"http://a.example/x","digest":"` + strings.Repeat("A", 40) + `","digest_type":"sha1","headers":{"Referer":"x"}`), callDownload, nil},
		{"download: empty texts", "files/f1/download", download(`"url":"http://a.example/x","digest":"","digest_type":"","headers":{}`), callDownload, nil},
		{"download: no url", "files/f1/download", download(``), callDownload, []string{previewtest.RuleURL}},
		{"download: relative url", "files/f1/download", download(`"url":"/x"`), callDownload, []string{previewtest.RuleURL}},
		{"download: ftp", "files/f1/download", download(`"url":"ftp://a.example/x"`), callDownload, []string{previewtest.RuleURL}},
		{"download: digest alone", "files/f1/download", download(`"url":"http://a.example/x","digest":"` + strings.Repeat("a", 40) + `"`), callDownload, []string{previewtest.RuleDigest}},
		{"download: digest of another length", "files/f1/download", download(`"url":"http://a.example/x","digest":"` + strings.Repeat("a", 40) + `","digest_type":"md5"`), callDownload, []string{previewtest.RuleDigest}},
		{"download: sha256", "files/f1/download", download(`"url":"http://a.example/x","digest":"` + strings.Repeat("a", 64) + `","digest_type":"sha256"`), callDownload, []string{previewtest.RuleDigest}},
		{"download: digest null", "files/f1/download", download(`"url":"http://a.example/x","digest":null`), callDownload, []string{previewtest.RuleDigest}},
		{"download: headers null", "files/f1/download", download(`"url":"http://a.example/x","headers":null`), callDownload, []string{previewtest.RuleHeaders}},
		{"download: headers of lists", "files/f1/download", download(`"url":"http://a.example/x","headers":{"Referer":["x"]}`), callDownload, []string{previewtest.RuleHeaders}},
		{"download: header with a line feed", "files/f1/download", download(`"url":"http://a.example/x","headers":{"Referer":"a\nb"}`), callDownload, []string{previewtest.RuleHeaders}},
		{"download: header twice", "files/f1/download", download(`"url":"http://a.example/x","headers":{"Referer":"a","referer":"b"}`), callDownload, []string{previewtest.RuleHeaders}},
		{"download: header without a name", "files/f1/download", download(`"url":"http://a.example/x","headers":{"":"b"}`), callDownload, []string{previewtest.RuleHeaders}},

		{"permission", "files/f1/permission", download(`"user_id":"ann","read":1,"update":1,"print":0`), callPermission, nil},
		{"permission: nothing", "files/f1/permission", download(``), callPermission, nil},
		{"permission: true", "files/f1/permission", download(`"read":true,"copy":false`), callPermission, []string{previewtest.RuleFlags}},
		{"permission: 2", "files/f1/permission", download(`"read":2`), callPermission, []string{previewtest.RuleFlags}},
		{"permission: null", "files/f1/permission", download(`"saveas":null`), callPermission, []string{previewtest.RuleFlags}},
		{"permission: string", "files/f1/permission", download(`"read":"1"`), callPermission, []string{previewtest.RuleFlags}},
		{"permission: Read", "files/f1/permission", download(`"Read":1`), callPermission, []string{previewtest.RuleFlags}},
		{"permission: write", "files/f1/permission", download(`"read":1,"write":1`), callPermission, []string{previewtest.RuleFlags}},
		{"permission: write beside update", "files/f1/permission", download(`"read":1,"write":1,"update":0`), callPermission, nil},
		{"permission: update with user_id null", "files/f1/permission", download(`"update":1,"user_id":null`), callPermission, []string{previewtest.RuleUserID, previewtest.RuleUserType}},
		{"permission: update without user_id", "files/f1/permission", download(`"read":1,"update":1`), callPermission, []string{previewtest.RuleUserID}},
		{"permission: print with empty user_id", "files/f1/permission", download(`"read":1,"print":1,"user_id":""`), callPermission, []string{previewtest.RuleUserID}},
		{"permission: user_id is a number", "files/f1/permission", download(`"user_id":7,"update":1`), callPermission, []string{previewtest.RuleUserType}},

		{"users", "users", `{"code":0,"data":[{"id":"bob","name":"Bob","avatar_url":"https://a.example/b"},{"id":"ann","name":"Ann"}]}`, callUsers, nil},
		{"users: none", "users", `{"code":0,"data":[]}`, callUsers, nil},
		{"users: wrapped", "users", `{"code":0,"data":{"users":[]}}`, callUsers, []string{previewtest.RuleUsersList}},
		{"users: null", "users", `{"code":0,"data":null}`, callUsers, []string{previewtest.RuleUsersList}},
		{"users: user_id", "users", `{"code":0,"data":[{"user_id":"ann","name":"Ann"}]}`, callUsers, []string{previewtest.RuleUserFields}},
		{"users: no name", "users", `{"code":0,"data":[{"id":"ann"}]}`, callUsers, []string{previewtest.RuleUserFields}},
		{"users: number", "users", `{"code":0,"data":[7]}`, callUsers, []string{previewtest.RuleUserFields}},
		{"users: http avatar", "users", `{"code":0,"data":[{"id":"ann","name":"Ann","avatar_url":"http://a.example"}]}`, callUsers, []string{previewtest.RuleUserAvatar}},
		{"users: avatar null", "users", `{"code":0,"data":[{"id":"ann","name":"Ann","avatar_url":null}]}`, callUsers, []string{previewtest.RuleUserAvatar}},
		{"users: somebody else", "users", `{"code":0,"data":[{"id":"root","name":"Root"}]}`, callUsers, []string{previewtest.RuleUsersAsked}},
		{"users: twice", "users", `{"code":0,"data":[{"id":"ann","name":"Ann"},{"id":"ann","name":"Ann"}]}`, callUsers, []string{previewtest.RuleUsersAsked}},

		{"versions", "files/f1/versions", `{"code":0,"data":[` + data(rightFile()) + `,` + data(rightFile(`"version":3`, `"version":1`)) + `]}`, callVersions, nil},
		{"versions: wrapped", "files/f1/versions", `{"code":0,"data":{"histories":[]}}`, callVersions, []string{previewtest.RuleVersionsList}},
		{"versions: ascending", "files/f1/versions", `{"code":0,"data":[` + data(rightFile()) + `,` + data(rightFile(`"version":3`, `"version":4`)) + `]}`, callVersions, []string{previewtest.RuleVersionsOrder}},
		{"versions: too many", "files/f1/versions", `{"code":0,"data":[` + data(rightFile()) + `,` + data(rightFile(`"version":3`, `"version":2`)) + `,` + data(rightFile(`"version":3`, `"version":1`)) + `]}`, callVersions, []string{previewtest.RuleVersionsPage}},
		{"version", "files/f1/versions/3", rightFile(), callVersion, nil},
		{"version: another", "files/f1/versions/3", rightFile(`"version":3`, `"version":2`), callVersion, []string{previewtest.RuleVersionAsked}},
		{"rename", "files/f1/name", `{"code":0,"data":{}}`, callRename, nil},
		{"rename: no data", "files/f1/name", `{"code":0}`, callRename, []string{previewtest.RuleData}},
		{"save: digest_types null", "files/f1/upload/prepare", `{"code":0,"data":{"digest_types":null}}`, callSave, []string{previewtest.RuleDigestTypes}},
		{"save: digest type", "files/f1/upload/prepare", `{"code":0,"data":{"digest_types":["crc"]}}`, callSave, []string{previewtest.RuleDigestTypes}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			err := tc.call(t.Context(), viewerOf(t, script{tc.path: tc.body}))
			if diff := cmp.Diff(tc.want, rulesIn(err), cmp.Transformer("sorted", func(s []string) []string { return slices.Sorted(slices.Values(s)) })); diff != "" {
				t.Errorf("broken rules (-want +got):\n%s\n%v", diff, err)
			}
			if (err != nil) != (tc.want != nil) {
				t.Errorf("err = %v", err)
			}
		})
	}
}

// data takes the data out of an answer.
func data(answer string) string {
	_, rest, _ := strings.Cut(answer, `"data":`)
	return strings.TrimSuffix(rest, "}")
}

// TestViewerStatus reads content type and status of an answer.
func TestViewerStatus(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name        string
		status      int
		contentType string
		body        string
		want        []string
	}{
		{"html 404", 404, "text/html", "<h1>404</h1>", []string{previewtest.RuleJSON}},
		{"json as text", 200, "text/plain; charset=utf-8", rightFile(), []string{previewtest.RuleJSON}},
		{"gbk", 200, "application/json; charset=gbk", rightFile(), []string{previewtest.RuleJSON}},
		{"no type", 200, "", rightFile(), []string{previewtest.RuleJSON}},
		{"success with 201", 201, "application/json", rightFile(), []string{previewtest.RuleStatus}},
		{"success with 500", 500, "application/json", rightFile(), []string{previewtest.RuleStatus}},
		{"refusal with 403", 403, "application/json", `{"code":40003,"message":"no"}`, []string{""}},
		{"refusal with 200", 200, "application/json", `{"code":40003}`, []string{""}},
		{"refusal with msg", 200, "application/json", `{"code":40003,"msg":"no"}`, []string{"", previewtest.RuleMessage}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			v := viewerOf(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = []string{tc.contentType}
				w.WriteHeader(tc.status)
				_, _ = io.WriteString(w, tc.body)
			}))
			_, err := v.File(t.Context(), "f1")
			if diff := cmp.Diff(tc.want, rulesIn(err)); diff != "" {
				t.Errorf("broken rules (-want +got):\n%s", diff)
			}
			var e *previewtest.AnswerError
			if !errors.As(err, &e) || e.StatusCode != tc.status {
				t.Errorf("err = %v, want an AnswerError of HTTP %d", err, tc.status)
			}
		})
	}
}

// TestTimesAgree holds a Handler, a Viewer and Check to the same times.
func TestTimesAgree(t *testing.T) {
	t.Parallel()
	for seconds, right := range map[int64]bool{-1: false, 0: false, 1: true, 99_999_999_999: true, 100_000_000_000: false} {
		store := previewtest.MapStore{"f1": {File: preview.File{CreatedAt: time.Unix(seconds, 0)}}}
		h, err := preview.NewHandler(preview.Config{Store: store, Auth: signing.Unsigned, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		answered := callFile(t.Context(), viewerOf(t, h))
		written := strconv.FormatInt(seconds, 10)
		seen := callFile(t.Context(), viewerOf(t, script{"files/f1": rightFile(`"create_time":1700000000`, `"create_time":`+written)}))
		checked := previewtest.Check(t.Context(), previewtest.Fixture{Config: preview.Config{Store: store}, Existing: []preview.Request{{FileID: "f1"}}})
		for name, err := range map[string]error{"a Handler": answered, "a Viewer": seen, "Check": checked} {
			if (err == nil) != right {
				t.Errorf("second %d: %s says %v", seconds, name, err)
			}
		}
	}
}

// TestViewerDetails says where and what.
func TestViewerDetails(t *testing.T) {
	t.Parallel()
	in := func(data string) string { return `{"code":0,"data":` + data + `}` }
	for _, tc := range []struct {
		path, body  string
		call        call
		field, says string
	}{
		{"files/f1", rightFile(`"f1"`, `"F1"`), callFile, "id", `is "F1"`},
		{"files/f1", rightFile(`"f1"`, `"`+strings.Repeat("x", 300)+`"`), callFile, "id", `xxx…"`},
		{"files/f1", rightFile(`"f1"`, `"CANARY-token"`), callFile, "id", `is "[secret]"`},
		{"files/f1/download", in(`{"url":"http://a.example/x","headers":{"a":"b","c":1}}`), callDownload, "headers.c", "is the number 1, not a string"},
		{"files/f1/download", in(`{"url":"http://a.example/x","headers":{"c":null}}`), callDownload, "headers.c", "is null, not a string"},
		{"files/f1/download", in(`{"url":"http://a.example/x","headers":[]}`), callDownload, "headers", "is a list, not an object"},
		{"files/f1/permission", in(`{"read":1,"write":1}`), callPermission, "write", "is there, and update is not"},
		{"files/f1/permission", in(`{"Read":1}`), callPermission, "Read", "is there, and read is not"},
		{"users", in(`[{"id":"ann","name":"Ann"},null]`), callUsers, "data[1]", "is null, not an object"},
		{"users", in(`[{"id":"ann"}]`), callUsers, "data[0].name", "is missing"},
		{"users", in(`[{"id":"root","name":"Root"}]`), callUsers, "data[0].id", `is "root", whom nobody asked for`},
		{"users", in(`[{"id":"ann","name":"Ann","avatar_url":"http://a.example/a?s=CANARY"}]`), callUsers, "data[0].avatar_url", `is "http://a.example/a?[secret]"`},
		{"files/f1/versions", in(`[` + data(rightFile()) + `,7]`), callVersions, "data[1]", "is the number 7, not an object"},
		{"files/f1/versions", in(`[` + data(rightFile(`"size":5,`, ``)) + `]`), callVersions, "data[0].size", "is missing"},
	} {
		err := tc.call(t.Context(), viewerOf(t, script{tc.path: tc.body}).As(signing.NewSecret("CANARY-token")))
		var e *previewtest.AnswerError
		if !errors.As(err, &e) || e.Field != tc.field || !strings.Contains(e.Detail, tc.says) {
			t.Errorf("%s:\n%v, want %s %s", tc.body, err, tc.field, tc.says)
		}
		if strings.Contains(fmt.Sprint(err), "CANARY") {
			t.Errorf("%v shows a secret", err)
		}
	}
}

// TestAnswerErrorIs finds the meaning of a refusal.
func TestAnswerErrorIs(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]error{
		"40002": preview.ErrUnauthorized, "40003": preview.ErrForbidden, "40004": preview.ErrNotFound, "40005": preview.ErrInvalid,
		"40006": preview.ErrStorageFull, "40008": preview.ErrNameConflict, "40009": preview.ErrVersionNotFound,
		"40010": preview.ErrUserNotFound, "41001": preview.ErrNotUploaded,
	} {
		err := callFile(t.Context(), viewerOf(t, script{"files/f1": `{"code":` + code + `,"message":"m"}`}))
		if !errors.Is(err, want) {
			t.Errorf("code %s: errors.Is(%v, %v) is false", code, err, want)
		}
		if errors.Is(err, io.EOF) {
			t.Errorf("code %s is io.EOF as well", code)
		}
	}
	if err := callFile(t.Context(), viewerOf(t, script{"files/f1": `{"code":1}`})); errors.Is(err, preview.ErrNotFound) {
		t.Errorf("%v is ErrNotFound", err)
	}
}
