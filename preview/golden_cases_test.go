package preview_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"

	"github.com/weboffice-go/weboffice/preview"
)

// storeError is an error of a store, and the answer to it (public reference 3.3).
type storeError struct {
	name   string
	err    error
	status int
	code   int
}

func storeErrors() []storeError {
	return []storeError{
		{"unauthorized", preview.ErrUnauthorized, 401, 40002},
		{"forbidden", preview.ErrForbidden, 403, 40003},
		{"not found", preview.ErrNotFound, 404, 40004},
		{"wrapped not found", fmt.Errorf("bucket: %w", preview.ErrNotFound), 404, 40004},
		{"invalid", preview.ErrInvalid, 400, 40005},
		{"storage full", preview.ErrStorageFull, 403, 40006},
		{"name conflict", preview.ErrNameConflict, 409, 40008},
		{"no such version", preview.ErrVersionNotFound, 404, 40009},
		{"no such user", preview.ErrUserNotFound, 404, 40010},
		{"not uploaded", preview.ErrNotUploaded, 400, 41001},
		{"message for the user", preview.Reply{Code: preview.CodeMessage, Message: "Wird geprüft \"jetzt\" <b>"}, 200, 40007},
		{"wrapped reply", fmt.Errorf("scan: %w", preview.Reply{Status: 423, Code: 40007, Message: "Locked"}), 423, 40007},
		{"pointer to a reply", &preview.Reply{Code: preview.CodeMessage, Message: "By pointer"}, 200, 40007},
		{"unknown", fs.ErrNotExist, 500, 50001},
		{"timed out", fmt.Errorf("query: %w", context.DeadlineExceeded), 500, 50001},
		{"a rule", &preview.RuleError{Field: "name", Rule: "protocol 2.4: required"}, 500, 50001},
		{"reply without a code", preview.Reply{Message: "inner text"}, 500, 50001},
		{"reply without a body", preview.Reply{Status: http.StatusNoContent, Code: 1, Message: "inner text"}, 500, 50001},
		{"reply that is informational", preview.Reply{Status: 103, Code: 1, Message: "inner text"}, 500, 50001},
		{"joined", errors.Join(errors.New("inner text"), preview.ErrForbidden), 403, 40003},
	}
}

// variants are the answers of a route beyond its usual one.
func variants() map[string][]goldenCase {
	badIDs := func(path string) []goldenCase {
		return []goldenCase{
			{name: "empty id", path: fmt.Sprintf(path, "")},
			{name: "id too long", path: fmt.Sprintf(path, strings.Repeat("a", 48))},
			{name: "id with an escaped slash", path: fmt.Sprintf(path, "..%2F..%2Fetc")},
			{name: "id with a dot", path: fmt.Sprintf(path, "a.b")},
			{name: "id with a null", path: fmt.Sprintf(path, "a%00b")},
			{name: "id that is not UTF-8", path: fmt.Sprintf(path, "a%ffb")},
		}
	}
	return map[string][]goldenCase{
		"file": append(badIDs("files/%s"),
			goldenCase{name: "text that JSON escapes", backend: &backend{file: func(context.Context, preview.Request) (preview.File, error) {
				f := goodFile()
				f.Name, f.CreatorID, f.ModifierID = "Übersicht & 'Plan' 👩‍👩‍👧.docx", "a\"b\\c\n", "\u2028"
				return f, nil
			}}},
			goldenCase{name: "largest numbers", backend: &backend{file: func(context.Context, preview.Request) (preview.File, error) {
				f := goodFile()
				f.Version, f.Size = 1<<32-1, 1<<63-1
				return f, nil
			}}},
			goldenCase{name: "panic", backend: &backend{file: func(context.Context, preview.Request) (preview.File, error) { panic("inner text") }}},
			goldenCase{name: "trailing slash", path: "files/f1/"},
			goldenCase{name: "double slash", path: "/files/f1"},
			goldenCase{name: "unknown callback", path: "files/f1/watermark"},
			goldenCase{name: "nothing", path: "?"},
			goldenCase{name: "HEAD", method: http.MethodHead, path: "files/f1"},
			goldenCase{name: "request id that is no text", header: map[string]string{"X-Request-Id": "a\x01b"}, backend: failing(errors.New("inner text"))},
		),
		"download": append(badIDs("files/%s/download"),
			goldenCase{name: "address alone", backend: &backend{download: func(context.Context, preview.Request) (preview.Download, error) {
				return preview.Download{URL: "http://files.example.com/a", Header: map[string]string{}}, nil
			}}},
			goldenCase{name: "sha1", backend: &backend{download: func(context.Context, preview.Request) (preview.Download, error) {
				return preview.Download{URL: "https://files.example.com/a", Digest: preview.SHA1Sum([20]byte{0xab})}, nil
			}}},
		),
		"permission": append(badIDs("files/%s/permission"),
			goldenCase{name: "nothing allowed", backend: &backend{permission: func(context.Context, preview.Request) (preview.Permission, error) {
				return preview.Permission{}, nil
			}}},
		),
		"users": {
			{name: "nobody found", path: "users?user_ids=9", backend: &backend{users: func(context.Context, preview.Request, []string) ([]preview.User, error) { return nil, nil }}},
			{name: "avatar", path: "users?user_ids=1", backend: &backend{users: func(context.Context, preview.Request, []string) ([]preview.User, error) {
				return []preview.User{{ID: "1", Name: "Łucja", AvatarURL: "https://example.com/1.png"}}, nil
			}}},
			{name: "asked twice", path: "users?user_ids=2&user_ids=1&user_ids=2"},
			{name: "without ids", path: "users"},
			{name: "empty id", path: "users?user_ids=1&user_ids="},
			{name: "nothing but empty ids", path: "users?user_ids=&user_ids="},
			{name: "query that cannot be read", path: "users?user_ids=%zz"},
			{name: "id that is not UTF-8", path: "users?user_ids=%ff"},
		},
		"rename": {
			{name: "empty body", method: "PUT", path: "files/f1/name"},
			{name: "null", method: "PUT", path: "files/f1/name", body: "null"},
			{name: "no name", method: "PUT", path: "files/f1/name", body: "{}"},
			{name: "forbidden character", method: "PUT", path: "files/f1/name", body: `{"name":"a/b.docx"}`},
			{name: "two objects", method: "PUT", path: "files/f1/name", body: `{"name":"a"}{"name":"b"}`},
			{name: "bad id", method: "PUT", path: "files/a.b/name", body: `{"name":"a"}`},
		},
		"versions": {
			{name: "none", path: "files/f1/versions", backend: &backend{versions: func(context.Context, preview.Request, preview.Page) ([]preview.File, error) { return nil, nil }}},
			{name: "limit that is no number", path: "files/f1/versions?limit=-1"},
			{name: "query that cannot be read", path: "files/f1/versions?%zz"},
		},
		"version": {
			{name: "zero", path: "files/f1/versions/0"},
			{name: "above 32 bits", path: "files/f1/versions/4294967296"},
			{name: "no number", path: "files/f1/versions/latest"},
			{name: "empty", path: "files/f1/versions/"},
			{name: "unknown part", path: "files/f1/versions/6/name"},
		},
		"prepare-upload": {
			{name: "no digests", path: "files/f1/upload/prepare", backend: &backend{prepare: func(context.Context, preview.Request) ([]preview.DigestType, error) { return nil, nil }}},
		},
		"upload-address": {
			{name: "address alone", backend: &backend{address: func(context.Context, preview.Request, preview.Upload) (preview.UploadAddress, error) {
				return preview.UploadAddress{URL: "https://files.example.com/put"}, nil
			}}},
			{name: "another file", method: "POST", path: "files/f2/upload/address", body: uploadBody},
			{name: "negative size", method: "POST", path: "files/f1/upload/address", body: `{"name":"a","size":-1}`},
			{name: "wrong digest", method: "POST", path: "files/f1/upload/address", body: `{"name":"a","size":1,"digest":{"md5":"xyz"}}`},
			{name: "no size", method: "POST", path: "files/f1/upload/address", body: `{"name":"a"}`},
			{name: "array", method: "POST", path: "files/f1/upload/address", body: `[]`},
		},
		"complete-upload": {
			{name: "no request", method: "POST", path: "files/f1/upload/complete", body: `{}`},
			{name: "no size", method: "POST", path: "files/f1/upload/complete", body: `{"request":{"name":"a"}}`},
		},
	}
}
