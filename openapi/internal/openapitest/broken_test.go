package openapitest_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/signing/signingtest"
)

// TestWhatIsBrokenFails breaks one thing at a time in an exchange that is good.
func TestWhatIsBrokenFails(t *testing.T) {
	t.Parallel()
	const (
		send    = "POST /api/v1/webhook/send?key=k"
		file    = "GET /v3/3rd/files/plan"
		info    = `{"code":0,"data":{"id":"plan","name":"Plan.docx","version":1,"size":8,"create_time":1,"modify_time":2,"creator_id":"u","modifier_id":"u"}}`
		task    = `{"code":0,"data":{"task_id":"t"}}`
		done    = `{"code":0,"data":{"status":"success","progress":100,"result":{"txts":[{"url":"https://x/1","size":1}]}}}`
		text    = `{"msgtype":"text","text":{"content":"x"}}`
		card    = `{"msgtype":"card","card":{"header":{"title":{"tag":"text","content":{"type":"markdown","text":"x"}}},"elements":[{"tag":"text","content":{"type":"plainText","text":"x"}}]}}`
		mention = `{"chatid":1,"creator":2,"content":"x","robot_key":"k","url":"u","ctime":3}`
		token   = `{"code":0,"data":{"access_token":"a","token_type":"bearer","expires_in":7199}}`
		asks    = `{"app_id":"a","file_id":"f","weboffice_token":"t"}`
		upload  = `{"file_id":"plan","name":"Plan.docx","size":8,"digest":{"md5":"0123456789abcdef0123456789abcdef"},"is_manual":true}`
		address = `{"code":0,"data":{"url":"https://x/put","method":"PUT"}}`
		ok      = `{"result":"ok"}`
	)
	for _, tt := range []struct {
		doc, call, body, answer string
		breaks                  []string // pairs: a text, and what stands in its place, in the body or else in the answer
	}{
		{"service.yaml", "POST " + toText, contract, task, []string{
			`"url"`, `"uri"`, `https:`, `ftp:`, `contract.docx"}`, `contract.exe"}`, `}`, `,"show_comments":1}`, `}`, `,"ranges":"1","to_page":2}`,
			`}`, `,"from_page":"1"}`, `"task_id"`, `"id"`, `:"t"`, `:7`,
		}},
		{"service.yaml", "POST " + toPDF, contract, task, []string{`}`, `,"ranges":"1"}`, `}`, `,"show_comments":true}`, `.docx"}`, `.pdf"}`}},
		{"service.yaml", "GET " + tasks + "open:t", "", done, []string{`"status"`, `"state"`, `:100`, `:99`, `:1}`, `:"1"}`, `"success"`, `1`}},
		{"service.yaml", send, text, ok, []string{`"text",`, `"news",`, `"content"`, `"text"`, `"x"`, `" "`, `"x"`, `"` + strings.Repeat("x", 5001) + `"`, `}}`, `},"link":{}}`}},
		{"service.yaml", send, card, ok, []string{`markdown`, `html`, `"title"`, `"subtitle"`, `elements`, `items`, `"tag":"text"`, `"tag":"button"`}},
		{"callbacks.yaml", file, "", info, []string{
			`"id":"plan",`, ``, `Plan.docx`, `a/b`, `:1,"size"`, `:0,"size"`, `:1,"size"`, `:4294967296,"size"`, `:8`, `:-1`, `:8`, `:"8"`,
			`:2,`, `:1700000000000,`, `"u"}`, `""}`, `}}`, `,"owner":"u"}}`, `"code":0`, `"code":"0"`, `"code":0,`, ``,
		}},
		{"callbacks.yaml", file + "/download", "", `{"code":0,"data":{"url":"https://x/1","digest":"0123456789abcdef0123456789abcdef","digest_type":"md5","headers":{"A":"b"}}}`, []string{
			`https:`, `file:`, `abcdef"`, `abcde"`, `,"digest_type":"md5"`, ``, `md5`, `sha1`, `md5`, `crc32`, `"b"`, `["b"]`,
		}},
		{"callbacks.yaml", file + "/permission", "", `{"code":0,"data":{"user_id":"u","read":1,"update":1}}`, []string{`"user_id":"u",`, ``, `"u"`, `""`, `"read":1`, `"read":true`, `"read":1`, `"write":1`}},
		{"callbacks.yaml", "GET /v3/3rd/users?user_ids=1", "", `{"code":0,"data":[{"id":"1","name":"Ada"}]}`, []string{`[{"id":"1","name":"Ada"}]`, `{"users":[]}`, `}]}`, `}]}}`, `"1"`, `1`, `"Ada"`, `"Ada","avatar_url":"http://x/1"`}},
		{"callbacks.yaml", "POST /v3/3rd/files/plan/upload/address", upload, address, []string{`"name"`, `"title"`, `abcdef"`, `"`, `:8`, `:-8`, `PUT`, `GET`, `"method"`, `"verb"`}},
		{"callbacks.yaml", "PUT /v3/3rd/files/plan/name", `{"name":"Plan.docx"}`, `{"code":0,"data":{}}`, []string{`Plan`, `?`, `"data"`, `"result"`, `{}`, `{"id":"plan"}`}},
		{"callbacks.yaml", "POST /v3/3rd/open/access_token", asks, token, []string{`"app_id":"a",`, ``, `"t"}`, `""}`, `bearer`, `mac`, `7199`, `0`, `7199`, `"7199"`}},
		{"callbacks.yaml", "POST /robot/callback", mention, ok, []string{`"chatid":1,`, ``, `:2`, `:"2"`, `"ok"`, `"OK"`, `"result"`, `"code":0,"status"`}},
	} {
		t.Run(tt.call, func(t *testing.T) {
			t.Parallel()
			doc := load(t, tt.doc)
			check := func(body, answer string) error {
				method, target, _ := strings.Cut(tt.call, " ")
				r := httptest.NewRequest(method, target, nil)
				if strings.HasPrefix(target, "/api/developer/") {
					r = signingtest.NewRequest(t, signingtest.Credentials(), method, target, []byte(body))
				}
				if body != "" {
					r.Header.Set("Content-Type", "application/json")
				}
				return doc.check(t.Context(), &exchange{r, []byte(body), http.StatusOK, http.Header{"Content-Type": {"application/json"}}, []byte(answer)})
			}
			if err := check(tt.body, tt.answer); err != nil {
				t.Fatal(err)
			}
			for pair := range slices.Chunk(tt.breaks, 2) {
				body, answer := replaceLast(tt.body, pair[0], pair[1]), tt.answer
				if body == tt.body {
					answer = replaceLast(answer, pair[0], pair[1])
				}
				if body == tt.body && answer == tt.answer {
					t.Errorf("%s is nowhere", pair[0])
				}
				if err := check(body, answer); err == nil {
					t.Errorf("%s in the place of %s is valid", pair[1], pair[0])
				}
			}
		})
	}
}

func replaceLast(s, old, replacement string) string {
	i := strings.LastIndex(s, old)
	if i < 0 {
		return s
	}
	return s[:i] + replacement + s[i+len(old):]
}

// TestWhatIsMissingIsFound: a request without its signature, an operation and a status
// that are in no document, and an answer that was never seen.
func TestWhatIsMissingIsFound(t *testing.T) {
	t.Parallel()
	service := load(t, "service.yaml")
	signed := func() *http.Request {
		return signingtest.NewRequest(t, signingtest.Credentials(), http.MethodPost, toText, []byte(contract))
	}
	for name, tt := range map[string]struct {
		change func(*http.Request)
		status int
	}{
		"signature":   {func(r *http.Request) { r.Header.Del("Authorization") }, 200},
		"form":        {func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") }, 200},
		"date":        {func(r *http.Request) { r.Header.Del("Date") }, 200},
		"digest":      {func(r *http.Request) { r.Header.Del("Content-Md5") }, 200},
		"no such way": {func(r *http.Request) { r.URL.Path += "t" }, 200},
		"status":      {func(*http.Request) {}, 302},
	} {
		x := &exchange{signed(), []byte(contract), tt.status, http.Header{"Content-Type": {"application/json"}}, []byte(`{"code":0,"data":{"task_id":"t"}}`)}
		tt.change(x.request)
		if err := service.check(t.Context(), x); err == nil {
			t.Errorf("%s: what is missing is not found", name)
		}
	}
	left := service.missing(t)
	if !slices.Contains(left, "convertToPDF 5XX") || !slices.Contains(left, "30002") {
		t.Errorf("missing = %q, want everything", left)
	}
}
