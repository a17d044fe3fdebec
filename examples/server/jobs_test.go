package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token/tokentest"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

// service is a service outside of the server, which outlives it.
type service struct {
	url      string
	convert  *converttest.Server
	chat     *webhooktest.Server
	endpoint *tokentest.Endpoint
	lose     atomic.Bool // The next answer of the chat is lost.
}

const appKey = "CANARY-app-key-0123456789"

func newService(tb testing.TB, converter converttest.Converter) *service {
	tb.Helper()
	v := &service{
		convert: converttest.NewServer(&converttest.Options{
			Credentials: []signing.Credentials{signing.App("app", signing.NewSecret(appKey))}, Converter: converter,
		}),
		chat:     webhooktest.NewServer(nil),
		endpoint: tokentest.NewEndpoint(&tokentest.EndpointOptions{Clients: map[string]signing.Secret{"app": signing.NewSecret(appKey)}}),
	}
	mux := http.NewServeMux()
	mux.Handle(converttest.PathPrefix, v.convert)
	mux.Handle(tokentest.EndpointPath, v.endpoint)
	mux.HandleFunc(webhook.SendPath, func(w http.ResponseWriter, r *http.Request) {
		if v.lose.CompareAndSwap(true, false) {
			v.chat.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		v.chat.ServeHTTP(w, r)
	})
	web := httptest.NewServer(mux)
	v.url = web.URL
	tb.Cleanup(func() { web.Close(); v.convert.Close() })
	return v
}

// settings point a server to v, with its data in a folder that outlives it.
func (v *service) settings(folder string) map[string]string {
	return map[string]string{
		"WEBOFFICE_SERVICE": v.url, "WEBOFFICE_PUBLIC": "http://127.0.0.1", "WEBOFFICE_APP_ID": "app", "WEBOFFICE_APP_KEY": appKey,
		"WEBOFFICE_ROBOT_URL": v.chat.Address(v.url, webhooktest.TestKey()).Reveal(), "WEBOFFICE_TOKEN_URL": v.url + tokentest.EndpointPath,
		"WEBOFFICE_DATA": folder, "WEBOFFICE_CALLS_PER_SECOND": "1000",
	}
}

// document puts one into the folder of a server, and returns the body that converts it.
func (s *server) document() string {
	s.t.Helper()
	id, err := putSample(s.settings, s.storage)
	if err != nil {
		s.t.Fatal(err)
	}
	return `{"file_id":"` + id + `","target":"pdf"}`
}

func TestJobsOutliveTheProcess(t *testing.T) {
	t.Parallel()
	v := newService(t, converttest.Script{converttest.Pending(10), converttest.Pending(20), converttest.Success([]byte("%PDF"))})
	v.convert.Fail(converttest.Queries, -1, converttest.Replied(http.StatusBadGateway, "text/html", "down"))
	folder := t.TempDir()
	first := start(t, v.settings(folder))
	path := first.post("/api/v1/conversions", first.document())
	first.await(path, stateConverting)
	if err := first.stop(); err != nil {
		t.Fatal(err)
	}
	v.convert.Heal()
	second := start(t, v.settings(folder))
	got := second.await(path, stateDone)
	if n := len(v.convert.Submissions()); n != 1 || got.Repeated != 0 {
		t.Errorf("%d submits, repeated %d: want one", n, got.Repeated)
	}
}

// The one window: an answer that was lost. The job goes on, and says so.
func TestLostAnswersAreRepeatedAndCounted(t *testing.T) {
	t.Parallel()
	v := newService(t, nil)
	s := start(t, v.settings(t.TempDir()))
	v.convert.Fail(converttest.Submits, 1, converttest.Reset)
	if got := s.await(s.post("/api/v1/conversions", s.document()), stateDone); got.Repeated != 1 || len(v.convert.Submissions()) != 2 {
		t.Errorf("the conversion is %+v with %d tasks, want a repeated submit and two", got, len(v.convert.Submissions()))
	}
	v.lose.Store(true)
	if got := s.await(s.post("/api/v1/messages", `{"text":"hi"}`), stateSent); got.Repeated != 1 || len(v.chat.Sent()) != 2 {
		t.Errorf("the message is %+v and %d times in the chat, want a repeated one and two", got, len(v.chat.Sent()))
	}
}

// A call counts as repeated when it is made, once for all attempts of a worker, and not
// while the job cannot make it.
func TestIntent(t *testing.T) {
	t.Parallel()
	state := messageState{}
	next := func() *messageState { // as the next worker reads it
		stored, err := json.Marshal(state)
		if err != nil {
			t.Fatal(err)
		}
		state = messageState{}
		if err := json.Unmarshal(stored, &state); err != nil {
			t.Fatal(err)
		}
		return &state
	}
	for n, want := range []bool{false, true, true} { // the process dies each time
		s := next()
		if first, second := s.try(), s.try(); first != want || second || s.Repeated != n {
			t.Errorf("call %d: repeated %t, then %t, %d in all", n, first, second, s.Repeated)
		}
	}
	if s := next(); true {
		s.refused()
		if !s.Begun {
			t.Error("a call that was not tried clears what is known of the one before")
		}
		s.try()
		s.refused()
		if s.Begun {
			t.Error("a call that was refused is not clear")
		}
	}
	if s := next(); s.try() || s.Repeated != 3 {
		t.Errorf("after a refusal a call counts as repeated: %d in all", s.Repeated)
	}
}

// A job that comes to its deadline says what went wrong.
func TestDeadline(t *testing.T) {
	t.Parallel()
	v := newService(t, nil)
	v.convert.Fail(converttest.Submits, -1, converttest.Refused(convert.CodeTooManyTask))
	env := v.settings(t.TempDir())
	env["WEBOFFICE_DEADLINE"] = "1s"
	s := start(t, env)
	path := s.post("/api/v1/conversions", s.document())
	if got := s.await(path, stateFailed); !strings.Contains(got.Error, "not finished after 1s: the service did not take the document: ") {
		t.Errorf("the error is %q", got.Error)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		converter converttest.Converter
		fault     converttest.Fault
		want      string
	}{
		"the task failed":        {converter: converttest.Script{converttest.Failure("the document is empty")}, want: "the document is empty"},
		"an argument is refused": {fault: converttest.Refused(convert.CodeInvalidArgument), want: "10001"},
		"no result":              {converter: converttest.Script{{State: convert.StateSuccess}}, want: "without a result"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := newService(t, test.converter)
			if test.fault != nil {
				v.convert.Fail(converttest.Submits, -1, test.fault)
			}
			s := start(t, v.settings(t.TempDir()))
			path := s.post("/api/v1/conversions", s.document())
			if got := s.await(path, stateFailed); !strings.Contains(got.Error, test.want) {
				t.Errorf("the error is %q, want %q in it", got.Error, test.want)
			}
		})
	}
}

// What will pass is waited for: a full service, and one that has forgotten its tasks.
func TestPatience(t *testing.T) {
	t.Parallel()
	v := newService(t, nil)
	s := start(t, v.settings(t.TempDir()))
	v.convert.Fail(converttest.Submits, 2, converttest.Refused(convert.CodeTooManyTask))
	v.convert.Fail(converttest.Queries, 1, converttest.Refused(convert.CodeFileNotExists))
	if got := s.await(s.post("/api/v1/conversions", s.document()), stateDone); got.Repeated != 0 || len(v.convert.Submissions()) != 2 {
		t.Errorf("the conversion is %+v with %d tasks, want two: the first was forgotten", got, len(v.convert.Submissions()))
	}
}

// A message that waits for its minute does not hold up the end, and is not lost.
func TestAMessageThatWaits(t *testing.T) {
	t.Parallel()
	v := newService(t, nil)
	folder, env := t.TempDir(), v.settings(t.TempDir())
	env["WEBOFFICE_DATA"], env["WEBOFFICE_MESSAGES_PER_MINUTE"], env["WEBOFFICE_DRAIN"] = folder, "1", "10m"
	first := start(t, env)
	first.await(first.post("/api/v1/messages", `{"text":"one"}`), stateSent)
	path := first.post("/api/v1/messages", `{"text":"two"}`)
	for range 1500 { // until the job waits for its minute
		if _, metrics := first.call(http.MethodGet, "/metrics", ""); bytes.Contains(metrics, []byte(`weboffice_jobs{kind="message",state="running"} 1`)) {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err := first.stop(); err != nil || len(v.chat.Sent()) != 1 {
		t.Fatalf("the server ends with %v after %d messages, want one: the end waited for the minute", err, len(v.chat.Sent()))
	}
	second := start(t, env)
	if got := second.await(path, stateSent); got.Repeated != 0 || len(v.chat.Sent()) != 2 {
		t.Errorf("the message is %+v, and the chat has %d, want both once", got, len(v.chat.Sent()))
	}
}

func TestAPI(t *testing.T) {
	t.Parallel()
	v := newService(t, nil)
	s := start(t, v.settings(t.TempDir()))
	doc := s.document()
	first := s.post("/api/v1/conversions", doc, "Idempotency-Key", "k")
	if again := s.post("/api/v1/conversions", doc, "Idempotency-Key", "k"); again != first {
		t.Errorf("the same key made %s and %s", first, again)
	}
	hello := `{"text":"hello"}`
	if one, two := s.post("/api/v1/messages", hello, "Idempotency-Key", "m"), s.post("/api/v1/messages", hello, "Idempotency-Key", "m"); one != two {
		t.Errorf("the same key made %s and %s", one, two)
	}
	if other := s.post("/api/v1/conversions", doc); other == first {
		t.Error("a call without a key found another job")
	}
	s.await(first, stateDone)
	for name, test := range map[string]struct {
		method, path, body string
		header             []string
		want               int
	}{
		"no token":                 {"GET", first, "", []string{"Authorization", ""}, 401},
		"a wrong token":            {"GET", first, "", []string{"Authorization", "Bearer x"}, 401},
		"a token of small letters": {"GET", first, "", []string{"Authorization", "bearer " + s.settings.apiToken.Reveal()}, 200},
		"another call of the key":  {"POST", "/api/v1/conversions", strings.Replace(doc, "pdf", "txt", 1), []string{"Idempotency-Key", "k"}, 422},
		"a long key":               {"POST", "/api/v1/conversions", doc, []string{"Idempotency-Key", strings.Repeat("k", 201)}, 400},
		"no document":              {"POST", "/api/v1/conversions", `{"file_id":"none","target":"pdf"}`, nil, 404},
		"no id":                    {"POST", "/api/v1/conversions", `{"file_id":"../x","target":"pdf"}`, nil, 400},
		"no target":                {"POST", "/api/v1/conversions", strings.Replace(doc, "pdf", "doc", 1), nil, 400},
		"an unknown field":         {"POST", "/api/v1/messages", `{"txt":"x"}`, nil, 400},
		"two objects":              {"POST", "/api/v1/messages", hello + hello, nil, 400},
		"no text":                  {"POST", "/api/v1/messages", `{}`, nil, 400},
		"two texts":                {"POST", "/api/v1/messages", `{"text":"x","markdown":"y"}`, nil, 400},
		"a long text":              {"POST", "/api/v1/messages", `{"text":"` + strings.Repeat("x", 5001) + `"}`, nil, 422},
		"a huge body":              {"POST", "/api/v1/messages", `{"text":"` + strings.Repeat("x", maxBody) + `"}`, nil, 400},
		"no conversion":            {"GET", "/api/v1/conversions/4711", "", nil, 404},
		"no number":                {"GET", "/api/v1/conversions/x", "", nil, 404},
		"another kind":             {"GET", strings.Replace(first, "conversions", "messages", 1), "", nil, 404},
		"no file":                  {"GET", first + "/files/002.pdf", "", nil, 404},
		"no name":                  {"GET", first + "/files/%00", "", nil, 404},
		"a way out":                {"GET", first + "/files/..%2f..%2fkeys%2fapi-token", "", nil, 404},
		"a viewer":                 {"POST", "/api/v1/viewers", `{"user":"ann","file_id":"plan","edit":true}`, nil, 201},
		"a viewer of nothing":      {"POST", "/api/v1/viewers", `{"user":"ann"}`, nil, 400},
		"no route":                 {"GET", "/api/v2", "", nil, 404},
	} {
		if status, text := s.call(test.method, test.path, test.body, test.header...); status != test.want || !strings.HasPrefix(string(text), "{") {
			t.Errorf("%s: HTTP %d, %s, want %d in JSON", name, status, text, test.want)
		}
	}
}
