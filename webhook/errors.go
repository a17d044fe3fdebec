package webhook

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/signing"
)

// Errors to look for with errors.Is.
var (
	// ErrRateLimited is every *LimitError, and an *APIError by Config.RateLimited.
	ErrRateLimited = errors.New("webhook: rate limited")

	// ErrTooLong is in the *FieldError of a message that is too long (protocol 8).
	ErrTooLong = errors.New("webhook: message too long")

	// ErrNoKeyword is in the *FieldError of a message without a keyword, and an
	// *APIError that says so (protocol 7.3).
	ErrNoKeyword = errors.New("webhook: message has no keyword")

	// ErrNotAllowed is an *APIError that names the robot's allow list (protocol 7.3).
	ErrNotAllowed = errors.New("webhook: address not on the allow list")

	// ErrNotSent is every error from before the message was sent: a *FieldError, a
	// *LimitError, a broken Limiter, an ended context, no connection.
	ErrNotSent = errors.New("webhook: message not sent")

	// ErrNotAccepted is every error after which the message is certainly not in the
	// chat: ErrNotSent, and an *APIError that refuses it, which a status of 500 or more
	// does not prove.
	ErrNotAccepted = errors.New("webhook: message not accepted")
)

// APIError is an answer of the service other than 2xx and "ok". Secrets that it
// repeats are hidden.
//
// It may be [ErrNotAccepted], [ErrRateLimited], [signing.ErrTimestamp],
// [signing.ErrSignature], [ErrNoKeyword] or [ErrNotAllowed]. The protocol does not
// show these answers; the last four are recognized by words in their texts.
type APIError struct {
	StatusCode int
	Code       int           // code or errno (public reference 6.1).
	Result     string        // Such as "InvalidArgument".
	Message    string        // As received; or what is wrong with the answer.
	RequestID  string        // X-Request-Id.
	RetryAfter time.Duration // As the service asks, or zero.
	Body       []byte        // As received, cut after 4 KiB.

	rateLimited bool
}

func (e *APIError) Error() string {
	text := "webhook: send: status " + strconv.Itoa(e.StatusCode)
	if e.Code != 0 {
		text += ", code " + strconv.Itoa(e.Code)
	}
	if e.Result != "" {
		text += ": " + oneLine(e.Result)
	}
	if e.Message != "" {
		text += ": " + oneLine(e.Message)
	}
	if e.RequestID != "" {
		text += " (request " + oneLine(e.RequestID) + ")"
	}
	return text
}

// DocURL returns the URL of a page about such answers.
func (*APIError) DocURL() string {
	return "https://github.com/weboffice-go/weboffice/blob/main/docs/errors.md#webhookapierror"
}

// Is reports what [APIError] names.
func (e *APIError) Is(target error) bool {
	switch target {
	case ErrRateLimited:
		return e.rateLimited
	case ErrNotAccepted:
		return e.rateLimited || e.refuses()
	}
	return target != nil && target == e.reason()
}

// refuses reports whether the answer leaves no doubt that the message was not taken.
func (e *APIError) refuses() bool {
	switch {
	case e.StatusCode/100 == 4:
		return e.StatusCode != http.StatusRequestTimeout
	case e.StatusCode/100 != 2:
		return false // a proxy may have given it, after it sent the message on
	case e.Result == "":
		return e.Code != 0
	default:
		return !strings.EqualFold(e.Result, "ok") && !strings.EqualFold(e.Result, "success")
	}
}

// reasons are words of refusals, in the order in which they are looked for: a text
// about an old timestamp may well speak of the signature that it is part of.
var reasons = []struct {
	err   error
	words []string
}{
	{signing.ErrTimestamp, []string{"timestamp", "time stamp", "时间戳"}},
	{signing.ErrSignature, []string{"signature", "签名"}},
	{ErrNoKeyword, []string{"keyword", "key word", "关键词", "关键字"}},
	{ErrNotAllowed, []string{"allow list", "allowlist", "allow-list", "whitelist", "white list", "白名单", "ip address", "address not allowed", "address is not allowed"}},
}

// reason is the refusal that the answer names, or nil.
func (e *APIError) reason() error {
	text := strings.ToLower(e.Result + " " + e.Message)
	for _, r := range reasons {
		if contains([]string{text}, r.words) {
			return r.err
		}
	}
	return nil
}

// DefaultRateLimited reports whether e is HTTP 429.
func DefaultRateLimited(e *APIError) bool { return e.StatusCode == http.StatusTooManyRequests }

// LimitError says that a slot comes after the context has ended. It is [ErrRateLimited],
// [ErrNotSent] and [ErrNotAccepted], and the context's error if that has ended.
type LimitError struct {
	Next time.Time // When the slot would have come.

	cause error // why the wait ended, once it had begun
}

func (e *LimitError) Error() string {
	text := ErrRateLimited.Error() + ": the next slot is free at " + e.Next.Format(time.RFC3339)
	if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	return text
}

// Is reports what [LimitError] names.
func (e *LimitError) Is(target error) bool { return target == ErrRateLimited || isNotSent(target) }

func (e *LimitError) Unwrap() error { return e.cause }

// FieldError names a field of a message or configuration that breaks a rule.
type FieldError struct {
	Field  string // As in Go: "Content", "Elements[0].Text", "ms[2].ButtonTitle".
	Reason string // Without the field's value.
	Err    error  // ErrTooLong, ErrNoKeyword or nil.
}

func (e *FieldError) Error() string { return "webhook: " + e.Field + ": " + e.Reason }

func (e *FieldError) Unwrap() error { return e.Err }

// Is reports whether target is [ErrNotSent] or [ErrNotAccepted].
func (e *FieldError) Is(target error) bool { return isNotSent(target) }

// oneLine keeps text of others from breaking or filling a log.
func oneLine(s string) string {
	const most = 200
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return s
}

// notSent marks an error from before the message was sent.
type notSent struct{ error }

func (e notSent) Is(target error) bool { return isNotSent(target) }
func (e notSent) Unwrap() error        { return e.error }

func isNotSent(target error) bool {
	return slices.Contains([]error{ErrNotSent, ErrNotAccepted}, target)
}
