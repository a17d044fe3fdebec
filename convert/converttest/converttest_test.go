package converttest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

const (
	toText = "/api/developer/v1/office/convert/to/txt"
	toPDF  = "/api/developer/v1/office/convert/to/pdf"
	tasks  = "/api/developer/v1/tasks/"

	// document is a body without anything that may be left out.
	document = `{"url":"https://files.example/a.docx","filename":"a.docx"}`
)

// at is the clock of servers whose answers are compared.
var at = time.Date(2026, 1, 23, 6, 43, 8, 0, time.UTC)

func fixed() time.Time { return at }

// newServer closes the server at the end of the test.
func newServer(t *testing.T, opts *converttest.Options) *converttest.Server {
	t.Helper()
	s := converttest.NewServer(opts)
	t.Cleanup(s.Close)
	return s
}

// reply is an answer of the API.
type reply struct {
	Status  int             `json:"-"`
	Header  http.Header     `json:"-"`
	Raw     string          `json:"-"`
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Result  string          `json:"result"`
	Data    json.RawMessage `json:"data"`
}

// send signs a request as the app c at time at, and reads the JSON answer.
func send(t *testing.T, h http.Handler, c signing.Credentials, method, target, body string) reply {
	t.Helper()
	return serve(t, h, signed(t, c, method, target, body))
}

func signed(t *testing.T, c signing.Credentials, method, target, body string) *http.Request {
	t.Helper()
	return signedBy(t, c, at, method, target, body)
}

func signedBy(t *testing.T, c signing.Credentials, date time.Time, method, target, body string) *http.Request {
	t.Helper()
	req := httptest.NewRequest(method, target, strings.NewReader(body))
	req.RequestURI = req.URL.RequestURI() // as a server sees it, also where target is absolute
	sign(t, req, c, date, body)
	return req
}

// sign signs body, or the target of req where there is none.
func sign(t *testing.T, req *http.Request, c signing.Credentials, date time.Time, body string) {
	t.Helper()
	signer, err := signing.NewSigner(c)
	if err != nil {
		t.Fatal(err)
	}
	payload := []byte(body)
	if body == "" {
		req.Body, payload = http.NoBody, []byte(req.RequestURI)
	}
	req.Header.Set("Content-Type", signing.ContentType)
	signer.Sign(req.Header, payload, date)
}

func serve(t *testing.T, h http.Handler, req *http.Request) reply {
	t.Helper()
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, req)
	r := reply{Status: rec.Code, Header: rec.Header(), Raw: rec.Body.String()}
	if got := rec.Header().Get("Content-Type"); got != "application/json" {
		t.Errorf("%s %s: Content-Type = %q, want application/json", req.Method, req.URL, got)
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &r); err != nil {
		t.Fatalf("%s %s: body %q is no JSON: %v", req.Method, req.URL, r.Raw, err)
	}
	return r
}

// submit expects that the body is accepted, and returns the task.
func submit(t *testing.T, s http.Handler, target, body string) string {
	t.Helper()
	r := send(t, s, signingtest.Credentials(), http.MethodPost, target, body)
	var data struct {
		TaskID string `json:"task_id"`
	}
	if err := json.Unmarshal(r.Data, &data); err != nil || r.Status != http.StatusOK || r.Code != 0 || data.TaskID == "" {
		t.Fatalf("submit %s = %d %s, want a task id", body, r.Status, r.Raw)
	}
	return data.TaskID
}

// state is the data of a task query (protocol 2.3).
type state struct {
	Status   string  `json:"status"`
	Progress float64 `json:"progress"`
	Message  *string `json:"message"`
	Result   *struct {
		Task struct {
			Elapsed      *float64 `json:"elapsed"`
			ResourceSize *float64 `json:"resource_size"`
		} `json:"task"`
		Texts []file `json:"txts"`
		PDFs  []file `json:"pdfs"`
	} `json:"result"`
}

type file struct {
	URL  string `json:"url"`
	Size int    `json:"size"`
}

func query(t *testing.T, s http.Handler, id string) state {
	t.Helper()
	r := send(t, s, signingtest.Credentials(), http.MethodGet, tasks+id, "")
	var st state
	if err := json.Unmarshal(r.Data, &st); err != nil || r.Status != http.StatusOK || r.Code != 0 {
		t.Fatalf("query %s = %d %s, want a status", id, r.Status, r.Raw)
	}
	return st
}

// get asks for a result, unsigned.
func get(t *testing.T, h http.Handler, address string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := converttest.HTTPClient(h).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var b bytes.Buffer
	if _, err := io.Copy(&b, resp.Body); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, b.String()
}

func TestConfigReachesTheServer(t *testing.T) {
	t.Parallel()
	s := newServer(t, &converttest.Options{Now: fixed})
	cfg := s.Config()
	if cfg.BaseURL == "" || cfg.Credentials.IsZero() || cfg.HTTPClient == nil {
		t.Errorf("Config() = %+v, want what New requires", cfg)
	}
	if got := cfg.Now(); !got.Equal(at) {
		t.Errorf("Config().Now() = %v, want the server's clock %v", got, at)
	}
	if _, err := convert.New(cfg); err != nil {
		t.Errorf("convert.New(Config()) = %v", err)
	}
	req := signed(t, cfg.Credentials, http.MethodPost, cfg.BaseURL+toPDF, document)
	req.RequestURI = ""
	resp, err := cfg.HTTPClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK || len(s.Submissions()) != 1 {
		t.Errorf("through Config().HTTPClient: status %d, %d submissions, want 200 and 1", resp.StatusCode, len(s.Submissions()))
	}
}

func TestCredentialsThatCannotSign(t *testing.T) {
	t.Parallel()
	s := newServer(t, &converttest.Options{Credentials: []signing.Credentials{signing.App("", signing.Secret{})}})
	r := send(t, s, signingtest.Credentials(), http.MethodPost, toPDF, document)
	if r.Code != convert.CodeInternalError || !strings.Contains(r.Message, "app id is empty") {
		t.Errorf("answer = %s, want code 30004 that says what is wrong with Options.Credentials", r.Raw)
	}
}

func TestSubmissionsAreInOrderAndACopy(t *testing.T) {
	t.Parallel()
	s := newServer(t, &converttest.Options{Now: fixed})
	first, second := submit(t, s, toText, document), submit(t, s, toPDF, document)
	subs := s.Submissions()
	if len(subs) != 2 || subs[0].Task != (convert.Task{ID: first, Target: convert.Text}) || subs[1].Task != (convert.Task{ID: second, Target: convert.PDF}) {
		t.Errorf("Submissions() = %v, want %s to txt and %s to pdf", subs, first, second)
	}
	if first == second || !strings.Contains(first, ":") {
		t.Errorf("task ids %q and %q: want two with a colon", first, second)
	}
	subs[0].AppID = "changed"
	if s.Submissions()[0].AppID != "test-app" {
		t.Error("a change to what Submissions returned shows in the server")
	}
}
