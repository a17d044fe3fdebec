package openapitest_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokentest"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

// conversion has a client and the fake service talk.
func conversion(t *testing.T, service *document) {
	t.Helper()
	s := converttest.NewServer(&converttest.Options{Converter: converttest.Scripts{
		"a.docx": {converttest.Pending(40), converttest.Success([]byte("one"), []byte("two")), converttest.Failure("it broke")},
		"b.docx": {{State: "running", Progress: 12.5}, {Code: 30009, Message: "DownloadFail"}},
	}})
	t.Cleanup(s.Close)
	h := service.watch(t, s)
	cfg := s.Config()
	cfg.HTTPClient = converttest.HTTPClient(h)
	cfg.Attempts = 1
	cfg.Limiter = convert.NewLimiter(1_000_000, time.Second)
	c, err := convert.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	var started []convert.Task
	submit := func(task convert.Task, err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
			return
		}
		started = append(started, task)
	}
	address := "https://files.example/a.docx"
	password := signing.NewSecret("opens it")
	submit(c.SubmitText(ctx, convert.TextRequest{URL: address, Filename: "a.docx", Password: password, Pages: convert.Ranges{{From: 2, To: 2}, {From: 5, To: 7}}, MergePages: true, KeepLineBreaks: true}))
	submit(c.SubmitText(ctx, convert.TextRequest{URL: address, Filename: "b.docx", Pages: convert.Span{From: 1, To: 3}}))
	submit(c.SubmitPDF(ctx, convert.PDFRequest{URL: address, Filename: "a.docx", ShowComments: true}))
	for _, task := range started {
		for range 3 {
			_, _ = c.Status(ctx, task) // what it says is watched
		}
	}
	_, err = c.SubmitText(ctx, convert.TextRequest{URL: address, Filename: "unknown.docx"})
	wantCode(t, err, 30012)

	// Each known code, and refusals by the fake itself.
	for _, known := range service.codes(t) {
		s.Fail(converttest.Calls, 1, converttest.Refused(known.code))
		_, err := c.Status(ctx, started[0])
		wantCode(t, err, known.code)
	}
	for _, call := range []struct{ method, target, body string }{
		{http.MethodPost, toText, contract},
		{http.MethodPost, toPDF, contract},
		{http.MethodGet, tasks + "open:task-000001", ""},
	} {
		send := func(by signing.Credentials, body string) {
			h.ServeHTTP(httptest.NewRecorder(), signingtest.NewRequest(t, by, call.method, call.target, []byte(body)))
		}
		send(signing.App("stranger", signing.NewSecret("its own key")), call.body)
		s.Fail(converttest.Calls, 1, converttest.TooManyRequests(0))
		send(signingtest.Credentials(), call.body)
		s.Fail(converttest.Calls, 1, converttest.Replied(http.StatusServiceUnavailable, "application/json", `{"code":30004,"msg":"InternalError"}`))
		send(signingtest.Credentials(), call.body)
	}
	for _, body := range []string{
		``, `null`, `[]`, `{}`, contract + contract,
		strings.Replace(contract, ".docx\"}", ".exe\"}", 1),
		strings.Replace(contract, "https:", "file:", 1),
		strings.Replace(contract, "}", `,"from_page":0}`, 1),
		strings.Replace(contract, "}", `,"ranges":"1","from_page":1}`, 1),
		strings.Replace(contract, "}", `,"ranges":"1;2"}`, 1),
		strings.Replace(contract, "}", `,"long_txt":1}`, 1),
		strings.Replace(contract, "}", `,"show_comments":true}`, 1),
		strings.Replace(contract, "}", `,"colour":"red"}`, 1),
	} {
		for _, target := range []string{toText, toPDF} {
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, signingtest.NewRequest(t, signingtest.Credentials(), http.MethodPost, target, []byte(body)))
			if rec.Code != http.StatusBadRequest {
				t.Errorf("%s is answered %d %s", body, rec.Code, rec.Body)
			}
		}
	}
}

func wantCode(t *testing.T, err error, want int) {
	t.Helper()
	var e *convert.APIError
	if !errors.As(err, &e) || e.Code != want {
		t.Errorf("error = %v, want code %d", err, want)
	}
}

// robot has robots and the fake chat talk.
func robot(t *testing.T, service *document) {
	t.Helper()
	at := time.Now()
	s := webhooktest.NewServer(&webhooktest.Options{Now: func() time.Time { return at }}) // one minute, however long it takes
	h := service.watch(t, s)
	signed := webhooktest.Robot{Key: signing.NewSecret("signs"), SigningSecret: signing.NewSecret("a signing secret")}
	deploys := webhooktest.Robot{Key: signing.NewSecret("deploys"), Keywords: []string{"deployed"}, PerMinute: 1}
	for _, r := range []webhooktest.Robot{signed, deploys} {
		if err := s.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	connect := func(key, secret signing.Secret) *webhook.Robot {
		cfg := s.Config(key)
		cfg.SigningSecret, cfg.HTTPClient, cfg.Attempts = secret, webhooktest.HTTPClient(h), 1
		r, err := webhook.NewRobot(cfg)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	plain := connect(webhooktest.TestKey(), signing.Secret{})
	title := webhook.CardText{Text: "Title"}
	header := webhook.CardHeader{Title: title, Subtitle: title}
	face := webhook.CardFace{Header: header, Elements: []webhook.CardText{{Text: "**text**", Markdown: true}}}
	for _, m := range []webhook.Message{
		webhook.Text{Content: "hello"},
		webhook.Markdown{Text: "# hello"},
		webhook.Link{Title: "t", Text: "x", URL: "https://example.com", ButtonTitle: "Open"},
		webhook.Card{Header: header, Elements: face.Elements, I18n: map[string]webhook.CardFace{"en-US": face}},
	} {
		if err := plain.Send(t.Context(), m); err != nil {
			t.Errorf("%T: %v", m, err)
		}
	}
	if err := connect(signed.Key, signed.SigningSecret).Send(t.Context(), webhook.Text{Content: "signed"}); err != nil {
		t.Error(err)
	}
	for _, refused := range []*webhook.Robot{
		connect(signed.Key, signing.Secret{}),
		connect(signed.Key, signing.NewSecret("another secret")),
		connect(signing.NewSecret("of no robot"), signing.Secret{}),
		connect(deploys.Key, signing.Secret{}),
	} {
		if err := refused.Send(t.Context(), webhook.Text{Content: "hello"}); err == nil {
			t.Error("a message that is to be refused was sent")
		}
	}
	ship := connect(deploys.Key, signing.Secret{})
	for i := range 2 {
		if err := ship.Send(t.Context(), webhook.Text{Content: "deployed"}); (err == nil) != (i == 0) {
			t.Errorf("message %d within the minute: %v", i+1, err)
		}
	}
	for _, body := range []string{
		``, `null`, `{"msgtype":"news","news":{}}`, `{"msgtype":"text","text":{"content":" "}}`, `{"msgtype":"markdown","text":{"content":"x"}}`,
		`{"msgtype":"link","link":{"title":"t","text":"x","btnTitle":"more than twelve"}}`, `{"msgtype":"card","card":{}}`,
		`{"msgtype":"card","card":{"msgtype":"card","card":{}}}`, `{"msgtype":"text","text":{"content":"` + strings.Repeat("x", 5001) + `"}}`,
	} {
		r := httptest.NewRequest(http.MethodPost, webhook.SendPath+"?key="+webhooktest.TestKey().Reveal(), strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		if rec.Code != http.StatusBadRequest {
			t.Errorf("%.60s is answered %d %s", body, rec.Code, rec.Body)
		}
	}
}

// tokenEndpoint has the client of the token endpoint and its fake talk.
func tokenEndpoint(t *testing.T, service *document) {
	t.Helper()
	e := tokentest.NewEndpoint(nil)
	cfg := e.Config()
	cfg.Attempts = 1
	cfg.HTTPClient = webhooktest.HTTPClient(service.watch(t, e))
	app := signingtest.Credentials().Caller().AppID
	cfg.Clients["stranger"] = token.Client{Secret: signing.NewSecret("unknown there"), Extra: url.Values{"app_ticket": {"t"}}}
	c, err := token.NewClientCredentials(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(ctx context.Context, app string, ok bool) {
		t.Helper()
		if _, err := c.Token(ctx, app); (err == nil) != ok {
			t.Errorf("Token(%s) = %v, want one: %t", app, err, ok)
		}
	}
	ask(t.Context(), app, true)
	ask(t.Context(), "stranger", false)
	e.FailNext(1, http.StatusServiceUnavailable, 503000001, "busy")
	ask(t.Context(), app, false)
}
