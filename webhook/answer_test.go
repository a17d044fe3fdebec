package webhook_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
)

// Success is a status of 2xx and a body that says so; all else is an APIError with
// what the answer said (public reference 6.1).
func TestSendProvesSuccess(t *testing.T) {
	t.Parallel()
	const ok = `{"result":"ok"}`
	tests := []struct {
		name   string
		status int
		body   string
		want   *webhook.APIError // nil: success
	}{
		{"as recorded", 200, ok, nil},
		{"with white space", 200, " {\n\"result\" : \"ok\"}\n", nil},
		{"another 2xx", 201, ok, nil},
		{"code 0 and no result", 200, `{"code":0}`, nil},
		{"errno 0 and no result", 200, `{"errno":0,"msg":"success"}`, nil},
		{"ok and code 0", 200, `{"result":"ok","code":0}`, nil},

		{"another result", 200, `{"result":"queued"}`, &webhook.APIError{StatusCode: 200, Result: "queued"}},
		{"OK", 200, `{"result":"OK"}`, &webhook.APIError{StatusCode: 200, Result: "OK"}},
		{"ok and a code", 200, `{"result":"ok","code":7,"msg":"m"}`, &webhook.APIError{StatusCode: 200, Result: "ok", Code: 7, Message: "m"}},
		{"ok and an errno", 200, `{"result":"ok","errno":"10000"}`, &webhook.APIError{StatusCode: 200, Code: 10000, Result: "ok"}},
		{"neither", 200, `{"msg":"fine"}`, &webhook.APIError{StatusCode: 200, Message: "fine"}},
		{"nothing said", 200, `{}`, &webhook.APIError{StatusCode: 200, Message: `the answer has no result "ok"`}},
		{"null", 200, `null`, &webhook.APIError{StatusCode: 200, Message: "the answer is not a JSON object"}},
		{"array", 200, `[]`, &webhook.APIError{StatusCode: 200, Message: "the answer is not a JSON object"}},
		{"empty", 200, ``, &webhook.APIError{StatusCode: 200, Message: "the answer is not a JSON object"}},
		{"HTML", 200, `<html>Log in</html>`, &webhook.APIError{StatusCode: 200, Message: "the answer is not a JSON object"}},
		{"ok with 500", 500, ok, &webhook.APIError{StatusCode: 500, Result: "ok"}},
		{"ok with a redirect", 302, ok, &webhook.APIError{StatusCode: 302, Result: "ok"}},
		{"redirect", 307, ``, &webhook.APIError{StatusCode: 307, Message: "the answer is a redirect, and redirects are not followed"}},
		{"odd types", 400, `{"result":{"a":1},"msg":["b"],"code":"x"}`, &webhook.APIError{StatusCode: 400, Result: `{"a":1}`, Message: `["b"]`}},
		{"recorded: msgtype", 400, `{"result":"InvalidArgument","msg":"msgtype is error."}`, &webhook.APIError{StatusCode: 400, Result: "InvalidArgument", Message: "msgtype is error."}},
		{"recorded: family", 400, `{"errno":10000,"msg":"","reason":"r","result":"InvalidArgument"}`, &webhook.APIError{StatusCode: 400, Code: 10000, Result: "InvalidArgument", Message: "r"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			calls := 0
			cfg := at(func(w http.ResponseWriter, _ *http.Request) {
				calls++
				w.Header().Set("X-Request-Id", "r-1")
				w.WriteHeader(tt.status)
				_, _ = w.Write([]byte(tt.body))
			})
			err := newRobot(t, cfg).Send(t.Context(), webhook.Text{Content: "hi"})
			var got *webhook.APIError
			if errors.As(err, &got) {
				tt.want.RequestID, tt.want.Body = "r-1", []byte(tt.body)
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreUnexported(webhook.APIError{}), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("Send = %v (-want +got):\n%s", err, diff)
			}
			if errors.Is(err, webhook.ErrNotSent) || calls != 1 {
				t.Errorf("Send = %v after %d calls, want one call and not ErrNotSent", err, calls)
			}
		})
	}
}

// A redirect names its target, without the path and the query.
func TestSendRedirect(t *testing.T) {
	t.Parallel()
	cfg := at(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://user:hidden@elsewhere.test/hidden?hidden", http.StatusFound)
	})
	err := newRobot(t, cfg).Send(t.Context(), webhook.Text{Content: "hi"})
	if err == nil || !strings.Contains(err.Error(), "a redirect to https://elsewhere.test, and") || strings.Contains(err.Error(), "hidden") {
		t.Errorf("Send = %v, want the target's scheme and host", err)
	}
}

// The error has one line, and no body.
func TestAPIErrorText(t *testing.T) {
	t.Parallel()
	e := &webhook.APIError{StatusCode: 400, Code: 7, Result: "Invalid\nArgument", Message: strings.Repeat("m", 300), RequestID: "r-1", Body: []byte("SECRET")}
	want := "webhook: send: status 400, code 7: Invalid Argument: " + strings.Repeat("m", 200) + "... (request r-1)"
	if got := e.Error(); got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
}

// An answer that goes on and on is not read to its end.
func TestSendHugeAnswer(t *testing.T) {
	t.Parallel()
	cfg := at(func(w http.ResponseWriter, _ *http.Request) {
		chunk := []byte(strings.Repeat("x", 1<<20))
		for range 100 {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
		t.Error("100 MB were read")
	})
	err := newRobot(t, cfg).Send(t.Context(), webhook.Text{Content: "hi"})
	var e *webhook.APIError
	if !errors.As(err, &e) || e.StatusCode != http.StatusOK || len(e.Body) != 4096 || e.Message != "the answer has more than 1048576 bytes" {
		t.Errorf("Send = %v, want an *APIError with the status, why, and the first bytes", err)
	}
}

// An answer that repeats secrets makes an error without them.
func TestAPIErrorHidesSecrets(t *testing.T) {
	t.Parallel()
	cfg := at(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Request-Id", "robot-key")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"result":"no robot-key","msg":"not signed by hunter2-secret"}`))
	})
	cfg.SigningSecret = signing.NewSecret("hunter2-secret")
	err := newRobot(t, cfg).Send(t.Context(), webhook.Text{Content: "hi"})
	var e *webhook.APIError
	if !errors.As(err, &e) {
		t.Fatalf("Send = %v, want an *APIError", err)
	}
	want := &webhook.APIError{
		StatusCode: 400, Result: "no [secret]", Message: "not signed by [secret]", RequestID: "[secret]",
		Body: []byte(`{"result":"no [secret]","msg":"not signed by [secret]"}`),
	}
	if diff := cmp.Diff(want, e, cmpopts.IgnoreUnexported(webhook.APIError{})); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

// What of a long answer is kept is cut.
func TestAPIErrorBodyIsCut(t *testing.T) {
	t.Parallel()
	cfg := at(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(strings.Repeat("x", 10000))) })
	err := newRobot(t, cfg).Send(t.Context(), webhook.Text{Content: "hi"})
	var e *webhook.APIError
	if !errors.As(err, &e) || len(e.Body) != 4096 {
		t.Errorf("Send = %v, want an *APIError with 4096 bytes of the body", err)
	}
}

// Protocol 7.2, 7.3: an answer that names the reason can be told from the others.
func TestAPIErrorReasons(t *testing.T) {
	t.Parallel()
	all := []error{signing.ErrTimestamp, signing.ErrSignature, webhook.ErrNoKeyword, webhook.ErrNotAllowed, webhook.ErrRateLimited}
	tests := []struct {
		result, message string
		want            error
	}{
		{"InvalidArgument", "timestamp failure", signing.ErrTimestamp},
		{"InvalidTimestamp", "", signing.ErrTimestamp},
		{"", "the signature's time stamp is too old", signing.ErrTimestamp},
		{"", "Signature Failure", signing.ErrSignature},
		{"", "签名错误", signing.ErrSignature},
		{"", "no keyword", webhook.ErrNoKeyword},
		{"", "关键词校验失败", webhook.ErrNoKeyword},
		{"", "not on the allow list", webhook.ErrNotAllowed},
		{"IpNotInWhitelist", "", webhook.ErrNotAllowed},
		{"InvalidArgument", "Markdown message is empty", nil},
		{"InvalidArgument", "unknown e-mail address in an at tag", nil},
		{"", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.result+tt.message, func(t *testing.T) {
			t.Parallel()
			err := fmt.Errorf("wrapped: %w", &webhook.APIError{StatusCode: 400, Result: tt.result, Message: tt.message})
			for _, target := range all {
				if got := errors.Is(err, target); got != (tt.want != nil && errors.Is(tt.want, target)) {
					t.Errorf("errors.Is(%q, %v) = %v", err, target, got)
				}
			}
		})
	}
}

// Retry-After comes in seconds or as a date.
func TestAPIErrorRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "-7": 0, "x": 0,
		signing.FormatDate(now.Add(time.Minute)): time.Minute,
	} {
		cfg := at(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", header)
			w.WriteHeader(http.StatusServiceUnavailable)
		})
		cfg.Now = func() time.Time { return now }
		err := newRobot(t, cfg).Send(t.Context(), webhook.Text{Content: "hi"})
		var e *webhook.APIError
		if !errors.As(err, &e) || e.RetryAfter != want {
			t.Errorf("RetryAfter of %q: %v, want %v", header, err, want)
		}
	}
}

// What the service refused is certainly not in the chat; of what a proxy may have said
// nobody can tell.
func TestErrNotAccepted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		status int
		body   string
		want   bool
	}{
		{400, `{"result":"InvalidArgument","msg":"msgtype is error."}`, true},
		{403, ``, true},
		{404, `<html>`, true},
		{408, ``, false},
		{429, ``, true},
		{500, `{"result":"InternalError"}`, false},
		{502, ``, false},
		{503, ``, false},
		{504, `<html>`, false},
		{302, ``, false},
		{200, ``, false},
		{200, `{}`, false},
		{200, `{"result":"OK"}`, false},
		{200, `{"result":"InvalidArgument"}`, true},
		{200, `{"errno":10000}`, true},
	} {
		cfg := at(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(tt.status)
			_, _ = w.Write([]byte(tt.body))
		})
		cfg.Attempts = 1
		err := newRobot(t, cfg).Send(t.Context(), webhook.Text{Content: "hi"})
		if err == nil || errors.Is(err, webhook.ErrNotAccepted) != tt.want || errors.Is(err, webhook.ErrNotSent) {
			t.Errorf("%d %s: Send = %v, want an error that is ErrNotAccepted: %t", tt.status, tt.body, err, tt.want)
		}
	}
	for _, err := range []error{&webhook.FieldError{}, &webhook.LimitError{}} {
		if !errors.Is(err, webhook.ErrNotAccepted) || !errors.Is(err, webhook.ErrNotSent) {
			t.Errorf("%T is not ErrNotAccepted and ErrNotSent", err)
		}
	}
}
