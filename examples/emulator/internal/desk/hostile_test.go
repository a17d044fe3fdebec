package desk_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/examples/emulator/internal/desk"
	"github.com/weboffice-go/weboffice/examples/internal/filehost"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
)

// script is what must never run.
const script = `<script>alert(1)</script><img src=x onerror=alert(2)>`

// TestNothingIsHTML sends script by every way in, and looks at every way out.
func TestNothingIsHTML(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	quoted, _ := json.Marshal(script)
	s := string(quoted)
	for _, body := range []string{
		`{"msgtype":"text","text":{"content":` + s + `}}`,
		`{"msgtype":"markdown","markdown":{"text":` + s + `}}`,
		`{"msgtype":"link","link":{"title":` + s + `,"text":"[a](javascript:alert(1)) <javascript:alert(1)> ![](data:text/html,x)","messageUrl":"javascript:alert(3)"}}`,
		`{"msgtype":"card","card":{"header":{"title":{"tag":"text","content":{"type":"markdown","text":` + s + `}}},"elements":[{"tag":"text","content":{"type":"plainText","text":` + s + `}}]}}`,
		`{"msgtype":"text","text":{"content":` + s,
	} {
		e.post(t.Context(), t, body)
	}
	e.call(t, http.MethodPost, "/chat/robots", `{"name":`+s+`}`, http.StatusCreated, nil)
	e.call(t, http.MethodPost, "/chat/say", `{"text":`+s+`,"sender_name":`+s+`}`, http.StatusOK, nil)
	var made desk.Conversion
	e.drop(t, "/conversions", script+".docx", handbook(t), map[string]string{"target": "txt"}, http.StatusCreated, &made)
	e.drop(t, "/conversions", "page.html", []byte(script), map[string]string{"target": "txt"}, http.StatusCreated, nil)
	e.wait(t, "kind=task&state=success")
	address := made.Sent
	var document string
	for _, p := range address {
		if p.Name == "url" {
			_ = json.Unmarshal([]byte(p.Value), &document)
		}
	}
	for _, path := range []string{
		desk.Prefix + "/chat/messages", desk.Prefix + "/chat/robots", desk.Prefix + "/exchanges", desk.Prefix + "/conversions", desk.Prefix + "/overview",
		desk.Prefix + "/search?text=script", desk.Prefix + "/conversions/" + made.ID + "/results/1", desk.Prefix + "/exchanges/x1", desk.Prefix + "/exchanges/x1/curl",
		desk.Prefix + "/<script>alert(1)</script>", strings.TrimPrefix(document, e.URL), "/<script>alert(1)</script>",
	} {
		header, _, body := e.get(t, path)
		contentType := header.Get("Content-Type")
		if strings.Contains(contentType, "html") || strings.Contains(contentType, "xml") || header.Get("X-Content-Type-Options") != "nosniff" ||
			!strings.Contains(header.Get("Content-Security-Policy"), "default-src") {
			t.Errorf("%s: Content-Type %q, policy %q", path, contentType, header.Get("Content-Security-Policy"))
		}
		if contentType == "application/json" && bytes.Contains(body, []byte("<script")) {
			t.Errorf("%s: the JSON has a tag as it is: %.200s", path, body)
		}
	}
	var group struct{ Items []desk.Message }
	e.call(t, http.MethodGet, "/chat/messages", "", http.StatusOK, &group)
	text, _ := json.Marshal(group.Items)
	for _, m := range group.Items {
		m.Raw = ""
		if shown, _ := json.Marshal(m); strings.Contains(string(shown), `"url":"javascript`) || strings.Contains(string(shown), `"url":"data`) {
			t.Errorf("an address that runs: %s", text)
		}
	}
}

func (e *emulator) get(t *testing.T, path string) (header http.Header, status int, body []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, e.URL+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Client{}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err = io.ReadAll(resp.Body); err != nil {
		t.Fatal(err)
	}
	return resp.Header, resp.StatusCode, body
}

func TestStrangersAreKeptOut(t *testing.T) {
	t.Parallel()
	e := start(t, func(cfg *desk.Config) { cfg.Hosts = []string{"host.docker.internal"} })
	own := strings.TrimPrefix(e.URL, "http://")
	for _, tt := range []struct {
		name, method, path, host string
		header                   map[string]string
		want                     int
	}{
		{"own address", "POST", desk.Prefix + "/reset", own, nil, 204},
		{"own page", "POST", desk.Prefix + "/reset", own, map[string]string{"Origin": e.URL, "Sec-Fetch-Site": "same-origin"}, 204},
		{"localhost", "GET", desk.Prefix + "/overview", "localhost:1", nil, 200},
		{"name that was given", "GET", desk.Prefix + "/overview", "host.docker.internal:7070", nil, 200},
		{"rebinding", "GET", desk.Prefix + "/overview", "evil.example", nil, 421},
		{"rebinding of the service", "POST", webhook.SendPath, "evil.example:80", nil, 421},
		{"rebinding of the page", "GET", "/", "evil.example", nil, 421},
		{"name that looks like it", "GET", "/", "localhost.evil.example", nil, 421},
		{"other origin", "POST", desk.Prefix + "/reset", own, map[string]string{"Origin": "https://evil.example"}, 403},
		{"other origin, null", "POST", desk.Prefix + "/reset", own, map[string]string{"Origin": "null"}, 403},
		{"other site", "POST", desk.Prefix + "/chat/say", own, map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		{"other port", "PUT", desk.Prefix + "/faults/chat", own, map[string]string{"Origin": "http://127.0.0.1:1", "Sec-Fetch-Site": "same-site"}, 403},
		{"service from a page", "POST", webhook.SendPath + "?key=" + desk.DefaultRobotKey, own, map[string]string{"Origin": "https://evil.example"}, 403},
		{"reading from a page", "GET", desk.Prefix + "/overview", own, map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403},
		{"reading an exposed one", "GET", desk.Prefix + "/overview", own, map[string]string{"Origin": "https://evil.example"}, 403},
		{"own page, reading", "GET", desk.Prefix + "/overview", own, map[string]string{"Origin": e.URL}, 200},
		{"a link to the page", "GET", "/", own, map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 200},
	} {
		req, err := http.NewRequestWithContext(t.Context(), tt.method, e.URL+tt.path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = tt.host
		for name, value := range tt.header {
			req.Header.Set(name, value)
		}
		resp, err := (&http.Client{}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, resp.StatusCode, tt.want)
		}
		if resp.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: other origins may read it", tt.name)
		}
	}
}

func TestHugeBodiesAreRefused(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	huge := strings.Repeat("a", 3<<20)
	e.send(t, http.MethodPost, "/chat/say", "application/json", strings.NewReader(`{"text":"`+huge+`"}`), http.StatusRequestEntityTooLarge, nil)
	e.send(t, http.MethodPost, "/seed", "application/yaml", strings.NewReader("# "+huge), http.StatusRequestEntityTooLarge, nil)
	if status := e.post(t.Context(), t, `{"msgtype":"text","text":{"content":"`+huge+`"}}`); status != http.StatusBadRequest {
		t.Errorf("a huge message is answered %d", status)
	}
	var x struct{ Items []desk.Exchange }
	e.call(t, http.MethodGet, "/exchanges", "", http.StatusOK, &x)
	if len(x.Items) != 1 || x.Items[0].Resendable {
		t.Errorf("the exchange is %+v", x.Items)
	}
	e.call(t, http.MethodPost, "/exchanges/x1/resend", "", http.StatusConflict, nil)
}

func TestMarkdownThatIsHardToRead(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	for i, text := range []string{
		strings.Repeat(">", 4900), strings.Repeat("*a ", 1600), strings.Repeat("[", 4900), strings.Repeat("<font color='red'>", 270),
		strings.Repeat("- ", 2400), strings.Repeat("<at user_id=\"1\">", 300), "\u202e\x00\ufeff", strings.Repeat("a*b_c~~", 700),
	} {
		body, err := json.Marshal(map[string]any{"msgtype": "markdown", "markdown": map[string]string{"text": text}})
		if err != nil {
			t.Fatal(err)
		}
		if status := e.post(t.Context(), t, string(body)); status != http.StatusOK {
			t.Errorf("%d: status %d", i, status)
		}
	}
	var group struct{ Items []json.RawMessage }
	e.call(t, http.MethodGet, "/chat/messages", "", http.StatusOK, &group)
	for _, m := range group.Items {
		if len(m) > 300_000 {
			t.Errorf("a message of 5000 characters takes %d bytes: %.100s", len(m), m)
		}
		var shown desk.Message
		if err := json.Unmarshal(m, &shown); err != nil {
			t.Fatal(err)
		}
		for i, line := range shown.Advice {
			if slices.Contains(shown.Advice[:i], line) {
				t.Errorf("the advice %q is given twice", line)
			}
		}
	}
}

func TestSecretsAreHidden(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	const canary = "canary-of-a-secret"
	e.call(t, http.MethodPut, "/chat/robots/r1", `{"signing_secret":"`+canary+`-1"}`, http.StatusOK, nil)
	e.post(t.Context(), t, `{"msgtype":"text","text":{"content":"my key is `+canary+`-1"}}`)
	client := e.client(t)
	_, _ = client.SubmitPDF(t.Context(), pdfRequest(e.URL+"/a.docx?Signature="+canary+"-2", canary+"-3"))
	var s desk.Session
	e.call(t, http.MethodPost, "/viewer/sessions", `{"gateway":"`+e.URL+desk.SamplePrefix+`","file_id":"plan","token":"`+canary+`-4"}`, http.StatusCreated, &s)
	e.call(t, http.MethodPost, "/viewer/sessions/"+s.ID+"/open", "", http.StatusOK, nil)
	e.call(t, http.MethodPost, "/plugin/calls", `{"url":"`+e.URL+desk.SamplePrefix+`/v3/3rd/open/access_token","file_id":"plan","token":"`+canary+`-5"}`, http.StatusOK, nil)
	e.get(t, webhook.SendPath+"?key="+canary+"-6")
	const number = "7130917"
	for _, member := range []string{`"password":` + number, `"Password":"` + canary + `-2"`} {
		e.submit(t, `{"url":"http://127.0.0.1/a","filename":"a.docx",`+member+`}`)
	}
	e.get(t, filehost.Prefix+"a?X-Amz-Signature="+canary+"-7")
	var x struct{ Items []desk.Exchange }
	e.call(t, http.MethodGet, "/exchanges", "", http.StatusOK, &x)
	paths := []string{"/exchanges", "/search?limit=500", "/conversions", "/chat/messages", "/viewer/sessions", "/plugin/calls"}
	for _, x := range x.Items {
		paths = append(paths, "/exchanges/"+x.ID, "/exchanges/"+x.ID+"/curl")
	}
	if len(x.Items) < 6 {
		t.Errorf("only %d exchanges", len(x.Items))
	}
	for _, path := range paths {
		_, _, body := e.get(t, desk.Prefix+path)
		for i := range 7 {
			secret := fmt.Sprintf("%s-%d", canary, i+1)
			said := i == 0 && path == "/chat/messages" // What a message says, the group reads.
			robot := i == 0 && strings.HasPrefix(path, "/search")
			if bytes.Contains(body, []byte(secret)) && !said && !robot {
				t.Errorf("%s shows secret %d", path, i+1)
			}
		}
		if bytes.Contains(body, []byte(number)) {
			t.Errorf("%s shows a password that is a number", path)
		}
	}
}

// submit sends a submit as it is, signed by the app of the default seed.
func (e *emulator) submit(t *testing.T, body string) {
	t.Helper()
	signer, err := signing.NewSigner(signing.App(desk.DefaultAppID, newSecret(desk.DefaultAppKey)))
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, e.URL+"/api/developer/v1/office/convert/to/txt", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if err := signer.SignRequest(req, now()); err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Client{}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode == http.StatusUnauthorized {
		t.Errorf("the signature is refused: %s", resp.Status)
	}
}

func pdfRequest(url, password string) convert.PDFRequest {
	return convert.PDFRequest{URL: url, Filename: "a.docx", Password: newSecret(password)}
}
