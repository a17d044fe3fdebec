package convert_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/weboffice-go/weboffice/convert"
)

// apiError is the *APIError in err.
func apiError(t *testing.T, err error) *convert.APIError {
	t.Helper()
	var refused *convert.APIError
	if !errors.As(err, &refused) {
		t.Fatalf("got error %v, want an *APIError", err)
	}
	return refused
}

// unproven are answers that a careless client takes for a success.
var unproven = []struct {
	name   string
	status int
	header string // Content-Type
	body   string
	want   convert.APIError // beside Op and StatusCode
}{
	{"null", 200, "application/json", `null`, convert.APIError{}},
	{"a list", 200, "application/json", `[]`, convert.APIError{}},
	{"an empty object", 200, "application/json", `{}`, convert.APIError{}},
	{"nothing", 200, "application/json", ``, convert.APIError{}},
	{"white space", 200, "application/json", " \n", convert.APIError{}},
	{"no content", 204, "", ``, convert.APIError{}},
	{"HTML", 200, "text/html", `<html>login</html>`, convert.APIError{}},
	{"text", 200, "text/plain", `ok`, convert.APIError{}},
	{"a string", 200, "application/json", `"ok"`, convert.APIError{}},
	{"cut JSON", 200, "application/json", `{"code":0,"data":{"task_id":"op`, convert.APIError{}},
	{"two values", 200, "application/json", submitted + submitted, convert.APIError{}},
	{"no code", 200, "application/json", `{"data":{"task_id":"1","status":"success"},"result":"ok"}`, convert.APIError{Message: "ok"}},
	{"a code that is null", 200, "application/json", `{"code":null,"data":{"task_id":"1","status":"success"}}`, convert.APIError{}},
	{"a code that is no number", 200, "application/json", `{"code":"ok","data":{"task_id":"1","status":"success"}}`, convert.APIError{}},
	{"a code other than 0", 200, "application/json", `{"code":30003,"message":"signature not match","data":{"task_id":"1"}}`, convert.APIError{Code: 30003, Message: "signature not match"}},
	{"a code in quotes", 200, "application/json", `{"code":"30003","msg":"m"}`, convert.APIError{Code: 30003, Message: "m"}},
	{"a code with data of another shape", 200, "application/json", `{"code":30008,"result":"too big","data":"x"}`, convert.APIError{Code: 30008, Message: "too big"}},
	{"data that is null", 200, "application/json", `{"code":0,"data":null}`, convert.APIError{}},
	{"data of another shape", 200, "application/json", `{"code":0,"data":["1"]}`, convert.APIError{}},
	{"no data", 200, "application/json", `{"code":0}`, convert.APIError{}},
	{"data without id and state", 200, "application/json", `{"code":0,"data":{"task_id":"","status":null}}`, convert.APIError{}},
	{"code 0 with a redirect", 302, "application/json", submitted, convert.APIError{Message: "ok"}},
	{"code 0 with a failure", 500, "application/json", submitted, convert.APIError{Message: "ok"}},
	{"a proxy's page", 502, "text/html", `<html>bad gateway</html>`, convert.APIError{}},
	{"text of an unknown task", 404, "text/plain", `invalid docID`, convert.APIError{}},
	{"a failure with a code", 401, "application/json", `{"code":30001,"message":"UserUnauthorized"}`, convert.APIError{Code: 30001, Message: "UserUnauthorized"}},
}

func TestSuccessIsProven(t *testing.T) {
	t.Parallel()
	for _, test := range unproven {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", test.header)
				w.Header().Set("X-Request-Id", "r-1")
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, test.body)
			}), func(cfg *convert.Config) { cfg.Attempts = 1 })

			task, err := client.SubmitText(t.Context(), text())
			check(t, "submit text", err, task != convert.Task{}, &test.want, test.status, test.body)
			task, err = client.SubmitPDF(t.Context(), pdf())
			check(t, "submit pdf", err, task != convert.Task{}, &test.want, test.status, test.body)
			status, err := client.Status(t.Context(), convert.Task{ID: "1"})
			check(t, "status", err, status != nil, &test.want, test.status, test.body)
			if strings.Contains(test.body, `"data":{`) || strings.Contains(test.body, `"data":[`) {
				return // for Do, that may well be data
			}
			var out map[string]any
			err = client.Do(t.Context(), convert.Call{Op: "other", Path: "/other"}, &out)
			check(t, "other", err, out != nil, &test.want, test.status, test.body)
		})
	}
}

func check(t *testing.T, op string, err error, succeeded bool, want *convert.APIError, status int, body string) {
	t.Helper()
	got := apiError(t, err)
	if succeeded {
		t.Errorf("%s gave a value beside the error %v", op, err)
	}
	full := *want
	full.Op, full.StatusCode, full.RequestID, full.Body = op, status, "r-1", []byte(body)
	if diff := cmp.Diff(&full, got, cmpopts.IgnoreUnexported(convert.APIError{}), cmpopts.IgnoreFields(convert.APIError{}, "Err"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", op, diff)
	}
	if !strings.HasPrefix(err.Error(), "convert: "+op+": ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("the error reads %q", err)
	}
	if full.Code == 0 && status/100 == 2 && got.Err == nil {
		t.Errorf("%s does not say why it is no success: %v", op, err)
	}
}

func TestAnswerLargerThanMaxBody(t *testing.T) {
	t.Parallel()
	for _, chunked := range []bool{false, true} {
		client := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if chunked {
				_ = http.NewResponseController(w).Flush()
			}
			_, _ = w.Write(append([]byte(submitted), bytes.Repeat([]byte(" "), 1000)...))
		}), func(cfg *convert.Config) { cfg.MaxBody = int64(len(submitted)) + 999 })
		_, err := client.SubmitText(t.Context(), text())
		refused := apiError(t, err)
		if refused.StatusCode != 200 || !strings.Contains(err.Error(), "MaxBody") {
			t.Errorf("SubmitText = %v, want one that names MaxBody", err)
		}
	}
	service := &service{answers: []string{submitted}}
	client := newClient(t, service, func(cfg *convert.Config) { cfg.MaxBody = int64(len(submitted)) })
	if _, err := client.SubmitText(t.Context(), text()); err != nil {
		t.Errorf("SubmitText with an answer of exactly MaxBody = %v", err)
	}
}

func TestAPIErrorIsCut(t *testing.T) {
	t.Parallel()
	client := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		_, _ = io.WriteString(w, `{"code":10001,"message":"`+strings.Repeat("长", 5000)+`"}`)
	}), nil)
	_, err := client.SubmitText(t.Context(), text())
	refused := apiError(t, err)
	if len(refused.Body) > 1100 || len(refused.Message) > 310 || len(err.Error()) > 1000 {
		t.Errorf("Body has %d bytes, Message %d, the text %d: want them cut", len(refused.Body), len(refused.Message), len(err.Error()))
	}
	if strings.Contains(refused.Message, "\ufffd") || !strings.HasSuffix(refused.Message, "长…") {
		t.Errorf("Message = %q, want it cut between characters", refused.Message)
	}
	if refused.RetryAfter != 7*time.Second || refused.Code != convert.CodeInvalidArgument {
		t.Errorf("got %+v", refused)
	}
}

func TestRateLimited(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int
		body   string
		custom func(*convert.APIError) bool
		want   bool
	}{
		"429":              {429, "slow down", nil, true},
		"RateLimiter":      {200, `{"code":30002,"message":"RateLimiter"}`, nil, true},
		"TooManyTask":      {200, `{"code":30010}`, nil, true},
		"another code":     {200, `{"code":30003}`, nil, false},
		"another status":   {503, "", nil, false},
		"a setting, true":  {200, `{"code":77}`, func(e *convert.APIError) bool { return e.Code == 77 }, true},
		"a setting, false": {429, "", func(e *convert.APIError) bool { return false }, false},
		"sees what arrived": {400, `{"code":7,"message":"quota"}`, func(e *convert.APIError) bool {
			return e.Message == "quota" && len(e.Body) > 0 && e.Op == "submit text"
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, test.body)
			}), func(cfg *convert.Config) { cfg.Attempts, cfg.RateLimited = 1, test.custom })
			_, err := client.SubmitText(t.Context(), text())
			if got := errors.Is(err, convert.ErrRateLimited); got != test.want {
				t.Errorf("errors.Is(%v, ErrRateLimited) = %v, want %v", err, got, test.want)
			}
		})
	}
	if errors.Is(&convert.APIError{Code: convert.CodeRateLimiter}, convert.ErrRateLimited) {
		t.Error("an APIError that no Client judged is ErrRateLimited")
	}
}
