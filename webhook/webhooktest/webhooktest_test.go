package webhooktest_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

const sendTarget = webhook.SendPath + "?key=test-robot-key"

var (
	signedKey = signing.NewSecret("signed-robot")
	secret    = signing.NewSecret("signing-secret")
)

// post gives a message to s and returns status and body of the answer.
func post(t *testing.T, s http.Handler, req *http.Request) (int, string) {
	t.Helper()
	rec := httptest.NewRecorder()
	s.ServeHTTP(rec, req)
	if got := rec.Header().Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type = %q, want application/json", got)
	}
	return rec.Code, rec.Body.String()
}

func plain(body string) *http.Request {
	req := httptest.NewRequest(http.MethodPost, sendTarget, strings.NewReader(body))
	req.Header.Set("Content-Type", signing.ContentType)
	return req
}

func add(t *testing.T, s *webhooktest.Server, r webhooktest.Robot) {
	t.Helper()
	if err := s.Add(r); err != nil {
		t.Fatal(err)
	}
}

func TestServerHoldsMessagesAgainstTheirShapes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("字", webhook.MaxMessageLength)
	item := func(text string) string {
		return `{"tag":"text","content":{"type":"plainText","text":"` + text + `"}}`
	}
	card := func(rest string) string {
		return `{"msgtype":"card","card":{"header":{"title":` + item("t") + `}` + rest + `}}`
	}
	elements := `,"elements":[` + item("e") + `]`
	for _, tt := range []struct {
		name, body string
		want       webhooktest.Refusal
		text       string // in the answer
	}{
		{"text", `{"msgtype":"text","text":{"content":"<at user_id=\"-1\">all</at>"}}`, "", `{"result":"ok"}`},
		{"markdown", `{"msgtype":"markdown","markdown":{"text":"# a"}}`, "", `{"result":"ok"}`},
		{"link", `{"msgtype":"link","link":{"title":"t","text":"x","messageUrl":"https://example.com","btnTitle":"一二三四五六七八九十十二"}}`, "", `{"result":"ok"}`},
		{"card", card(elements), "", `{"result":"ok"}`},
		{"card with languages", card(elements + `,"i18n":{"en-US":{"header":{"title":` + item("t") + `,"subtitle":` + item("s") + `}` + elements + `}}`), "", `{"result":"ok"}`},
		{"as long as allowed", `{"msgtype":"text","text":{"content":"` + long + `"}}`, "", `{"result":"ok"}`},
		{"one character more", `{"msgtype":"text","text":{"content":"` + long + `x"}}`, webhooktest.TooLong, "too long"},
		{"other vendor's type", `{"msg_type":"text","text":{"content":"a"}}`, webhooktest.BadMessage, "msgtype is error."},
		{"unknown type", `{"msgtype":"image"}`, webhooktest.BadMessage, "msgtype is error."},
		{"text without content", `{"msgtype":"text","text":{}}`, webhooktest.BadMessage, "Text message is empty"},
		{"markdown as content", `{"msgtype":"markdown","markdown":{"content":"a"}}`, webhooktest.BadMessage, "Markdown message is empty"},
		{"link without title", `{"msgtype":"link","link":{"text":"x"}}`, webhooktest.BadMessage, "Link message is empty"},
		{"link without text", `{"msgtype":"link","link":{"title":"x"}}`, webhooktest.BadMessage, "Link message is empty"},
		{"link with a long button", `{"msgtype":"link","link":{"title":"t","text":"x","btnTitle":"1234567890123"}}`, webhooktest.BadMessage, "btnTitle is too long"},
		{"card left out", `{"msgtype":"card"}`, webhooktest.BadMessage, "Card message is empty"},
		{"card empty", `{"msgtype":"card","card":{}}`, webhooktest.BadMessage, "Card message is empty"},
		{"card nested twice", `{"msgtype":"card","card":{"card":{}}}`, webhooktest.BadMessage, "header and elements missed"},
		{"card without elements", card(""), webhooktest.BadMessage, "header and elements missed"},
		{"card with a button", card(`,"elements":[{"tag":"button","content":{"type":"plainText","text":"x"}}]`), webhooktest.BadMessage, "unknown tag or type"},
		{"card with a select", card(`,"elements":[{"tag":"select","options":[]}]`), webhooktest.BadMessage, "a webhook card cannot"},
		{"card with an empty text", card(`,"elements":[` + item(" ") + `]`), webhooktest.BadMessage, "is empty"},
		{"card with an empty subtitle", `{"msgtype":"card","card":{"header":{"title":` + item("t") + `,"subtitle":` + item("") + `}` + elements + `}}`, webhooktest.BadMessage, "is empty"},
		{"card with a bad language", card(elements + `,"i18n":{"en-US":{"elements":[]}}`), webhooktest.BadMessage, "header and elements missed"},
		{"i18n within i18n", card(elements + `,"i18n":{"en-US":{"i18n":{"zh-TW":{}}}}`), webhooktest.BadMessage, "i18n within i18n"},
		{"no object", `[]`, webhooktest.BadMessage, "not a JSON object"},
		{"null", `null`, webhooktest.BadMessage, "msgtype is error."},
		{"empty", ``, webhooktest.BadMessage, "not a JSON object"},
		{"not UTF-8", "{\"msgtype\":\"text\",\"text\":{\"content\":\"\xff\"}}", webhooktest.BadMessage, "not a JSON object"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := webhooktest.NewServer(nil)
			status, body := post(t, s, plain(tt.body))
			if want := http.StatusBadRequest; (tt.want != "") != (status == want) || !strings.Contains(body, tt.text) {
				t.Errorf("answer = %d %s, want %q in it", status, body, tt.text)
			}
			if got := s.Sent(); len(got) != 1 || got[0].Refused != tt.want || string(got[0].Body) != tt.body {
				t.Errorf("Sent() = %+v, want one message, refused for %q", got, tt.want)
			}
		})
	}
}

func TestServerRefusesWithoutLookingAtTheMessage(t *testing.T) {
	t.Parallel()
	s := webhooktest.NewServer(nil)
	for _, tt := range []struct {
		name, method, target string
		status               int
	}{
		{"GET", http.MethodGet, sendTarget, http.StatusMethodNotAllowed},
		{"other path", http.MethodPost, "/api/v1/webhook", http.StatusNotFound},
	} {
		if status, _ := post(t, s, httptest.NewRequest(tt.method, tt.target, nil)); status != tt.status {
			t.Errorf("%s: status = %d, want %d", tt.name, status, tt.status)
		}
	}
	if got := s.Sent(); len(got) != 0 {
		t.Errorf("Sent() = %+v, want nothing", got)
	}
	form := plain("key=value")
	form.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if status, body := post(t, s, form); status != http.StatusBadRequest || !strings.Contains(body, "Content-Type") {
		t.Errorf("a form is answered %d %s", status, body)
	}
	huge := plain(`{"msgtype":"text","text":{"content":"` + strings.Repeat("x", 2<<20) + `"}}`)
	if status, body := post(t, s, huge); status != http.StatusBadRequest {
		t.Errorf("2 MiB are answered %d %s", status, body)
	}
	if got := s.Sent(); len(got[1].Body) != 1<<20 {
		t.Errorf("%d bytes of the body are kept, want 1 MiB", len(got[1].Body))
	}
}

// Keys, addresses, signatures and keywords (protocol 4.4, 5.2).
func TestServerEnforcesTheSettingsOfARobot(t *testing.T) {
	t.Parallel()
	s := webhooktest.NewServer(nil)
	add(t, s, webhooktest.Robot{Key: signedKey, SigningSecret: secret, Keywords: []string{"Alert", "报告"}, AllowList: []string{"127.0.0.1"}})
	good := s.Config(signedKey)
	with := func(change func(*webhook.Config)) webhook.Config {
		cfg := good
		change(&cfg)
		return cfg
	}
	elsewhere := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.RemoteAddr = "192.0.2.1:80"
		s.ServeHTTP(w, r)
	})
	tampered := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = io.NopCloser(strings.NewReader(`{"msgtype":"text","text":{"content":"Alert all"}}`))
		s.ServeHTTP(w, r)
	})
	//nolint:paralleltest // Each case looks at the last message of one server.
	for _, tt := range []struct {
		name string
		cfg  webhook.Config
		text string
		want webhooktest.Refusal
	}{
		{"accepted", good, "Alert: disk", ""},
		{"other keyword", good, "日报告", ""},
		{"unknown key", with(func(c *webhook.Config) { c.URL = s.Address("https://x.test", signing.NewSecret("nobody")) }), "Alert", webhooktest.UnknownKey},
		{"address", with(func(c *webhook.Config) { c.HTTPClient = webhooktest.HTTPClient(elsewhere) }), "Alert", webhooktest.NotAllowed},
		{"unsigned", with(func(c *webhook.Config) { c.SigningSecret = signing.Secret{} }), "Alert", webhooktest.BadTimestamp},
		{"late", with(func(c *webhook.Config) { c.Now = func() time.Time { return time.Now().Add(-16 * time.Minute) } }), "Alert", webhooktest.BadTimestamp},
		{"wrong secret", with(func(c *webhook.Config) { c.SigningSecret = signing.NewSecret("other") }), "Alert", webhooktest.BadSignature},
		{"other body", with(func(c *webhook.Config) { c.HTTPClient = webhooktest.HTTPClient(tampered) }), "Alert", webhooktest.BadSignature},
		{"no keyword", with(func(c *webhook.Config) { c.Keywords = nil }), "alert", webhooktest.NoKeyword},
	} {
		t.Run(tt.name, func(t *testing.T) {
			robot, err := webhook.NewRobot(tt.cfg)
			if err != nil {
				t.Fatal(err)
			}
			err = robot.Send(t.Context(), webhook.Text{Content: tt.text})
			if (err == nil) != (tt.want == "") {
				t.Errorf("Send = %v, want refusal %q", err, tt.want)
			}
			all := s.Sent()
			last := all[len(all)-1]
			if last.Refused != tt.want {
				t.Errorf("Refused = %q, want %q", last.Refused, tt.want)
			}
			if diff := cmp.Diff(webhook.Message(webhook.Text{Content: tt.text}), last.Message, ignoreMarker()); tt.name != "other body" && diff != "" {
				t.Errorf("Message (-want +got):\n%s", diff)
			}
		})
	}
}

// ignoreMarker passes over the field that keeps a struct from being compared.
func ignoreMarker() cmp.Option {
	return cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == "._" }, cmp.Ignore())
}

func TestServerTakesTwentyMessagesInAnyMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := webhooktest.NewServer(nil)
		send := func() (int, string) { return post(t, s, plain(`{"msgtype":"text","text":{"content":"a"}}`)) }
		for i := range webhook.MessagesPerMinute {
			if status, body := send(); status != http.StatusOK {
				t.Fatalf("message %d is answered %d %s", i, status, body)
			}
			time.Sleep(time.Second)
		}
		time.Sleep(40*time.Second - time.Nanosecond) // the first one is 60 s old in a nanosecond
		rec := httptest.NewRecorder()
		s.ServeHTTP(rec, plain(`{"msgtype":"text","text":{"content":"a"}}`))
		if rec.Code != http.StatusTooManyRequests || rec.Header().Get("Retry-After") != "1" {
			t.Errorf("message 21 is answered %d, Retry-After %q, want 429 and 1", rec.Code, rec.Header().Get("Retry-After"))
		}
		time.Sleep(time.Nanosecond)
		if status, body := send(); status != http.StatusOK {
			t.Errorf("a message 60 s after the first is answered %d %s", status, body)
		}
		if status, _ := send(); status != http.StatusTooManyRequests {
			t.Errorf("a second one is answered %d, want 429", status)
		}
		if got := s.Sent()[0].At; !got.Equal(time.Now().Add(-time.Minute)) {
			t.Errorf("At of the first message = %v, want a minute ago", got)
		}
	})
}

func TestOptionsRefuse(t *testing.T) {
	t.Parallel()
	s := webhooktest.NewServer(&webhooktest.Options{Refuse: func(reason webhooktest.Refusal) (int, []byte) {
		return http.StatusOK, []byte(`{"errno":10000,"reason":"` + string(reason) + `","result":"InvalidArgument"}`)
	}})
	if status, body := post(t, s, plain(`{}`)); status != http.StatusOK || !strings.Contains(body, `"reason":"message"`) {
		t.Errorf("answer = %d %s, want that of Options.Refuse", status, body)
	}
}

func TestAddReportsEveryProblem(t *testing.T) {
	t.Parallel()
	s := webhooktest.NewServer(nil)
	err := s.Add(webhooktest.Robot{
		Keywords:  append(make([]string, 10), "x"),
		AllowList: []string{"1.2.3", "1.2.3.4/33", "*", "1.2.3.*x", "1:2:*", "a", "b", "c", "d", "e", "f"},
		PerMinute: -1,
	})
	for _, want := range []string{"Key is required", "Keywords: 11", "Keywords[0] is blank", "AllowList: 11", "AllowList[0]", "AllowList[1]", "AllowList[2]", "AllowList[3]", "AllowList[4]: want an address, a CIDR range, or a wildcard form such as \"10.1.*.*\"\n", "PerMinute"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Add: %v, want %q in it", err, want)
		}
	}
	if err := s.Add(webhooktest.Robot{Key: signing.NewSecret("a:b"), SigningSecret: secret}); err == nil {
		t.Error(`Add took a key with ":" for a robot that signs`)
	}
	entries := strings.Split("10.0.0.0 10.0.0.1 10.0.0.2 10.0.0.3 10.0.0.4 10.0.0.5 10.0.0.6 10.0.0.7 10.0.0.8 10.0.0.9", " ")
	if err := s.Add(webhooktest.Robot{Key: signedKey, Keywords: entries, AllowList: entries}); err != nil {
		t.Errorf("Add() of ten keywords and ten entries = %v", err)
	}
}

func TestAllowList(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		entry, address string
		want           bool
	}{
		{"192.0.2.1", "192.0.2.1:80", true},
		{"192.0.2.1", "192.0.2.2:80", false},
		{"192.0.2.0/24", "192.0.2.200:80", true},
		{"192.0.2.77/24", "192.0.2.200:80", true},
		{"192.0.2.0/24", "192.0.3.1:80", false},
		{"10.1.*.*", "10.1.200.3:80", true},
		{"10.1.*.*", "10.2.200.3:80", false},
		{"10.1.*.*", "[::ffff:10.1.2.3]:80", true},
		{"2001:db8::1", "[2001:db8:0:0::1]:80", true},
		{"2001:db8::/32", "[2001:db8:ffff::1]:80", true},
		{"2001:db8::/32", "[2001:db9::1]:80", false},
		{"2001:db8:*:*:*:*:*:*", "[2001:db8:1::9]:80", true},
		{"2001:0db8:*:*:*:*:*:1", "[2001:db8:1::9]:80", false},
		{"fe80::1", "[fe80::1%eth0]:80", true},
		{"192.0.2.1", "[2001:db8::1]:80", false},
		{"10.1.*.*", "[2001:db8::1]:80", false},
		{"192.0.2.1", "@", false},
		{"192.0.2.1", "192.0.2.1", true},
	} {
		s := webhooktest.NewServer(nil)
		add(t, s, webhooktest.Robot{Key: webhooktest.TestKey(), AllowList: []string{tt.entry}})
		req := plain(`{"msgtype":"text","text":{"content":"a"}}`)
		req.RemoteAddr = tt.address
		if status, body := post(t, s, req); (status == http.StatusOK) != tt.want {
			t.Errorf("%s with %s on the list is answered %d %s, want accepted = %t", tt.address, tt.entry, status, body, tt.want)
		}
	}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	s := webhooktest.NewServer(nil)
	if got, want := s.Address("https://chat.example/woa/", signing.NewSecret("a b&c")).Reveal(), "https://chat.example/woa"+webhook.SendPath+"?key=a+b%26c"; got != want {
		t.Errorf("Address = %q, want %q", got, want)
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	robot, err := webhook.NewRobot(webhook.Config{URL: s.Address(server.URL+"/woa", webhooktest.TestKey())})
	if err != nil {
		t.Fatal(err)
	}
	if err := robot.Send(t.Context(), webhook.Text{Content: "over a socket"}); err != nil {
		t.Errorf("Send: %v", err)
	}
}

// Only a signed message needs a Content-Type (protocol 4.4, 5.2).
func TestServerTakesAMessageWithoutContentType(t *testing.T) {
	t.Parallel()
	s := webhooktest.NewServer(nil)
	add(t, s, webhooktest.Robot{Key: signedKey, SigningSecret: secret})
	send := func(key, contentType string, sign bool) int {
		req := httptest.NewRequest(http.MethodPost, webhook.SendPath+"?key="+key, strings.NewReader(`{"msgtype":"text","text":{"content":"a"}}`))
		req.Header.Set("Content-Type", contentType)
		if contentType == "" {
			req.Header.Del("Content-Type")
		}
		if sign {
			signer, err := signing.NewSigner(signing.Robot(signedKey, secret))
			if err != nil {
				t.Fatal(err)
			}
			if err := signer.SignRequest(req, time.Now()); err != nil {
				t.Fatal(err)
			}
			if contentType == "" {
				req.Header.Del("Content-Type")
			}
		}
		status, _ := post(t, s, req)
		return status
	}
	for _, tt := range []struct {
		key, contentType string
		sign             bool
		want             int
	}{
		{webhooktest.TestKey().Reveal(), "", false, http.StatusOK},
		{webhooktest.TestKey().Reveal(), "text/plain", false, http.StatusBadRequest},
		{signedKey.Reveal(), signing.ContentType, true, http.StatusOK},
		{signedKey.Reveal(), "", true, http.StatusBadRequest},
	} {
		if got := send(tt.key, tt.contentType, tt.sign); got != tt.want {
			t.Errorf("Content-Type %q, signed %t: status %d, want %d", tt.contentType, tt.sign, got, tt.want)
		}
	}
}

// A Receiver that needs a Robot of the server is registered when it exists.
func TestRegisterHandler(t *testing.T) {
	t.Parallel()
	s := webhooktest.NewServer(nil)
	robot, err := webhook.NewRobot(s.Config(webhooktest.TestKey()))
	if err != nil {
		t.Fatal(err)
	}
	receiver, err := webhook.NewReceiver(webhook.ReceiverConfig{
		RobotKeys: []signing.Secret{robot.Key()},
		Handle: func(ctx context.Context, e webhook.Event) error {
			return robot.Send(ctx, webhook.Text{Content: e.Text()})
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.RegisterHandler(t.Context(), robot.Key(), http.NotFoundHandler()); err == nil {
		t.Error("a handler that is not a callback was registered")
	}
	if err := s.RegisterHandler(t.Context(), robot.Key(), receiver); err != nil {
		t.Fatal(err)
	}
	if err := s.Mention(t.Context(), webhook.Event{Content: "@robot echo"}); err != nil {
		t.Fatal(err)
	}
	if got := s.Sent(); len(got) != 1 || !strings.Contains(string(got[0].Body), `"echo"`) {
		t.Errorf("Sent() = %v, want the answer", got)
	}
}

// recorder is a testing.TB that keeps errors.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// faultyStore is a store that breaks one rule.
type faultyStore struct {
	*webhook.Seen
	take    func(s *webhook.Seen, ctx context.Context, id string, lease time.Duration) (bool, bool, error)
	release func(s *webhook.Seen, ctx context.Context, id string) error
	finish  func(s *webhook.Seen, ctx context.Context, id string) error
}

func (f faultyStore) Take(ctx context.Context, id string, lease time.Duration) (taken, finished bool, err error) {
	if f.take == nil {
		return f.Seen.Take(ctx, id, lease)
	}
	return f.take(f.Seen, ctx, id, lease)
}

func (f faultyStore) Release(ctx context.Context, id string) error {
	if f.release == nil {
		return f.Seen.Release(ctx, id)
	}
	return f.release(f.Seen, ctx, id)
}

func (f faultyStore) Finish(ctx context.Context, id string) error {
	if f.finish == nil {
		return f.Seen.Finish(ctx, id)
	}
	return f.finish(f.Seen, ctx, id)
}

// Each rule of the suites finds the mistake that it is about.
func TestRunSeenBites(t *testing.T) {
	t.Parallel()
	for want, fault := range map[string]faultyStore{
		"not again while it is claimed": {take: func(_ *webhook.Seen, ctx context.Context, _ string, _ time.Duration) (bool, bool, error) {
			return ctx.Err() == nil, false, ctx.Err()
		}},
		"finished event is never taken again": {release: func(s *webhook.Seen, _ context.Context, id string) error { s.Forget(id); return nil }},
		"although its claim has expired": {finish: func(s *webhook.Seen, ctx context.Context, id string) error {
			if taken, _, _ := s.Take(ctx, id, time.Hour); taken {
				s.Forget(id)
				return nil
			}
			return s.Finish(ctx, id)
		}},
		"released event is taken again": {release: func(*webhook.Seen, context.Context, string) error { return nil }},
		"taken again after its lease": {take: func(s *webhook.Seen, ctx context.Context, id string, _ time.Duration) (bool, bool, error) {
			return s.Take(ctx, id, time.Hour)
		}},
		"of concurrent calls one": {take: func(s *webhook.Seen, ctx context.Context, id string, lease time.Duration) (bool, bool, error) {
			taken, finished, err := s.Take(ctx, id, 0) // asks first,
			time.Sleep(time.Millisecond)               // and claims later
			if taken {
				_ = s.Release(ctx, id)
				_, _, err = s.Take(ctx, id, lease)
			}
			return taken, finished, err
		}},
		"ended context takes nothing": {take: func(s *webhook.Seen, ctx context.Context, id string, lease time.Duration) (bool, bool, error) {
			return s.Take(context.WithoutCancel(ctx), id, lease)
		}},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := &recorder{TB: t}
			webhooktest.RunSeen(r, func() webhook.SeenStore {
				fault.Seen = webhook.NewSeen(9)
				return fault
			})
			if !slices.ContainsFunc(r.errors, func(e string) bool { return strings.Contains(e, want) }) {
				t.Errorf("the suite says %q, want %q", r.errors, want)
			}
		})
	}
}

func TestRunLimiterBites(t *testing.T) {
	t.Parallel()
	for want, limiter := range map[string]func(n int, per time.Duration) webhook.Limiter{
		"never more than n": func(n int, per time.Duration) webhook.Limiter { return webhook.NewWindow(n+1, per) },
		"without a wait":    func(n int, per time.Duration) webhook.Limiter { return webhook.NewWindow(n-1, per) },
		"takes no slot": func(n int, per time.Duration) webhook.Limiter {
			w := webhook.NewWindow(n, per)
			return webhook.LimiterFunc(func(ctx context.Context) error {
				_ = w.Wait(context.WithoutCancel(ctx))
				return ctx.Err()
			})
		},
		"ends during the wait": func(n int, per time.Duration) webhook.Limiter {
			w := webhook.NewWindow(n, per)
			return webhook.LimiterFunc(func(ctx context.Context) error {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				return w.Wait(context.WithoutCancel(ctx))
			})
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := &recorder{TB: t}
			webhooktest.RunLimiter(r, limiter)
			if !slices.ContainsFunc(r.errors, func(e string) bool { return strings.Contains(e, want) }) {
				t.Errorf("the suite says %q, want %q", r.errors, want)
			}
		})
	}
}

func FuzzServeHTTP(f *testing.F) {
	f.Add(`{"msgtype":"text","text":{"content":"a"}}`, sendTarget, "127.0.0.1:1")
	f.Add(`{"msgtype":"card","card":{"header":{"title":null},"elements":[{}]}}`, sendTarget, "[::1]:1")
	f.Fuzz(func(t *testing.T, body, target, remote string) {
		s := webhooktest.NewServer(nil)
		req := plain(body)
		if u, err := req.URL.Parse(target); err == nil {
			req.URL = u
		}
		req.RemoteAddr = remote
		if status, answer := post(t, s, req); !strings.HasPrefix(answer, `{"result":`) || status < 200 {
			t.Errorf("answer = %d %s", status, answer)
		}
	})
}
