package canary_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice"
	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
	"github.com/weboffice-go/weboffice/internal/canary"
	"github.com/weboffice-go/weboffice/internal/memhttp"
	"github.com/weboffice-go/weboffice/signing"
)

var (
	convertKey      = canary.Secret("app key")
	convertPassword = canary.Secret("document password")
	convertSource   = "https://user:" + canary.Secret("source user") + "@src.example/a.docx?Expires=1&Signature=" + canary.Secret("source query")
	convertResult   = "https://user:" + canary.Secret("result user") + "@res.example/a.pdf?Signature=" + canary.Secret("result query")
)

// convertClient reaches h, or what change sets, and logs into cage.
func convertClient(t *testing.T, cage *canary.Cage, h http.Handler, change func(*convert.Config)) *convert.Client {
	t.Helper()
	cfg := convert.Config{
		BaseURL:     "https://office.example/prefix",
		Credentials: signing.App("app", signing.NewSecret(convertKey)),
		HTTPClient:  memhttp.Client(h),
		Logger:      cage.Logger,
		Backoff:     convert.Backoff{Min: time.Second, Max: time.Second},
		MaxWait:     time.Minute,
		Observe: func(ctx context.Context, op weboffice.Operation) (context.Context, func(weboffice.Outcome)) {
			return ctx, func(o weboffice.Outcome) { cage.Text("observation", fmt.Sprintf("%+v %+v", op, o)) }
		},
	}
	if change != nil {
		change(&cfg)
	}
	client, err := convert.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d"} {
		cage.Text("a Client", fmt.Sprintf(verb, client))
		cage.Text("a Config", fmt.Sprintf(verb, cfg))
	}
	return client
}

func convertPDF() convert.PDFRequest {
	return convert.PDFRequest{URL: convertSource, Filename: "a.docx", Password: signing.NewSecret(convertPassword)}
}

// convertFails makes every call of client and expects errors that show no secret.
func convertFails(t *testing.T, cage *canary.Cage, client *convert.Client) {
	t.Helper()
	ctx := t.Context()
	task := convert.Task{ID: "open:1", Target: convert.PDF}
	_, err := client.SubmitPDF(ctx, convertPDF())
	cage.Error("SubmitPDF", err)
	_, err = client.SubmitText(ctx, convert.TextRequest{URL: convertSource, Filename: "a.docx", Password: signing.NewSecret(convertPassword)})
	cage.Error("SubmitText", err)
	_, err = client.Status(ctx, task)
	cage.Error("Status", err)
	_, err = client.Wait(ctx, task)
	cage.Error("Wait", err)
	for status, err := range client.Watch(ctx, task) {
		if err != nil {
			cage.Error("Watch", err)
		}
		cage.Text("Watch", fmt.Sprintf("%+v", status))
	}
	_, err = client.Save(ctx, task, t.TempDir(), nil)
	cage.Error("Save", err)
	var out []struct{}
	cage.Error("Do", client.Do(ctx, convert.Call{
		Path: "/x", Query: url.Values{"token": {canary.Secret("call query")}}, Repeatable: true,
	}, &out))
	cage.Error("Do with a body", client.Do(ctx, convert.Call{
		Path: "/api/developer/v1/office/save/as/docx", Body: map[string]any{"url": convertSource, "password": convertPassword, "from_page": "1"},
	}, &out))
	cage.Error("Download", client.Download(ctx, convert.File{URL: convertResult, Size: 5}, io.Discard))
	requests := map[string]convert.Request{"new": convertPDF(), "old": task}
	for key, outcome := range convert.Batch(ctx, client, maps.All(requests), &convert.BatchOptions[string]{Dir: t.TempDir()}) {
		cage.Error("Batch "+key, outcome.Err)
		cage.Text("Outcome", fmt.Sprintf("%v %+v %#v", outcome, outcome, outcome))
		cage.Logger.Info("outcome", "o", outcome)
	}
}

// quoted is s within JSON.
func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// The service may repeat whatever it was sent, and addresses of results.
func TestConvertAnswers(t *testing.T) {
	t.Parallel()
	all := "cannot open " + convertSource + " with " + convertPassword + " for " + convertResult
	for name, answer := range map[string]struct {
		status int
		body   string
	}{
		"a message":           {200, `{"code":30009,"message":` + quoted(all) + `}`},
		"a msg":               {400, `{"code":10001,"msg":` + quoted(all) + `}`},
		"a result":            {500, `{"code":30004,"result":` + quoted(all) + `}`},
		"text":                {502, all},
		"text with 200":       {200, all},
		"HTML":                {200, "<html><a href='" + convertSource + "'>" + convertPassword + "</a>"},
		"the request":         {200, `{"code":-1,"message":"x","request":{"password":` + quoted(convertPassword) + `,"url":` + quoted(convertSource) + `}}`},
		"rate":                {429, all},
		"another shape":       {200, `{"code":0,"data":[` + quoted(all) + `,{}]}`},
		"another type":        {200, `{"code":0,"data":{"task_id":"","status":{"a":` + quoted(all) + `},"progress":` + quoted(all) + `}}`},
		"a number too large":  {200, `{"code":0,"data":{"task_id":null,"progress":1e999}}`},
		"a redirect":          {307, all},
		"a secret in a field": {200, `{"code":0,"data":{"result":{"txts":[{"url":7,"` + canary.Secret("key") + `":1}]}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				cage := canary.New(t)
				convertFails(t, cage, convertClient(t, cage, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					body := answer.body
					if r.Method == http.MethodGet { // a query carries no password, so that nobody could know it there
						body = strings.ReplaceAll(body, convertPassword, "that")
					}
					w.Header().Set("Location", convertResult)
					w.WriteHeader(answer.status)
					_, _ = io.WriteString(w, body)
				}), nil))
			})
		})
	}
}

// Tasks that fail say why, and may name any address.
func TestConvertTasks(t *testing.T) {
	t.Parallel()
	file := `{"url":` + quoted(convertResult) + `,"size":5}`
	for name, data := range map[string]string{
		"failed":           `{"status":"failed","message":` + quoted("cannot open "+convertSource) + `}`,
		"an odd state":     `{"status":[` + quoted(convertSource) + `]}`,
		"running":          `{"status":"running","result":{"pdfs":[` + file + `]}}`,
		"no result":        `{"status":"success"}`,
		"a download fails": `{"status":"success","result":{"pdfs":[` + file + `]}}`,
		"another file":     `{"status":"success","result":{"pdfs":[{"url":"ftp` + convertResult[5:] + `","size":5}]}}`,
		"no file":          `{"status":"success","result":{"pdfs":[{"url":` + quoted(convertResult) + `,"size":-5}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				cage := canary.New(t)
				client := convertClient(t, cage, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					switch {
					case r.Host == "res.example":
						http.Error(w, "SignatureDoesNotMatch "+convertResult, http.StatusForbidden)
					case r.Method == http.MethodPost:
						_, _ = io.WriteString(w, `{"code":0,"data":{"task_id":"1"}}`)
					default:
						_, _ = io.WriteString(w, `{"code":0,"data":`+data+`}`)
					}
				}), nil)
				task := convert.Task{ID: "open:1", Target: convert.PDF}
				result, err := client.Wait(t.Context(), task)
				if err != nil {
					cage.Error("Wait", err)
				}
				cage.Text("Result", fmt.Sprintf("%v %+v %#v %s %d", result, result, result, result, result))
				_, err = client.Save(t.Context(), task, t.TempDir(), nil)
				cage.Error("Save", err)
				_, err = client.Save(t.Context(), task, t.TempDir(), &convert.SaveOptions{
					Name: func(_, _ int, f convert.File) string { return f.URL + "/../.." }, // a careless one
				})
				cage.Error("Save with a Name", err)
				for status, err := range client.Watch(t.Context(), task) {
					cage.Text("Status", fmt.Sprintf("%v %+v %#v %s %q %d", status, status, status, status, status, status))
					cage.Logger.Info("status", "s", status, "e", err)
				}
				for _, outcome := range convert.Batch(t.Context(), client, maps.All(map[int]convert.Request{1: task, 2: convertPDF()}), &convert.BatchOptions[int]{Dir: t.TempDir()}) {
					cage.Error("Batch", outcome.Err)
					cage.Text("Outcome", fmt.Sprintf("%v %+v %#v", outcome, outcome, outcome))
					cage.Logger.Info("outcome", "o", outcome)
				}
			})
		})
	}
}

// roundTrip is a transport that fails.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// The network may fail at any point, and net/http names addresses in its errors.
func TestConvertNetwork(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	tlsServer := httptest.NewUnstartedServer(http.NotFoundHandler())
	tlsServer.Config.ErrorLog = log.New(io.Discard, "", 0)
	tlsServer.StartTLS()
	t.Cleanup(tlsServer.Close)
	tests := map[string]func(*convert.Config){
		"refused": func(cfg *convert.Config) { cfg.BaseURL, cfg.HTTPClient = closed.URL, nil },
		"no such host": func(cfg *convert.Config) {
			cfg.HTTPClient = dialer(&net.DNSError{Err: "no such host", Name: "office.example"})
		},
		"TLS": func(cfg *convert.Config) { cfg.BaseURL, cfg.HTTPClient = tlsServer.URL, &http.Client{} },
		"a careless transport": func(cfg *convert.Config) {
			cfg.HTTPClient = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				return nil, &url.Error{Op: "Post", URL: r.URL.String(), Err: fmt.Errorf("cannot reach %s: %w", r.URL, io.EOF)}
			})}
		},
		"a transport that shows the body": func(cfg *convert.Config) {
			cfg.HTTPClient = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				if r.Body == nil {
					return nil, io.EOF
				}
				body, err := io.ReadAll(r.Body)
				return nil, fmt.Errorf("cannot send %s (%w): %w", body, err, io.EOF)
			})}
		},
		"a limiter": func(cfg *convert.Config) {
			cfg.Limiter = &brokenLimiter{&url.Error{Op: "dial", URL: "redis://:" + canary.Secret("redis") + "@host/?p=" + canary.Secret("redis"), Err: io.EOF}}
		},
		"panics": func(cfg *convert.Config) {
			cfg.HTTPClient = memhttp.Client(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(convertResult) }))
		},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cage := canary.New(t)
			convertFails(t, cage, convertClient(t, cage, nil, func(cfg *convert.Config) {
				cfg.Attempts = 1
				cfg.HTTPClient = dialer(errors.New("not reachable"))
				change(cfg)
			}))
		})
	}
}

// dialer is a client whose connections fail.
func dialer(err error) *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, err }}}
}

type brokenLimiter struct{ err error }

func (l *brokenLimiter) Wait(context.Context) error { return l.err }

func TestConvertTimeOuts(t *testing.T) {
	t.Parallel()
	hang := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	for name, change := range map[string]func(*convert.Config){
		"of a call": func(cfg *convert.Config) { cfg.HTTPClient.Timeout = time.Second },
		"of a wait": func(cfg *convert.Config) { cfg.HTTPClient.Timeout = 40 * time.Second; cfg.Attempts = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				cage := canary.New(t)
				convertFails(t, cage, convertClient(t, cage, hang, change))
			})
		})
	}
	t.Run("cancelled for a reason", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			cage := canary.New(t)
			client := convertClient(t, cage, hang, nil)
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { cancel(&url.Error{Op: "Get", URL: convertResult, Err: io.EOF}) })
			_, err := client.SubmitPDF(ctx, convertPDF())
			cage.Error("SubmitPDF", err)
		})
	})
}

// What is refused before it is sent is described without its values.
func TestConvertArguments(t *testing.T) {
	t.Parallel()
	cage := canary.New(t)
	client := convertClient(t, cage, http.NotFoundHandler(), nil)
	ctx := t.Context()
	for _, source := range []string{
		"ftp" + convertSource[5:], "/relative?" + canary.Secret("query"), "https://%zz?" + canary.Secret("query"), canary.Secret("query"), convertSource + "\x7f", convertSource + "\xff",
	} {
		req := convertPDF()
		req.URL, req.Filename, req.Password = source, "a.zip", signing.NewSecret(convertPassword+"\xff")
		_, err := client.SubmitPDF(ctx, req)
		cage.Error("SubmitPDF", err)
		cage.Text("PDFRequest", fmt.Sprintf("%v %+v %#v %s %q %d", req, req, req, req, req, &req))
		text := convert.TextRequest{URL: source, Password: req.Password}
		_, err = client.SubmitText(ctx, text)
		cage.Error("SubmitText", err)
		cage.Text("TextRequest", fmt.Sprintf("%v %+v %#v %s %q %d", text, text, text, text, text, &text))
		cage.Logger.Info("requests", "text", text, "pdf", req)
		file := convert.File{URL: source}
		cage.Error("Download", client.Download(ctx, file, io.Discard))
		cage.Text("File", fmt.Sprintf("%v %+v %#v %s %q %d", file, file, file, file, file, &file))
		cage.Logger.Info("file", "f", file)
		_, err = convert.New(convert.Config{BaseURL: source, Credentials: signing.App("a:b", signing.NewSecret(convertKey))})
		cage.Error("New", err)
	}
	cage.Error("Do", client.Do(ctx, convert.Call{Path: "/x?token=" + canary.Secret("call query")}, nil))
	cage.Error("Do", client.Do(ctx, convert.Call{Path: "/x", Body: json.RawMessage(canary.Secret("body"))}, nil))
	cage.Error("Do", client.Do(ctx, convert.Call{Path: "/x", Body: unwritable{}}, nil))
	_, err := client.Save(ctx, convert.Task{ID: "1"}, os.DevNull, nil)
	cage.Error("Save", err)
}

// unwritable is a body whose encoding fails with a secret.
type unwritable struct{}

func (unwritable) MarshalJSON() ([]byte, error) { return nil, errors.New(canary.Secret("body")) }

// The other side keeps what it was sent, and shows no secret of it either.
func TestConverttestValues(t *testing.T) {
	t.Parallel()
	cage := canary.New(t)
	app := signing.App("app", signing.NewSecret(convertKey))
	s := converttest.NewServer(&converttest.Options{Credentials: []signing.Credentials{app}, Logger: cage.Logger})
	t.Cleanup(s.Close)
	c, err := convert.New(s.Config())
	if err != nil {
		t.Fatal(err)
	}
	task, err := c.SubmitPDF(t.Context(), convert.PDFRequest{URL: convertSource, Filename: "a.docx", Password: signing.NewSecret(convertPassword)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Wait(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	sent := s.Submissions()
	if len(sent) != 1 || sent[0].URL != convertSource {
		t.Fatalf("Submissions() = %v, want the one with its address", sent)
	}
	for what, v := range map[string]any{"server": s, "client": c} {
		cage.Value(what, v)
	}
	// Their JSON form keeps the address, which the doc of the package says.
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d"} {
		cage.Text("submissions by "+verb, fmt.Sprintf(verb, sent))
	}
}

// TestConvertEscapedAnswers repeats what it was sent in the escapes of HTML, JSON and
// URLs, also in the header that names a request.
func TestConvertEscapedAnswers(t *testing.T) {
	t.Parallel()
	secret := "a<b>&'" + `"/` + canary.Secret("awkward password") + "é"
	upper := strings.ReplaceAll(html.EscapeString(secret), "&#39;", "&#x27;")
	for name, text := range map[string]string{
		"HTML": html.EscapeString(secret), "other HTML": upper, "JSON": quoted(secret), "URL": url.QueryEscape(secret),
		"PHP": strings.ReplaceAll(quoted(secret), "/", `\/`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cage := canary.New(t)
			client := convertClient(t, cage, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("X-Request-Id", convertPassword)
				http.Redirect(w, &http.Request{Method: http.MethodPost, URL: &url.URL{Path: "/"}}, "https://"+convertPassword+":x@src.example/?"+convertPassword, http.StatusFound)
				_, _ = io.WriteString(w, "<p>the password is "+text+"</p>")
			}), nil)
			req := convertPDF()
			req.Password = signing.NewSecret(secret)
			req.URL += "&k=" + url.QueryEscape(convertPassword)
			_, err := client.SubmitPDF(t.Context(), req)
			cage.Error("SubmitPDF", err)
			var refused *convert.APIError
			if !errors.As(err, &refused) || !strings.Contains(string(refused.Body), "[secret]") {
				t.Fatalf("SubmitPDF = %v, want an answer that hides something", err)
			}
			cage.Text("Body", string(refused.Body))
		})
	}
}
