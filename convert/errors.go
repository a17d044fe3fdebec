package convert

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// What callers branch on, with errors.Is.
var (
	ErrFailed      = errors.New("convert: task failed")                     // In a *TaskError: the service gave the task up.
	ErrWaitLimit   = errors.New("convert: waited for MaxWait")              // In a *TaskError: the time was up, and the task goes on; wait again.
	ErrNoResult    = errors.New("convert: success with no result")          // In a *TaskError: the state is success, and no result came with it.
	ErrExpired     = errors.New("convert: result url expired")              // From Download: ask Status for a new one.
	ErrSize        = errors.New("convert: the file does not have its size") // From Download and Save.
	ErrRateLimited = errors.New("convert: rate limited")                    // Matches an *APIError that refused a call for its rate, up to the last attempt.
)

// APIError is what the service answered instead of a success: a code other than 0
// (protocol 7), an HTTP status outside 200 to 299, or something that proves
// nothing, such as an empty body, HTML, or a submit without a task id.
type APIError struct {
	Op         string        // What was called: "submit pdf", "status", "download", or Call.Op.
	StatusCode int           // HTTP status.
	Code       int           // Code of the answer; 0 where it has none. Its meaning: CodeRateLimiter and the others.
	Message    string        // Its message, msg or result, cut. Secrets and the queries of addresses are hidden.
	RequestID  string        // X-Request-Id: what the service's support asks for.
	RetryAfter time.Duration // How long the service asked to wait. Zero: it did not.
	Body       []byte        // The answer, cut. Secrets and the queries of addresses are hidden. nil for a download.
	Err        error         // Why it is no success, where neither StatusCode nor Code shows it. Otherwise nil.

	limited bool // as Config.RateLimited said
}

// Error returns one line: the operation, status, code and message.
func (e *APIError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "convert: %s: http status %d", e.Op, e.StatusCode)
	if e.Code != 0 {
		b.WriteString(", code " + strconv.Itoa(e.Code))
	}
	if e.Message != "" {
		b.WriteString(", message " + strconv.Quote(e.Message))
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	if e.RequestID != "" {
		b.WriteString(" (request id " + strconv.Quote(e.RequestID) + ")")
	}
	return b.String()
}

// Unwrap returns Err.
func (e *APIError) Unwrap() error { return e.Err }

// Is lets errors.Is find [ErrRateLimited] in e, where Config.RateLimited took e
// for a refusal for the rate of calls.
func (e *APIError) Is(target error) bool { return target == ErrRateLimited && e.limited }

// DefaultRateLimited reports whether e has HTTP status 429, [CodeRateLimiter] or
// [CodeTooManyTask] (public reference 2).
func DefaultRateLimited(e *APIError) bool {
	return e.StatusCode == http.StatusTooManyRequests || e.Code == CodeRateLimiter || e.Code == CodeTooManyTask
}

// TaskError reports a wait that brought no result.
type TaskError struct {
	Task Task
	Last *Status // The last answer; nil where there was none.
	Err  error   // ErrFailed, ErrWaitLimit, ErrNoResult, an *APIError, or why the last query or the context ended.
}

// Error returns one line: the task, what happened, and the last state.
func (e *TaskError) Error() string {
	text := "convert: task " + strconv.Quote(e.Task.ID)
	if e.Err != nil {
		text += ": " + strings.TrimPrefix(e.Err.Error(), "convert: ")
	}
	if e.Last == nil {
		return text
	}
	if e.Last.Message != "" {
		text += ": " + strconv.Quote(e.Last.Message)
	}
	return text + fmt.Sprintf(" (last state %q, %g%%)", e.Last.State, e.Last.Progress)
}

// Unwrap returns Err.
func (e *TaskError) Unwrap() error { return e.Err }

// MarshalText writes [TaskError.Error] alone, since Last has addresses that give
// access.
func (e *TaskError) MarshalText() ([]byte, error) { return []byte(e.Error()), nil }

// FieldError names an argument that breaks a rule, found before anything was sent
// or written for it. Several of them come joined, as by errors.Join.
type FieldError struct {
	Field  string // Name in Go: "Filename", "Pages.To", "Pages[2]".
	Reason string // The rule, with its section of the protocol, and never the value of a secret.
}

// Error returns Field and Reason.
func (e *FieldError) Error() string { return e.Field + ": " + e.Reason }
