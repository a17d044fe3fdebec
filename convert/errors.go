package convert

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/internal/redact"
)

// What callers check with errors.Is.
var (
	ErrFailed      = errors.New("convert: task failed")                                 // In a *TaskError.
	ErrWaitLimit   = errors.New("convert: waited for MaxWait")                          // In a *TaskError: wait again.
	ErrNoResult    = errors.New("convert: success with no result")                      // In a *TaskError: success without a result.
	ErrExpired     = errors.New("convert: result url expired")                          // From Download: ask Status for a new URL.
	ErrSize        = errors.New("convert: file size does not match the announced size") // From Download and Save.
	ErrRateLimited = errors.New("convert: rate limited")                                // In an *APIError: the last attempt was rate-limited.

	// The call has no effect: it was not sent, or the service said no. No error of Watch, Wait
	// or Save, and of an Outcome with a Task, is this: the Task was accepted.
	ErrNotAccepted = errors.New("convert: not accepted")
)

// Codes of answers that are not a success (public reference 2).
const (
	CodeInvalidArgument  = 10001 // An argument is not valid.
	CodeRateLimiter      = 30002 // Too many calls; later ones may succeed.
	CodeInvalidSignature = 30003 // The signature does not match.
	CodeInternalError    = 30004 // The service failed.
	CodeNoImpl           = 30005 // The service does not do this.
	CodeDownloadFail     = 30009 // The service could not download the document.
	CodeTooManyTask      = 30010 // Too many tasks in progress; later ones may succeed.
	CodeFileNotExists    = 30012 // There is no such document or task.

	codeUnknown          = -1
	codeTimeout          = 10002
	codeExecuteFailed    = 30011
	codeAccountUpgrading = 40008
)

// APIError is an answer with a code other than 0 (protocol 7) or a status other than
// 2xx, or one that proves nothing, such as HTML.
type APIError struct {
	Op         string        // Such as "submit pdf", "download", or Call.Op.
	StatusCode int           // HTTP status.
	Code       int           // Code of the answer; 0 if it has none.
	Message    string        // Its message, msg or result, cut, without secrets.
	RequestID  string        // X-Request-Id, for the service's support.
	RetryAfter time.Duration // How long the service asked to wait, or zero.
	Body       []byte        // The answer, cut, without secrets. nil for a download.
	Err        error         // Why a 200 is not a success, for example. May be nil.

	limited bool // as Config.RateLimited said
}

func (e *APIError) Error() string {
	text := fmt.Sprintf("convert: %s: http status %d", e.Op, e.StatusCode)
	if e.Code != 0 {
		text += ", code " + strconv.Itoa(e.Code)
	}
	if e.Message != "" {
		text += ", message " + strconv.Quote(e.Message)
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if e.RequestID != "" {
		text += " (request id " + strconv.Quote(e.RequestID) + ")"
	}
	return text
}

func (e *APIError) Unwrap() error { return e.Err }

// DocURL returns the URL of a text about the code, in English; a page in Chinese is beside
// it.
func (e *APIError) DocURL() string {
	const page = "https://github.com/weboffice-go/weboffice/blob/main/docs/errors.md"
	if e.Code == 0 {
		return page + "#convertapierror"
	}
	return page + "#convert-" + strconv.Itoa(e.Code)
}

// Is matches [ErrRateLimited] and [ErrNotAccepted].
func (e *APIError) Is(target error) bool {
	return target == ErrRateLimited && e.limited || target == ErrNotAccepted && e.saysNo()
}

// saysNo reports whether the service certainly did not do what it was asked to. A code
// for a time-out, and an error of a gateway, do not say what happened after it.
func (e *APIError) saysNo() bool {
	switch {
	case e.limited:
		return true
	case e.Code != 0:
		return e.Code != codeUnknown && e.Code != codeTimeout
	default:
		return e.StatusCode/100 == 3 || e.StatusCode/100 == 4 && e.StatusCode != http.StatusRequestTimeout
	}
}

// DefaultRateLimited reports whether e has HTTP status 429, [CodeRateLimiter] or
// [CodeTooManyTask].
func DefaultRateLimited(e *APIError) bool {
	return e.StatusCode == http.StatusTooManyRequests || e.Code == CodeRateLimiter || e.Code == CodeTooManyTask
}

// TaskError reports a wait that ended without a result.
type TaskError struct {
	Task Task
	Last *Status // The last answer; nil if there was none.
	Err  error   // ErrFailed, ErrWaitLimit, ErrNoResult, or of the last query or the context.
}

func (e *TaskError) Error() string {
	text := "convert: task " + strconv.Quote(e.Task.ID)
	if e.Err != nil {
		text += ": " + strings.TrimPrefix(e.Err.Error(), "convert: ")
	}
	if e.Last == nil {
		return text
	}
	if e.Last.Message != "" {
		text += ": " + strconv.Quote(redact.Cut(e.Last.Message, maxErrorMessage))
	}
	return text + fmt.Sprintf(" (last state %q, %g%%)", redact.Cut(e.Last.State, maxErrorMessage), e.Last.Progress)
}

func (e *TaskError) Unwrap() error { return e.Err }

// MarshalText writes Error, since Last has URLs that give access.
func (e *TaskError) MarshalText() ([]byte, error) { return []byte(e.Error()), nil }

// FieldError is an argument that breaks a rule; several are joined. Nothing was sent.
type FieldError struct {
	Field  string // Such as "Filename", "Pages.To", "Pages[2]".
	Reason string // The rule, without secrets.
}

func (e *FieldError) Error() string { return e.Field + ": " + e.Reason }

// Is matches [ErrNotAccepted].
func (e *FieldError) Is(target error) bool { return target == ErrNotAccepted }

// taskError is an error of a task that was submitted: it is not [ErrNotAccepted], even if
// that of a query or a download is.
type taskError struct{ err error }

// ofTask returns err as an error of a task that was submitted.
func ofTask(err error) error {
	if errors.Is(err, ErrNotAccepted) {
		return taskError{err}
	}
	return err
}

func (e taskError) Error() string        { return e.err.Error() }
func (e taskError) Is(target error) bool { return target != ErrNotAccepted && errors.Is(e.err, target) }
func (e taskError) As(target any) bool   { return errors.As(e.err, target) }

// problems collects every rule that is broken.
type problems []error

func (p *problems) add(field, reason string) {
	*p = append(*p, &FieldError{Field: field, Reason: reason})
}

func (p *problems) when(bad bool, field, reason string) {
	if bad {
		p.add(field, reason)
	}
}

// join returns one error for all, each line of which names the operation.
func (p problems) join(op string) error {
	for i, problem := range p {
		p[i] = wrap(op, problem)
	}
	return errors.Join(p...)
}

// wrap puts package and operation before err, unless it has them.
func wrap(op string, err error) error {
	if err == nil || strings.HasPrefix(err.Error(), "convert: ") {
		return err
	}
	return fmt.Errorf("convert: %s: %w", op, err)
}
