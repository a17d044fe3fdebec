package desk_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/examples/emulator/internal/desk"
	"github.com/weboffice-go/weboffice/signing"
)

// paste is a signed request, as somebody would paste it.
type paste struct {
	method, target, body string
	signed               string // What is signed instead of body or target.
	contentType          string
	sentType             string // If not empty, what is sent instead.
	at                   time.Time
	key                  string
	change               func(h http.Header)
}

func (p paste) text(t *testing.T) string {
	t.Helper()
	signer, err := signing.NewSigner(signing.App(desk.DefaultAppID, signing.NewSecret(p.key)))
	if err != nil {
		t.Fatal(err)
	}
	h := http.Header{"Content-Type": {p.contentType}}
	payload := p.signed
	if payload == "" {
		payload = p.body
	}
	if payload == "" {
		payload = p.target
	}
	signer.Sign(h, []byte(payload), p.at)
	if p.sentType != "" {
		h.Set("Content-Type", p.sentType)
	}
	if p.change != nil {
		p.change(h)
	}
	var b strings.Builder
	b.WriteString(p.method + " " + p.target + " HTTP/1.1\r\nHost: 127.0.0.1\r\n")
	for name, values := range h {
		for _, value := range values {
			b.WriteString(name + ": " + value + "\r\n")
		}
	}
	b.WriteString("\r\n" + p.body)
	return b.String()
}

func TestExplainFindsTheCause(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	now := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	right := paste{
		method: "POST", target: "/api/developer/v1/office/convert/to/txt", body: `{"url":"http://a/b.docx","filename":"b.docx"}`,
		contentType: signing.ContentType, at: now, key: desk.DefaultAppKey,
	}
	query := right
	query.method, query.target, query.body = "GET", "/gateway/v3/3rd/users?user_ids=b&user_ids=a", ""
	for _, tt := range []struct {
		name, failed, cause, says string
		from                      paste
		change                    func(p *paste)
	}{
		{"valid", "", "", "valid", right, func(*paste) {}},
		{"valid without a body", "", "", "valid", query, func(*paste) {}},
		{"without the query", "", "", "valid", query, func(p *paste) { p.signed = "/gateway/v3/3rd/users" }},
		{"slow clock", "date", "clock", "differ by 16m", right, func(p *paste) { p.at = now.Add(-16 * time.Minute) }},
		{"local time", "date", "zone", "8h0m0s off", right, func(p *paste) { p.at = now.Add(8 * time.Hour) }},
		{"other format", "date", "zone", "must look like", right, func(p *paste) { p.change = func(h http.Header) { h.Set("Date", "2026-11-22 08:00:00") } }},
		{"no date", "date", "missing", "no Date", right, func(p *paste) { p.change = func(h http.Header) { h.Del("Date") } }},
		{"line feed", "digest", "body", "line feed", right, func(p *paste) { p.signed = p.body + "\n" }},
		{"python", "digest", "body", "Python", right, func(p *paste) { p.signed = `{"url": "http://a/b.docx", "filename": "b.docx"}` }},
		{"other order", "digest", "body", "another order", right, func(p *paste) { p.signed = `{"filename":"b.docx","url":"http://a/b.docx"}` }},
		{"other body", "digest", "body", "encode it once", right, func(p *paste) { p.signed = "{}" }},
		{"eaten", "digest", "empty_body", "nothing", right, func(p *paste) {
			p.change = func(h http.Header) { h.Set("Content-Md5", signing.ContentMD5(nil)) }
		}},
		{"upper case", "digest", "encoding", "upper case", right, func(p *paste) {
			p.change = func(h http.Header) { h.Set("Content-Md5", strings.ToUpper(h.Get("Content-Md5"))) }
		}},
		{"prefix", "digest", "prefix", "left out", query, func(p *paste) { p.signed = "/v3/3rd/users" }},
		{"sorted query", "digest", "query", "another order", query, func(p *paste) {
			p.target, p.signed = "/users?b=1&a=2", "/users?a=2&b=1"
		}},
		{"charset", "signature", "charset", "charset=utf-8", right, func(p *paste) { p.sentType = "application/json; charset=utf-8" }},
		{"other key", "signature", "key", "the secret of app second", right, func(p *paste) { p.key = "second-key" }},
		{"unknown key", "signature", "key", "not an HMAC", right, func(p *paste) { p.key = "unknown" }},
		{"unknown app", "caller", "app", "No app", right, func(p *paste) {
			p.change = func(h http.Header) { h.Set("Authorization", "SVC-2:moon:"+strings.Repeat("0", 40)) }
		}},
		{"other scheme", "shape", "scheme", "WPS-2", right, func(p *paste) {
			p.change = func(h http.Header) {
				h.Set("Authorization", strings.Replace(h.Get("Authorization"), "SVC-2", "WPS-2", 1))
			}
		}},
		{"no authorization", "shape", "missing", "no Authorization", right, func(p *paste) { p.change = func(h http.Header) { h.Del("Authorization") } }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := e
			if tt.name == "other key" {
				e = start(t, nil)
				e.call(t, http.MethodPost, "/seed", `{"apps":[{"id":"second","key":"second-key"}]}`, http.StatusNoContent, nil)
			}
			p := tt.from
			tt.change(&p)
			body, err := json.Marshal(map[string]any{"request": p.text(t), "now": now})
			if err != nil {
				t.Fatal(err)
			}
			var got desk.Explanation
			e.call(t, http.MethodPost, "/explain", string(body), http.StatusOK, &got)
			failed := ""
			for _, step := range got.Steps {
				if step.State == "failed" {
					failed = step.Check
				}
			}
			if failed != tt.failed || got.Cause != tt.cause || !strings.Contains(got.Verdict+got.CauseText, tt.says) || len(got.Steps) != 5 {
				t.Errorf("failed %q, cause %q: %q, want %q, %q, %q", failed, got.Cause, got.CauseText, tt.failed, tt.cause, tt.says)
			}
			if text, _ := json.Marshal(got); strings.Contains(string(text), desk.DefaultAppKey) {
				t.Errorf("the key is shown: %s", text)
			}
			for _, step := range got.Steps {
				if step.State == "ok" && step.Check != "date" && step.Found != step.Expected && !strings.HasPrefix(step.Expected, "SVC-2:<") {
					t.Errorf("%s is ok, found %q and expected %q", step.Check, step.Found, step.Expected)
				}
			}
		})
	}
}

func TestExplainReadsCurl(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	now := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	h := http.Header{"Content-Type": {signing.ContentType}}
	signer, err := signing.NewSigner(signing.Robot(signing.NewSecret("a-robot"), signing.NewSecret("its-secret")))
	if err != nil {
		t.Fatal(err)
	}
	signer.Sign(h, []byte(`{"it":"isn't"}`), now)
	command := `curl -sS -X POST -H 'Content-Type: application/json' -H "Date: ` + h.Get("Date") + `" \
  --header=Content-Md5:` + h.Get("Content-Md5") + ` -H'Authorization: ` + h.Get("Authorization") + `' \
  --data-binary '{"it":"isn'\''t"}' 'https://chat.example/api/v1/webhook/send?key=a-robot'`
	body, err := json.Marshal(map[string]any{"request": command, "now": now, "robot_key": "a-robot", "signing_secret": "its-secret"})
	if err != nil {
		t.Fatal(err)
	}
	var got desk.Explanation
	e.call(t, http.MethodPost, "/explain", string(body), http.StatusOK, &got)
	text, _ := json.Marshal(got)
	if got.Verdict != "valid" || strings.Contains(string(text), "a-robot") || strings.Contains(string(text), "its-secret") {
		t.Errorf("the explanation is %s", text)
	}
}

func FuzzExplain(f *testing.F) {
	f.Add("POST /a HTTP/1.1\nAuthorization: a:b\n\nbody")
	f.Add(`curl -d 'a' -H "X: \"y" http://a/b?c`)
	f.Fuzz(func(t *testing.T, request string) {
		desk.ExplainPasted(request)
	})
}
