package callback_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/internal/callback"
)

// TestKnown is the table of public reference 3.3.
func TestKnown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err          error
		status, code int
		message      string
		ok           bool
	}{
		{callback.ErrUnauthorized, 401, 40002, "unauthorized", true},
		{callback.ErrForbidden, 403, 40003, "forbidden", true},
		{callback.ErrNotFound, 404, 40004, "not found", true},
		{callback.ErrInvalid, 400, 40005, "invalid argument", true},
		{fmt.Errorf("wrapped: %w", callback.ErrForbidden), 403, 40003, "forbidden", true},
		{io.EOF, 500, 50001, "internal error", false},
		{nil, 500, 50001, "internal error", false},
	} {
		status, code, message, ok := callback.Known(c.err)
		if status != c.status || code != c.code || message != c.message || ok != c.ok {
			t.Errorf("Known(%v) = %d, %d, %q, %v, want %d, %d, %q, %v", c.err, status, code, message, ok, c.status, c.code, c.message, c.ok)
		}
	}
}

func TestCheckReply(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status, code int
		ok           bool
	}{{200, 1, true}, {599, -1, true}, {200, 0, false}, {199, 1, false}, {600, 1, false}, {204, 1, false}, {304, 1, false}} {
		if err := callback.CheckReply(c.status, c.code); (err == nil) != c.ok {
			t.Errorf("CheckReply(%d, %d) = %v, want success: %v", c.status, c.code, err, c.ok)
		}
	}
}

func TestAppendFailure(t *testing.T) {
	t.Parallel()
	for _, message := range []string{"", "not found", "a\"b\\c\n", "\xff", "\u2028 <&>", "計劃 👍"} {
		got := callback.AppendFailure(nil, 40004, message)
		var decoded struct {
			Code    int
			Message string
		}
		if err := json.Unmarshal(got, &decoded); err != nil || decoded.Code != 40004 || decoded.Message != strings.ToValidUTF8(message, "\ufffd") {
			t.Errorf("AppendFailure(40004, %q) = %s, %v", message, got, err)
		}
	}
	if got, want := string(callback.AppendFailure([]byte("x"), -1, "m")), `x{"code":-1,"message":"m"}`; got != want {
		t.Errorf("AppendFailure = %s, want %s", got, want)
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	callback.Write(w, http.StatusTeapot, []byte(`{"code":1}`))
	if w.Code != http.StatusTeapot || w.Body.String() != `{"code":1}` {
		t.Errorf("wrote %d %s", w.Code, w.Body)
	}
	for key, want := range map[string]string{"Content-Type": "application/json", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"} {
		if got := w.Header().Get(key); got != want {
			t.Errorf("%s = %q, want %q", key, got, want)
		}
	}
	w.Header().Add("Content-Type", "other") // must not reach the next answer
	next := httptest.NewRecorder()
	callback.Write(next, http.StatusOK, nil)
	if got := next.Header().Values("Content-Type"); len(got) != 1 {
		t.Errorf("Content-Type of the next answer = %q", got)
	}
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ sent, want string }{
		{"", ""},
		{"req-1", "req-1"},
		{strings.Repeat("a", 128), strings.Repeat("a", 128)},
		{strings.Repeat("a", 200), strings.Repeat("a", 128)},
		{"a b", ""},
		{"a\nb", ""},
		{"é", ""},
		{strings.Repeat("a", 128) + "\n", strings.Repeat("a", 128)},
	} {
		if got := callback.RequestID(http.Header{"X-Request-Id": {c.sent}}); got != c.want {
			t.Errorf("RequestID(%q) = %q, want %q", c.sent, got, c.want)
		}
	}
}

func recovered(f func()) (err *callback.PanicError) {
	defer func() { err = callback.Recovered(recover()) }()
	f()
	return nil
}

// TestRecovered keeps the message of a panic, and of other values the type alone.
func TestRecovered(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		f    func()
		want string
	}{
		{"text", func() { panic("no pool") }, "panic: no pool"},
		{"error", func() { panic(fmt.Errorf("query: %w", io.EOF)) }, "panic: query: EOF"},
		{
			"error with a URL", func() {
				panic(&url.Error{Op: "Get", URL: "https://a.example.com/?k=CANARY-123", Err: errors.New("CANARY-123")})
			},
			`panic: Get "https://a.example.com/?[secret]": [secret]`,
		},
		{"text with a URL", func() { panic("GET https://u:CANARY@a.example.com/?k=CANARY") }, "panic: GET https://a.example.com/?[secret]"},
		{"Stringer", func() { panic(http.Dir("x").Open) }, "panic: a value of type func(string) (http.File, error)"},
		{"printable", func() { panic(time.Minute) }, "panic: 1m0s"},
		{"struct", func() { panic(struct{ secret string }{"CANARY"}) }, "panic: a value of type struct { secret string }"},
		{"bytes", func() { panic([]byte("CANARY")) }, "panic: a value of type []uint8"},
		{"error that panics", func() { panic(brokenError{}) }, "panic: a value of type callback_test.brokenError"},
		{"nil", func() { panic(nil) }, "panic: panic called with nil argument"}, //nolint:govet // That is the case.
		{"runtime", func() { _ = []int{}[len(http.MethodGet)] }, "panic: runtime error: index out of range [3] with length 0"},
	} {
		err := recovered(c.f)
		if !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "CANARY") {
			t.Errorf("%s: %q, want %q", c.name, err, c.want)
		}
		if stack := string(err.Stack); !strings.Contains(stack, "callback_test") || strings.Contains(stack, "CANARY") {
			t.Errorf("%s: stack without this file, or with the value:\n%s", c.name, stack)
		}
	}
}

func TestCatch(t *testing.T) {
	t.Parallel()
	try := func(value any) (err error) {
		defer callback.Catch(&err)
		if value != nil {
			panic(value)
		}
		return io.EOF
	}
	if err := try(nil); !errors.Is(err, io.EOF) {
		t.Errorf("without a panic: %v, want the function's own error", err)
	}
	var panicked *callback.PanicError
	if err := try("oops"); !errors.As(err, &panicked) || err.Error() != "panic: oops" {
		t.Errorf("with a panic: %v", err)
	}
	defer func() {
		if v := recover(); v != any(http.ErrAbortHandler) {
			t.Errorf("http.ErrAbortHandler is passed on as %v", v)
		}
	}()
	err := try(http.ErrAbortHandler)
	t.Errorf("http.ErrAbortHandler became the error %v", err)
}

// TestSettle answers twice at most, the second time without the error's methods.
func TestSettle(t *testing.T) {
	t.Parallel()
	var got []error
	broken := brokenError{}
	if !callback.Settle(broken, func(err error) {
		got = append(got, err)
		_ = err.Error()
	}) {
		t.Error("the second call did not return")
	}
	if len(got) != 2 || got[0] != error(broken) { //nolint:errorlint // Itself.
		t.Fatalf("answered %d errors, want the error and one for the panic", len(got))
	}
	want := "panic: a value of type string, while an error of type callback_test.brokenError was answered"
	if got[1].Error() != want {
		t.Errorf("second error = %q, want %q", got[1], want)
	}
	calls := 0
	if callback.Settle(broken, func(error) { calls++; panic("inner text") }) || calls != 2 {
		t.Errorf("a panic in the answer itself: %d calls, want two, of which none returns", calls)
	}
	if calls = 0; !callback.Settle(broken, func(error) { calls++ }) || calls != 1 {
		t.Errorf("no panic: %d calls, want one", calls)
	}
}

// brokenError is an error that cannot be printed.
type brokenError struct{}

func (brokenError) Error() string { panic("inner text") }
