package convert_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice"
	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/signing"
)

func TestConfigNamesTheUsualMistakes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		base, key string
		allow     bool
		want      string // part of the error; empty: none
	}{
		"https":                        {"https://office.example", "key", false, ""},
		"http":                         {"http://office.example", "key", false, "AllowInsecureHTTP"},
		"http in capital letters":      {"HTTP://office.example", "key", false, "https"},
		"http, allowed":                {"http://office.example", "key", true, ""},
		"http to this machine":         {"http://127.0.0.1:8080/a", "key", false, ""},
		"http to localhost":            {"http://localhost:8080", "key", false, ""},
		"http, as if to localhost":     {"http://localhost.example", "key", false, "AllowInsecureHTTP"},
		"the path of the calls":        {"https://office.example/api/developer/v1", "key", false, "/api/developer/v1"},
		"the path, and a slash":        {"https://office.example/a/api/developer/v1/", "key", false, "/api/developer/v1"},
		"a key with a line feed":       {"https://office.example", "key\n", false, "white space"},
		"a key with a space before it": {"https://office.example", " key", false, "white space"},
	} {
		_, err := convert.New(convert.Config{BaseURL: test.base, AllowInsecureHTTP: test.allow, Credentials: signing.App("app", signing.NewSecret(test.key))})
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: New = %v, want %q", name, err, test.want)
		}
	}
}

func TestErrNotAccepted(t *testing.T) {
	t.Parallel()
	refuses := errors.New("redis is down")
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		change  func(*convert.Config)
		req     convert.PDFRequest
		want    bool
	}{
		"a rule is broken":         {say(200, submitted), nil, convert.PDFRequest{}, true},
		"the limiter refuses":      {say(200, submitted), func(cfg *convert.Config) { cfg.Limiter = failing{refuses} }, pdf(), true},
		"a code":                   {say(200, `{"code":10001}`), nil, pdf(), true},
		"a code with an error":     {say(500, `{"code":30008}`), nil, pdf(), true},
		"the rate limit":           {say(429, ""), nil, pdf(), true},
		"not authorized":           {say(401, ""), nil, pdf(), true},
		"a redirect":               {say(302, ""), nil, pdf(), true},
		"a code for a time-out":    {say(200, `{"code":10002}`), nil, pdf(), false},
		"an unknown error":         {say(200, `{"code":-1}`), nil, pdf(), false},
		"a gateway":                {say(502, "<html>"), nil, pdf(), false},
		"a time-out of the server": {say(408, ""), nil, pdf(), false},
		"no task id":               {say(200, `{"code":0}`), nil, pdf(), false},
		"no JSON":                  {say(200, "<html>"), nil, pdf(), false},
		"nothing":                  {say(200, ""), nil, pdf(), false},
		"the connection breaks":    {hangUp, nil, pdf(), false},
		"no connection": {nil, func(cfg *convert.Config) {
			cfg.BaseURL, cfg.HTTPClient = "https://127.0.0.1:1", &http.Client{Timeout: time.Minute}
		}, pdf(), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := newClient(t, test.handler, func(cfg *convert.Config) {
				cfg.Attempts = 1
				if test.change != nil {
					test.change(cfg)
				}
			})
			_, err := client.SubmitPDF(t.Context(), test.req)
			if err == nil || errors.Is(err, convert.ErrNotAccepted) != test.want {
				t.Errorf("SubmitPDF = %v, want one that is ErrNotAccepted: %v", err, test.want)
			}
		})
	}
}

type failing struct{ err error }

func (f failing) Wait(context.Context) error { return f.err }

// A task that was submitted is accepted, whatever becomes of the calls about it: who
// submits again what is ErrNotAccepted would make a second one.
func TestErrorsAboutATaskAreNotErrNotAccepted(t *testing.T) {
	t.Parallel()
	refused := func(client *convert.Client, name string) map[string]error {
		made := convert.Task{ID: "1", Target: convert.PDF}
		errs := map[string]error{}
		_, errs["Wait"] = client.Wait(t.Context(), made)
		for _, err := range client.Watch(t.Context(), made) {
			errs["Watch"] = err
		}
		named := func(int, int, convert.File) string { return name }
		_, errs["Save"] = client.Save(t.Context(), made, t.TempDir(), &convert.SaveOptions{Name: named})
		_, errs["Save nowhere"] = client.Save(t.Context(), made, "", nil)
		opts := &convert.BatchOptions[int]{Dir: t.TempDir(), Name: func(int, int, int, convert.File) string { return name }}
		for _, outcome := range convert.Batch(t.Context(), client, maps.All(map[int]convert.Request{1: made}), opts) {
			errs["Batch"] = outcome.Err
		}
		return errs
	}
	for name, test := range map[string]struct {
		query, download http.HandlerFunc
		file            string
		succeeds        []string
		is              error
	}{
		"the query is rate-limited": {say(429, ""), nil, "a", nil, convert.ErrRateLimited},
		"the query is refused":      {say(200, `{"code":10001}`), nil, "a", nil, nil},
		"the download is refused":   {say(200, done("https://files.example/1")), say(404, ""), "a", []string{"Wait", "Watch"}, nil},
		"the name is refused":       {say(200, done("https://files.example/1")), nil, "../a", []string{"Wait", "Watch"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mux := http.NewServeMux()
			mux.HandleFunc("office.example/", test.query)
			if test.download != nil {
				mux.HandleFunc("files.example/", test.download)
			}
			client := newClient(t, mux, func(cfg *convert.Config) { cfg.Attempts = 1 })
			for call, err := range refused(client, test.file) {
				if (err == nil) != slices.Contains(test.succeeds, call) || errors.Is(err, convert.ErrNotAccepted) {
					t.Errorf("%s = %v, which is ErrNotAccepted: %t", call, err, errors.Is(err, convert.ErrNotAccepted))
				}
				if err == nil || call == "Save nowhere" {
					continue
				}
				if !errors.As(err, new(*convert.APIError)) && !errors.As(err, new(*convert.FieldError)) || test.is != nil && !errors.Is(err, test.is) {
					t.Errorf("%s = %v, want the cause in it", call, err)
				}
			}
		})
	}
}

// What is not a text or an integer is not an id, and neither is what no path can have.
func TestOddTaskIDs(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		`"open:abc"`: "open:abc", `17`: "17", `"文"`: "文", `"a b"`: "a b",
		`["x"]`: "", `{"a":1}`: "", `true`: "", `null`: "", `1.5`: "", `1e3`: "", `""`: "", `"."`: "", `".."`: "", `"\u0000"`: "", `"a\nb"`: "",
	} {
		got, err := newClient(t, say(200, `{"code":0,"data":{"task_id":`+id+`}}`), nil).SubmitPDF(t.Context(), pdf())
		if got.ID != want || (err == nil) != (want != "") {
			t.Errorf("task_id %s: SubmitPDF = %v, %v, want %q", id, got, err, want)
		}
	}
}

func TestAQueryDoesNotSleepForYears(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "2147483647")
			w.WriteHeader(http.StatusServiceUnavailable)
		}), func(cfg *convert.Config) { cfg.MaxWait = -1 })
		start := time.Now()
		_, err := client.Status(t.Context(), task)
		if apiError(t, err).RetryAfter != 2147483647*time.Second || time.Since(start) != 0 {
			t.Errorf("Status = %v after %v", err, time.Since(start))
		}
		if _, err := client.Wait(t.Context(), task); err == nil || time.Since(start) != 0 {
			t.Errorf("Wait = %v after %v", err, time.Since(start))
		}
	})
}

// Answers whose cause is known say it.
func TestAnswersThatExplainThemselves(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://u:SECRET@elsewhere.example:8443/SECRET?SECRET", http.StatusMovedPermanently)
		}, "https://elsewhere.example:8443"},
		"https from net/http": {say(400, "Client sent an HTTP request to an HTTPS server.\n"), "expects https"},
		"https from nginx":    {say(400, "<center>The plain HTTP request was sent to HTTPS port</center>"), "expects https"},
		"a clock": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", signing.FormatDate(time.Now().Add(20*time.Minute)))
			say(401, `{"code":30003}`)(w, nil)
		}, "20m0s ahead"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				_, err := newClient(t, test.handler, nil).SubmitPDF(t.Context(), pdf())
				if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "SECRET") {
					t.Errorf("SubmitPDF = %v, want %q in it", err, test.want)
				}
			})
		})
	}
}

func TestAQueryThatSaysThatTheTaskFailed(t *testing.T) {
	t.Parallel()
	if _, err := newClient(t, say(200, `{"code":30011,"message":"ExecuteFailed"}`), nil).Wait(t.Context(), task); !errors.Is(err, convert.ErrFailed) || apiError(t, err).Code != 30011 {
		t.Errorf("Wait = %v, want ErrFailed and the answer", err)
	}
}

func TestPendingWordsWinOverAMessage(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]convert.Phase{
		"running": convert.Running, "Queued": convert.Running, "processing": convert.Running, "2": convert.Running, "5": convert.Running,
		"failed": convert.Failed, "4": convert.Failed, "success": convert.Done, "odd": convert.Failed, "": convert.Failed,
	} {
		if got := convert.DefaultClassify(&convert.Status{State: state, Message: "in a queue"}); got != want {
			t.Errorf("DefaultClassify(%q with a message) = %v, want %v", state, got, want)
		}
	}
}

func TestParseRangesStopsAtTheTenthMistake(t *testing.T) {
	t.Parallel()
	_, err := convert.ParseRanges(strings.Repeat(",", 1<<20))
	if err == nil || len(err.Error()) > 2000 || len(fields(err)) != 10 {
		t.Errorf("ParseRanges gives %d errors", len(fields(err)))
	}
}

// shortWriter breaks the contract of io.Writer.
type shortWriter struct{}

func (shortWriter) Write(p []byte) (int, error) { return len(p) / 2, nil }

func TestDownloadFindsAShortWrite(t *testing.T) {
	t.Parallel()
	err := newClient(t, say(200, "hello"), nil).Download(t.Context(), convert.File{URL: "https://files.example/1", Size: 5}, shortWriter{})
	if !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("Download = %v, want ErrShortWrite", err)
	}
}

func TestDownloadErrorsSayWhat(t *testing.T) {
	t.Parallel()
	file := convert.File{URL: "https://files.example/a.pdf?sig=SECRETSECRET", Size: -1}
	client := newClient(t, say(403, `<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>no SECRETSECRET</Message></Error>`), nil)
	err := client.Download(t.Context(), file, io.Discard)
	if refused := apiError(t, err); refused.Message != "AccessDenied: no [secret]" {
		t.Errorf("Download = %v", err)
	}
	file.ExpiresAt = time.Date(2013, 1, 23, 6, 43, 8, 0, time.UTC)
	err = client.Download(t.Context(), file, io.Discard)
	if !errors.Is(err, convert.ErrExpired) || !strings.Contains(err.Error(), "/a.pdf") || !strings.Contains(err.Error(), "2013-01-23T06:43:08Z") || strings.Contains(err.Error(), "SECRET") {
		t.Errorf("Download = %v, want the file and the time", err)
	}
}

// A rename reaches no other file system, so a part of a file lies beside it.
func TestSaveWritesBesideTheFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var parts []string
	handler := func(w http.ResponseWriter, r *http.Request) {
		_ = fs.WalkDir(os.DirFS(dir), ".", func(path string, _ fs.DirEntry, _ error) error {
			if strings.HasSuffix(path, ".part") {
				parts = append(parts, filepath.Dir(path))
			}
			return nil
		})
		say(200, "hello")(w, r)
	}
	paths, err := newClient(t, fileHost(done("https://files.example/1"), handler), nil).
		Save(t.Context(), task, dir, &convert.SaveOptions{Name: func(int, int, convert.File) string { return "mounted/sub/x" }})
	if err != nil || len(paths) != 1 || len(parts) != 1 || filepath.ToSlash(parts[0]) != "mounted/sub" {
		t.Errorf("Save = %v, %v with parts in %v", paths, err, parts)
	}
}

func TestAFileSurvivesJSON(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", 8*3600)
	client := newClient(t, say(200, done("https://files.example/1")), func(cfg *convert.Config) { cfg.Now = func() time.Time { return time.Now().In(zone) } })
	result, err := client.Wait(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := json.Marshal(result.Files[0])
	if err != nil {
		t.Fatal(err)
	}
	var read convert.File
	if err := json.Unmarshal(stored, &read); err != nil || read != result.Files[0] {
		t.Errorf("%v was stored, and %v read: %v", result.Files[0], read, err)
	}
}

func TestRequestsSurviveJSON(t *testing.T) {
	t.Parallel()
	for want, req := range map[string]convert.Request{
		`{"URL":"https://a/b","Filename":"b.docx","Password":"","Pages":[{"From":1,"To":1},{"From":3,"To":5}],"MergePages":true,"KeepLineBreaks":false}`: convert.TextRequest{URL: "https://a/b", Filename: "b.docx", Pages: convert.Ranges{{1, 1}, {3, 5}}, MergePages: true},
		`{"URL":"https://a/b","Filename":"b.docx","Password":"","Pages":{"From":2,"To":0},"MergePages":false,"KeepLineBreaks":true}`:                     convert.TextRequest{URL: "https://a/b", Filename: "b.docx", Pages: convert.Span{From: 2}, KeepLineBreaks: true},
		`{"URL":"https://a/b","Filename":"b.docx","Password":"","Pages":null,"MergePages":false,"KeepLineBreaks":false}`:                                 convert.TextRequest{URL: "https://a/b", Filename: "b.docx"},
		`{"URL":"https://a/b","Filename":"b.docx","Password":"","Pages":{"From":1,"To":9},"ShowComments":true}`:                                          convert.PDFRequest{URL: "https://a/b", Filename: "b.docx", Pages: convert.Span{From: 1, To: 9}, ShowComments: true},
	} {
		stored, err := json.Marshal(req)
		if err != nil || string(stored) != want {
			t.Errorf("stored as %s, %v, want %s", stored, err, want)
		}
		var read any
		switch req.(type) {
		case convert.TextRequest:
			r := convert.TextRequest{Pages: convert.Page(7)} // of an earlier use
			err, read = json.Unmarshal(stored, &r), r
		case convert.PDFRequest:
			var r convert.PDFRequest
			err, read = json.Unmarshal(stored, &r), r
		}
		again, _ := json.Marshal(read)
		if err != nil || string(again) != want {
			t.Errorf("read as %s, %v, want %s", again, err, want)
		}
	}
	for _, bad := range []string{`{"Pages":"1-2"}`, `{"Pages":[1]}`, `{"Pages":7}`, `[]`} {
		if err := json.Unmarshal([]byte(bad), &convert.TextRequest{}); err == nil {
			t.Errorf("%s is read as a TextRequest", bad)
		}
	}
}

// Every attempt is observed, with what an operator wants to know of it.
func TestObserve(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		mux := http.NewServeMux()
		calls := 0
		mux.HandleFunc("POST office.example/", func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(time.Second)
			w.Header().Set("X-Request-Id", "r1")
			if calls++; calls == 1 {
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			_, _ = io.WriteString(w, submitted)
		})
		mux.HandleFunc("GET office.example/", func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/x") {
				say(400, `{"code":10001}`)(w, r)
				return
			}
			say(200, done("https://files.example/1"))(w, r)
		})
		mux.HandleFunc("files.example/", say(500, ""))
		mux.HandleFunc("files.example/good", func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(time.Second)
			w.Header().Set("X-Request-Id", "s-1a2b3c4d")
			_, _ = io.WriteString(w, "12345")
		})
		type seen struct {
			Name, App, RequestID, Error string
			Attempt, Status, Code       int
			Waited                      time.Duration
		}
		var got []seen
		type key struct{}
		client := newClient(t, mux, func(cfg *convert.Config) {
			cfg.Attempts = 2
			cfg.Limiter = convert.NewLimiter(1, 5*time.Second)
			cfg.Observe = func(ctx context.Context, op weboffice.Operation) (context.Context, func(weboffice.Outcome)) {
				return context.WithValue(ctx, key{}, op.Name), func(o weboffice.Outcome) {
					got = append(got, seen{op.Name, o.App, o.RequestID, o.Error, op.Attempt, o.Status, o.Code, o.Waited})
				}
			}
		})
		made, err := client.SubmitPDF(t.Context(), pdf())
		if err != nil {
			t.Fatal(err)
		}
		_ = client.Do(t.Context(), convert.Call{Path: "/x"}, nil)
		_, _ = client.Save(t.Context(), made, t.TempDir(), nil)
		_ = client.Download(t.Context(), convert.File{URL: "https://files.example/good", Size: 5}, io.Discard)
		_ = client.Download(t.Context(), convert.File{URL: "https://files.example/good?sig=1a2b3c4d", Size: 6}, io.Discard)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, _ = client.Status(ctx, made)
		app := got[0].App
		want := []seen{
			{"convert.submit_pdf", app, "r1", "rate_limited", 1, 429, 0, 0},
			{"convert.submit_pdf", app, "r1", "", 2, 200, 0, got[1].Waited},
			{"convert.call", app, "", "refused", 1, 400, 10001, got[2].Waited},
			{"convert.status", app, "", "", 1, 200, 0, got[3].Waited},
			{"convert.download", app, "", "refused", 1, 500, 0, 0},
			{"convert.download", app, "", "refused", 2, 500, 0, 0},
			{"convert.download", app, "s-1a2b3c4d", "", 1, 200, 0, 0},
			{"convert.download", app, "s-[secret]", "invalid", 1, 200, 0, 0},
			{"convert.status", app, "", "timeout", 1, 0, 0, time.Second},
		}
		if diff := cmp.Diff(want, got); diff != "" || app == "" || got[3].Waited != 5500*time.Millisecond {
			t.Errorf("app %q, waited %v (-want +got):\n%s", app, got[3].Waited, diff)
		}
	})
}

// An operation ends also if the caller's own code panics in it.
func TestObservePanic(t *testing.T) {
	t.Parallel()
	var got []string
	client := newClient(t, say(200, "12345"), func(cfg *convert.Config) {
		cfg.Limiter = panicking{}
		cfg.Observe = func(ctx context.Context, op weboffice.Operation) (context.Context, func(weboffice.Outcome)) {
			return ctx, func(o weboffice.Outcome) { got = append(got, op.Name+" "+o.Error) }
		}
	})
	for _, call := range []func() error{
		func() error { return client.Do(t.Context(), convert.Call{Path: "/x"}, nil) },
		func() error {
			return client.Download(t.Context(), convert.File{URL: "https://files.example/1", Size: 5}, panicking{})
		},
	} {
		func() {
			defer func() { _ = recover() }()
			t.Errorf("%v, want a panic", call())
		}()
	}
	if diff := cmp.Diff([]string{"convert.call failed", "convert.download failed"}, got); diff != "" {
		t.Errorf("ended operations (-want +got):\n%s", diff)
	}
}

type panicking struct{}

func (panicking) Wait(context.Context) error  { panic("no limit") }
func (panicking) Write(p []byte) (int, error) { panic("no room") }
