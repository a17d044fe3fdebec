package converttest_test

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

func TestScriptGivesAStepPerQuery(t *testing.T) {
	t.Parallel()
	s := newServer(t, &converttest.Options{Now: fixed, Converter: converttest.Script{
		converttest.Pending(0), converttest.Pending(62.5), {State: "half asleep", Progress: 70}, converttest.Failure("broken font"),
	}})
	one, two := submit(t, s, toText, document), submit(t, s, toPDF, document)
	for i, want := range []struct {
		status, message string
		progress        float64
	}{{"running", "", 0}, {"running", "", 62.5}, {"half asleep", "", 70}, {"failure", "broken font", 0}, {"failure", "broken font", 0}} {
		for _, id := range []string{one, two} { // each task has its own place in the script
			got := query(t, s, id)
			message := ""
			if got.Message != nil {
				message = *got.Message
			}
			if got.Status != want.status || got.Progress != want.progress || message != want.message || got.Result != nil {
				t.Errorf("query %d of %s = %+v (message %q), want %+v and no result", i, id, got, message, want)
			}
			if (got.Message != nil) != (want.message != "") {
				t.Errorf("query %d of %s: message there is %t, want it left out when empty", i, id, got.Message != nil)
			}
		}
	}
}

func TestEmptyScriptNeverEnds(t *testing.T) {
	t.Parallel()
	s := newServer(t, &converttest.Options{Now: fixed, Converter: converttest.Script{}})
	id := submit(t, s, toText, document)
	for range 3 {
		if got := query(t, s, id); got.Status != "running" {
			t.Errorf("query = %+v, want running", got)
		}
	}
}

func TestScriptsByFilename(t *testing.T) {
	t.Parallel()
	scripts := converttest.Scripts{"a.docx": {converttest.Failure("a")}}
	s := newServer(t, &converttest.Options{Now: fixed, Converter: scripts})
	if got := query(t, s, submit(t, s, toText, document)); got.Message == nil || *got.Message != "a" {
		t.Errorf("a.docx: %+v, want its own script", got)
	}
	if r := send(t, s, signingtest.Credentials(), http.MethodPost, toText, named("b.docx")); r.Status != http.StatusNotFound || r.Code != convert.CodeFileNotExists {
		t.Errorf("b.docx: %d %s, want 404 and code 30012", r.Status, r.Raw)
	}
	if len(s.Submissions()) != 1 {
		t.Errorf("%d submissions, want 1: what the Converter refuses is not accepted", len(s.Submissions()))
	}
	other := newServer(t, &converttest.Options{Now: fixed, Converter: converttest.Scripts{"": {converttest.Pending(7)}}})
	if got := query(t, other, submit(t, other, toText, named("b.docx"))); got.Progress != 7 {
		t.Errorf(`b.docx: %+v, want the script for ""`, got)
	}
}

func TestStepsThatAreNoStatus(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		step   converttest.Step
		status int
		raw    string
	}{
		"code":             {converttest.Step{Code: convert.CodeInternalError}, http.StatusOK, `{"code":30004,"message":"InternalError"}`},
		"code and message": {converttest.Step{Code: 7, Message: "odd"}, http.StatusOK, `{"code":7,"message":"odd"}`},
		"body":             {converttest.Step{Body: []byte(`[]`), Code: 7}, http.StatusOK, `[]`},
		"empty body":       {converttest.Step{Body: []byte{}}, http.StatusOK, ``},
		"zero":             {converttest.Step{}, http.StatusOK, `{"code":0,"data":{"status":"","progress":0}}`},
		"no result":        {converttest.Step{State: convert.StateSuccess, Progress: 100}, http.StatusOK, `{"code":0,"data":{"status":"success","progress":100}}`},
		"no files":         {converttest.Success(), http.StatusOK, `{"code":0,"data":{"status":"success","progress":100,"result":{"task":{"elapsed":0,"resource_size":0}}}}`},
		"progress no JSON": {converttest.Pending(math.NaN()), http.StatusOK, `{"code":0,"data":{"status":"running","progress":0}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, &converttest.Options{Now: fixed, Converter: converttest.Script{tt.step}})
			id := submit(t, s, toText, document)
			status, raw := rawQuery(t, s, id)
			if status != tt.status || raw != tt.raw {
				t.Errorf("query = %d %s, want %d %s", status, raw, tt.status, tt.raw)
			}
		})
	}
}

// converterFunc is a Converter of a function.
type converterFunc func(context.Context, converttest.Submission) (converttest.Job, error)

func (f converterFunc) Start(ctx context.Context, s converttest.Submission) (converttest.Job, error) {
	return f(ctx, s)
}

func TestConverterRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		err                error
		status, code       int
		message, retryWait string
	}{
		"an APIError":  {&convert.APIError{StatusCode: 503, Code: convert.CodeTooManyTask, RetryAfter: 1500 * time.Millisecond}, 503, convert.CodeTooManyTask, "TooManyTask", "2"},
		"wrapped":      {errors.Join(errors.New("x"), &convert.APIError{Code: 1, Message: "m"}), 200, 1, "m", ""},
		"without code": {&convert.APIError{Message: "m"}, 200, convert.CodeInternalError, "InternalError: m", ""},
		"with a body":  {&convert.APIError{StatusCode: 418, Body: []byte(`{"code":2,"message":"b"}`)}, 418, 2, "b", ""},
		"plain":        {errors.New("no disk"), 500, convert.CodeInternalError, "InternalError: no disk", ""},
		"a panic":      {nil, 500, convert.CodeInternalError, "InternalError: converttest: Converter: panic: oh", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, &converttest.Options{Now: fixed, Converter: converterFunc(func(context.Context, converttest.Submission) (converttest.Job, error) {
				if tt.err == nil {
					panic("oh")
				}
				return nil, tt.err
			})})
			r := send(t, s, signingtest.Credentials(), http.MethodPost, toText, document)
			if r.Status != tt.status || r.Code != tt.code || r.Message != tt.message || r.Header.Get("Retry-After") != tt.retryWait {
				t.Errorf("submit = %d %s Retry-After %q, want %+v", r.Status, r.Raw, r.Header.Get("Retry-After"), tt)
			}
			if len(s.Submissions()) != 0 {
				t.Error("a refused submission is among Submissions")
			}
		})
	}
}

func TestConverterWithoutJob(t *testing.T) {
	t.Parallel()
	s := newServer(t, &converttest.Options{Now: fixed, Converter: converterFunc(func(context.Context, converttest.Submission) (converttest.Job, error) {
		return nil, nil //nolint:nilnil // What is tested.
	})})
	if r := send(t, s, signingtest.Credentials(), http.MethodPost, toText, document); r.Code != convert.CodeInternalError {
		t.Errorf("submit = %s, want code 30004", r.Raw)
	}
}

// jobFunc is a Job of a function, and a Converter that starts it.
type jobFunc func() converttest.Step

func (f jobFunc) Step() converttest.Step { return f() }

func (f jobFunc) Start(context.Context, converttest.Submission) (converttest.Job, error) {
	return f, nil
}

func TestPanicOfAJobIsAFailure(t *testing.T) {
	t.Parallel()
	s := newServer(t, &converttest.Options{Now: fixed, Converter: jobFunc(func() converttest.Step { panic("oh") })})
	id := submit(t, s, toText, document)
	for range 2 { // the first did not leave the task locked
		if got := query(t, s, id); got.Status != "failure" || got.Message == nil || *got.Message != "panic: oh" {
			t.Errorf("query = %+v, want a failure with the panic", got)
		}
	}
}

func TestStepsDoNotOverlap(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inside := 0 // -race finds what the count does not
		s := converttest.NewServer(&converttest.Options{Converter: jobFunc(func() converttest.Step {
			inside++
			time.Sleep(time.Second)
			if inside != 1 {
				t.Errorf("%d steps at once, want 1", inside)
			}
			inside--
			return converttest.Pending(1)
		})})
		created := serve(t, s, signingtest.NewRequest(t, signingtest.Credentials(), http.MethodPost, toText, []byte(document)))
		if created.Code != 0 {
			t.Fatal(created.Raw)
		}
		var queries sync.WaitGroup
		for range 5 {
			req := signingtest.NewRequest(t, signingtest.Credentials(), http.MethodGet, tasks+s.Submissions()[0].Task.ID, nil)
			queries.Go(func() { s.ServeHTTP(httptest.NewRecorder(), req) })
		}
		queries.Wait()
	})
}

// TestResult is protocol 2.3 for both targets.
func TestResult(t *testing.T) {
	t.Parallel()
	s := newServer(t, &converttest.Options{Now: fixed, Converter: converttest.Script{converttest.Success([]byte("one"), []byte(""), []byte("three"))}})
	for _, target := range []string{toText, toPDF} {
		got := query(t, s, submit(t, s, target, document))
		if got.Status != convert.StateSuccess || got.Progress != 100 || got.Result == nil {
			t.Fatalf("%s: query = %+v, want success, 100 and a result", target, got)
		}
		if got.Result.Task.Elapsed == nil || got.Result.Task.ResourceSize == nil {
			t.Errorf("%s: result.task = %+v, want elapsed and resource_size", target, got.Result.Task)
		}
		list, other := got.Result.Texts, got.Result.PDFs
		if target == toPDF {
			list, other = other, list
		}
		if len(other) != 0 || len(list) != 3 {
			t.Fatalf("%s: result = %+v, want three files of that target", target, got.Result)
		}
		for i, want := range []string{"one", "", "three"} {
			status, body := get(t, s, list[i].URL)
			if status != http.StatusOK || body != want || list[i].Size != len(want) {
				t.Errorf("%s: file %d = %d %q, size %d, want %q", target, i, status, body, list[i].Size, want)
			}
			if !strings.Contains(list[i].URL, "Expires=") || !strings.Contains(list[i].URL, "Signature=") {
				t.Errorf("%s: file %d: url %q, want a query that gives access", target, i, list[i].URL)
			}
		}
	}
}
