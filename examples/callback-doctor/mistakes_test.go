package main

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/preview/previewtest"
)

// mistake is one that integrators make.
type mistake struct {
	make func(t *testing.T, p *patient)
	base string
	args []string
	want []string // rules
	says string
}

// answer is a mistake in one answer.
func answer(path, from, to, rule, says string) mistake {
	return mistake{make: func(t *testing.T, p *patient) {
		t.Helper()
		p.change(t, path, from, to)
	}, want: []string{rule}, says: says}
}

// verified is a mistake in how signatures are verified.
func verified(change func(v *verifier), rule, says string) mistake {
	return mistake{make: func(_ *testing.T, p *patient) { change(&p.verify) }, want: []string{rule}, says: says}
}

// wrapped is a mistake around the callbacks.
func wrapped(wrap func(w http.ResponseWriter, r *http.Request, next http.Handler), rule, says string) mistake {
	return mistake{make: func(_ *testing.T, p *patient) {
		p.wrap = func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { wrap(w, r, next) })
		}
	}, want: []string{rule}, says: says}
}

// instead answers one path otherwise.
func instead(path string, h http.HandlerFunc, rule, says string) mistake {
	return wrapped(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.HasSuffix(r.URL.Path, path) {
			h(w, r)
			return
		}
		next.ServeHTTP(w, r)
	}, rule, says)
}

func text(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func mistakes() map[string]mistake {
	none := func(*testing.T, *patient) {}
	return map[string]mistake{
		"id of the database":         answer("files/f1", `"id":"f1"`, `"id":"17"`, previewtest.RuleFileID, `id is "17"`),
		"name with a slash":          answer("files/f1", `Plan.docx`, `a/Plan.docx`, previewtest.RuleFileName, `a/Plan.docx`),
		"name that is too long":      answer("files/f1", `Plan.docx`, strings.Repeat("a", 241), previewtest.RuleFileNameLength, "241 characters"),
		"version of milliseconds":    answer("files/f1", `"version":3`, `"version":1700000000000`, previewtest.RuleVersion, "version is 1700000000000"),
		"version as a string":        answer("files/f1", `"version":3`, `"version":"3"`, previewtest.RuleFileTypes, "version is a string"),
		"negative size":              answer("files/f1", `"size":12`, `"size":-1`, previewtest.RuleSize, "size is -1"),
		"no creator":                 answer("files/f1", `"creator_id":"ann",`, ``, previewtest.RuleFileFields, "creator_id is missing"),
		"milliseconds":               answer("files/f1", `1700000001`, `1700000001000`, previewtest.RuleTimes, "modify_time is 1700000001000"),
		"size of another version":    answer("files/f1", `"size":12`, `"size":11`, previewtest.RuleFetchSize, "11 bytes were announced, and 12 were fetched"),
		"digest of another version":  answer("f1/download", `"digest":"`+sumOfDocument, `"digest":"`+strings.Repeat("0", 40), previewtest.RuleFetchDigest, "was announced"),
		"digest without its type":    answer("f1/download", `"digest_type":"sha1",`, ``, previewtest.RuleDigest, "no digest_type"),
		"headers null":               answer("f1/download", `"headers":{"X-Key":"open"}`, `"headers":null,"x":{"X-Key":"open"}`, previewtest.RuleHeaders, "headers is null"),
		"headers of numbers":         answer("f1/download", `"headers":{"X-Key":"open"}`, `"headers":{"X-Key":"open","X-Age":1}`, previewtest.RuleHeaders, "headers.X-Age is the number 1"),
		"no url":                     answer("f1/download", `"url"`, `"download_url"`, previewtest.RuleURL, "url is missing"),
		"relative url":               answer("f1/download", `"url":"http:`, `"url":"`, previewtest.RuleURL, "not an absolute address"),
		"dead url":                   answer("f1/download", `signature=CANARY`, `signature=CANARY2`, previewtest.RuleFetch, "HTTP 403"),
		"flags as booleans":          answer("f1/permission", `"copy":1,"print":1`, `"copy":true,"print":false`, previewtest.RuleFlags, "copy is true"),
		"write for update":           answer("f1/permission", `"update":1`, `"write":1`, previewtest.RuleFlags, "write is there, and update is not"),
		"flags as strings":           answer("f1/permission", `"read":1`, `"read":"1"`, previewtest.RuleFlags, "read is a string"),
		"no user_id":                 answer("f1/permission", `"user_id":"ann",`, ``, previewtest.RuleUserID, "user_id is missing"),
		"user_id as a number":        answer("f1/permission", `"user_id":"ann"`, `"user_id":7`, previewtest.RuleUserType, "user_id is the number 7"),
		"user that is not known":     answer("f1/permission", `"user_id":"ann"`, `"user_id":"zoe"`, previewtest.RuleUserKnown, `there is no user "zoe"`),
		"read 0":                     answer("f1/permission", `"read":1`, `"read":0`, ruleAnswered, "read is 0"),
		"users wrapped":              answer("users", `[{users}]`, `{"users":[{users}]}`, previewtest.RuleUsersList, "an object, not a list"),
		"users with user_id":         {make: usersAs(`{"user_id":"ann","name":"Ann"}`), want: []string{previewtest.RuleUserFields}, says: "id is missing"},
		"users hard-coded":           {make: usersAs(`{"id":"ann","name":"Ann"},{"id":"root","name":"Root"}`), want: []string{previewtest.RuleUsersAsked}, says: "nobody asked for"},
		"avatar over http":           {make: usersAs(`{"id":"ann","name":"Ann","avatar_url":"http://a.example/a.png"}`), want: []string{previewtest.RuleUserAvatar}, says: "avatar_url"},
		"users that are not served":  instead("/users", http.NotFound, previewtest.RuleUserKnown, "HTTP 404"),
		"versions wrapped":           answer("f1/versions", `"data":[`, `"data":{"histories":[`, previewtest.RuleJSON, "no JSON object"),
		"versions ascending":         answer("f1/versions", `"version":2`, `"version":4`, previewtest.RuleVersionsOrder, "4 follows 3"),
		"versions of another latest": answer("f1/versions", `"version":3`, `"version":4`, ruleLatest, "not version 3"),
		"history that is not served": instead("/versions", text(404, "application/json", `{"code":40004}`), ruleHistory, "HTTP 404"),

		"version of another number": answer("versions/2", `"version":2`, `"version":3`, previewtest.RuleVersionAsked, "version is 3"),
		"no single version":         instead("f1/versions/2", text(404, "application/json", `{"code":40009}`), ruleVersion, "/versions/2: HTTP 404"),
		"no download of a version":  instead("f1/versions/2/download", text(404, "application/json", `{"code":40004}`), ruleVersion, "/versions/2/download: HTTP 404"),
		"url of a version nowhere":  answer("versions/2/download", `signature=CANARY`, `signature=CANARY2`, previewtest.RuleFetch, "HTTP 403"),
		"bytes of another version":  answer("versions/2/download", `&version=2`, ``, previewtest.RuleFetchSize, "11 bytes were announced, and 12 were fetched"),
		"update without saving":     instead("f1/upload/prepare", http.NotFound, ruleSave, "update 1"),
		"digest types of objects":   answer("f1/upload/prepare", `["sha1"]`, `{"sha1":1}`, previewtest.RuleDigestTypes, "digest_types is an object"),
		"rename without renaming": {make: func(t *testing.T, p *patient) {
			t.Helper()
			p.change(t, "f1/permission", `"rename":0`, `"rename":1`)
			p.wrap = func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method == http.MethodPost {
						w.WriteHeader(http.StatusMethodNotAllowed)
						return
					}
					next.ServeHTTP(w, r)
				})
			}
		}, want: []string{ruleRename}, says: "rename 1"},
		"version that stays": {make: func(t *testing.T, p *patient) {
			t.Helper()
			p.change(t, "f1/upload/complete", `"version":4`, `"version":3`)
		}, args: []string{"-save"}, want: []string{previewtest.RuleSaved}, says: "version is 3, and was 3 before the save"},
		"upload refused": {make: func(t *testing.T, p *patient) {
			t.Helper()
			p.change(t, "f1/upload/address", `/up"`, `/down"`)
		}, args: []string{"-save"}, want: []string{previewtest.RuleUpload}, says: "HTTP 404"},
		"signed without the query": verified(func(v *verifier) { v.path = func(r *http.Request) string { return r.URL.Path } }, ruleQuery, "without its query is accepted"),

		"msg for message":  answer("permission", `{"code":0,`, `{"code":0,"msg":"ok",`, previewtest.RuleMessage, "msg is there instead of message"),
		"code as a string": answer("f1", `{"code":0,`, `{"code":"0",`, previewtest.RuleCode, "code is a string"),
		"no envelope":      {make: bare, want: []string{previewtest.RuleCode, previewtest.RuleData}, says: "code is missing"},
		"JSON as text":     wrapped(asText, previewtest.RuleJSON, `"text/plain"`),
		"html for what is not": {make: func(_ *testing.T, p *patient) {
			p.missing = func(w http.ResponseWriter) { text(404, "text/html", "<h1>404")(w, nil) }
		}, want: []string{previewtest.RuleJSON}, says: `HTTP 404, Content-Type "text/html"`},
		"another code": {make: func(_ *testing.T, p *patient) {
			p.missing = func(w http.ResponseWriter) {
				text(500, "application/json", `{"code":50001,"message":"null pointer"}`)(w, nil)
			}
		}, want: []string{ruleMissing}, says: "code 50001"},
		"what is not is answered": {make: func(_ *testing.T, p *patient) {
			p.missing = func(w http.ResponseWriter) { text(200, "application/json", p.answers["files/f1"])(w, nil) }
		}, want: []string{ruleMissing}, says: "answered with code 0"},
		"no permission callback": instead("/permission", http.NotFound, ruleRoute, "/permission: HTTP 404"),
		"download by POST only":  instead("files/f1/download", text(405, "text/plain", "no"), ruleRoute, "/download: HTTP 405"),
		"internal error":         instead("f1/download", text(200, "application/json", `{"code":50001,"message":"oh"}`), ruleAnswered, `code 50001, "oh"`),
		"html error":             instead("f1/download", text(502, "text/html", "bad gateway"), ruleAnswered, "HTTP 502"),
		"redirect":               wrapped(redirect, previewtest.RuleStatus, "HTTP 301"),
		"success with 201":       instead("f1/permission", text(201, "application/json", `{"code":0,"data":{"read":1}}`), previewtest.RuleStatus, "HTTP 201"),
		"crash":                  instead("f1/permission", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, ruleAnswered, "EOF"),
		"no such document":       {make: none, args: []string{"-file", "f9"}, want: []string{ruleAnswered}, says: "code 40004"},

		"nothing is verified":         verified(func(v *verifier) { v.off = true }, ruleVerified, "zeros"),
		"skipped without a signature": verified(func(v *verifier) { v.skipAbsent = true }, ruleUnsigned, "without Authorization"),
		"Content-Md5 is trusted":      verified(func(v *verifier) { v.trustMD5 = true }, ruleTarget, "another path"),
		"Date is not compared":        verified(func(v *verifier) { v.anyDate = true }, ruleDate, "an hour ago"),
		"prefix stripped": verified(func(v *verifier) {
			v.path = func(r *http.Request) string { return strings.TrimPrefix(r.RequestURI, "/office") }
		}, rulePrefix, "without /office is accepted"),
		"MD5 of nothing": verified(func(v *verifier) { v.path = func(*http.Request) string { return "" } }, ruleEmptyMD5, "MD5 of nothing"),
		"type of a GET":  verified(func(v *verifier) { v.contentType = "application/json" }, ruleEmptyType, "application/json is accepted"),
		"another scheme": verified(func(v *verifier) { v.scheme = "WPS-2" }, ruleScheme, "WPS-2 is accepted"),
		"another key":    {make: none, args: []string{"-app-id", "SX2"}, want: []string{ruleAccepted}, says: "HTTP 401, code 40002"},

		"gateway with the suffix": {make: func(_ *testing.T, p *patient) { p.mux = "/v3/3rd/" }, base: "http://office.example.com/v3/3rd/", want: []string{ruleGateway, rulePublic}, says: "ends in /v3/3rd"},
		"routes without the suffix": {make: func(_ *testing.T, p *patient) {
			p.mux = "/office/"
			p.missing = func(w http.ResponseWriter) { text(404, "text/html", "<h1>404")(w, nil) }
		}, want: []string{ruleRoute}, says: "your routes lack /v3/3rd"},
		"nothing there":    {make: func(_ *testing.T, p *patient) { p.mux = "/elsewhere/" }, want: []string{ruleRoute}, says: "HTTP 404, text/plain"},
		"private download": {make: func(_ *testing.T, p *patient) { p.mux = "/v3/3rd/" }, base: "http://office.example.com", want: []string{rulePublic}, says: "url is at 127.0.0.1"},
	}
}

// sumOfDocument is the SHA-1 of "the document".
const sumOfDocument = "c85fa97403329b15620cfe79e0f08eade18ddba4"

// usersAs answers every lookup of users alike, of whom only one may be asked for.
func usersAs(users string) func(t *testing.T, p *patient) {
	return func(t *testing.T, p *patient) {
		t.Helper()
		p.change(t, "users", `{users}`, users)
	}
}

// bare takes the envelope away from file info.
func bare(_ *testing.T, p *patient) {
	body := p.answers["files/f1"]
	_, body, _ = strings.Cut(body, `"data":`)
	p.answers["files/f1"] = strings.TrimSuffix(body, "}")
}

func asText(w http.ResponseWriter, r *http.Request, next http.Handler) {
	next.ServeHTTP(&plain{w}, r)
}

// plain is a framework that says text/plain.
type plain struct{ http.ResponseWriter }

func (p *plain) Write(b []byte) (int, error) {
	p.Header().Set("Content-Type", "text/plain")
	return p.ResponseWriter.Write(b)
}

func (p *plain) WriteHeader(status int) {
	p.Header().Set("Content-Type", "text/plain")
	p.ResponseWriter.WriteHeader(status)
}

func redirect(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if strings.Contains(r.URL.Path, "/f1") && !strings.HasSuffix(r.URL.Path, "/") && !strings.HasSuffix(r.URL.Path, "versions") {
		http.Redirect(w, r, r.URL.Path+"/", http.StatusMovedPermanently)
		return
	}
	next.ServeHTTP(w, r)
}
