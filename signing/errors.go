package signing

import (
	"errors"
	"fmt"
	"time"
)

// The two refusals of protocol 5.2. Every [Error] is one of them.
var (
	ErrTimestamp = errors.New("signing: timestamp failure") // Date is missing, unreadable or too far off.
	ErrSignature = errors.New("signing: signature failure") // Anything else.
)

// ErrLookup is a failure of VerifierConfig.Lookup, not a refusal.
var ErrLookup = errors.New("signing: the credentials could not be looked up")

// Check is a check that a signature has to pass.
type Check int

// The checks in their order. The first that fails is reported.
const (
	CheckDate      Check = iota + 1 // Date against the clock (protocol 5.2 rule 1).
	CheckDigest                     // Content-Md5 against the bytes that arrived (rule 2).
	CheckShape                      // The parts of Authorization (rule 3).
	CheckCaller                     // Credentials for the app id or robot key.
	CheckSignature                  // The signature itself (rule 4).
)

func (c Check) String() string {
	names := [...]string{CheckDate: "date", CheckDigest: "digest", CheckShape: "shape", CheckCaller: "caller", CheckSignature: "signature"}
	if c < CheckDate || int(c) >= len(names) {
		return fmt.Sprintf("Check(%d)", int(c))
	}
	return names[c]
}

// Error is a refused signature. It contains no secret and may be logged. Do not send it
// to the caller: Check says which ids exist.
type Error struct {
	Check       Check
	AppID       string        // As sent; empty for a robot.
	Skew        time.Duration // CheckDate: how far Date is behind this clock; negative is ahead.
	Target      string        // CheckDigest without a body: the path that was digested here.
	ContentType string        // CheckSignature: as received.
	Reason      string        // What is wrong and what to look at.

	cause error // CheckDigest: why the body could not be read
}

// Error is the same for an unknown caller and a wrong signature.
func (e *Error) Error() string {
	text := e.Unwrap().Error()
	if e.Check < CheckCaller && e.Reason != reasonUnproven {
		text += ": " + e.Check.String()
	}
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	switch {
	case e.Skew > 0:
		text += fmt.Sprintf(" (Date is %v behind)", e.Skew.Round(time.Second))
	case e.Skew < 0:
		text += fmt.Sprintf(" (Date is %v ahead)", -e.Skew.Round(time.Second))
	case e.Target != "":
		text += fmt.Sprintf(" (digested here: %.100q, with and without its query)", e.Target)
	case e.AppID != "":
		text += fmt.Sprintf(" (app id %.100q, Content-Type %.100q)", e.AppID, e.ContentType)
	}
	return text
}

func (e *Error) Unwrap() error {
	if e.Check == CheckDate {
		return ErrTimestamp
	}
	return ErrSignature
}

// Is also matches why a body could not be read.
func (e *Error) Is(target error) bool { return e.cause != nil && errors.Is(e.cause, target) }

// As is Is for the type, such as *http.MaxBytesError.
func (e *Error) As(target any) bool { return e.cause != nil && errors.As(e.cause, target) }

// DocURL returns the URL of a text about the check and the usual causes of its failure, in
// English; a page in Chinese is beside it.
func (e *Error) DocURL() string {
	return "https://github.com/weboffice-go/weboffice/blob/main/docs/signature.md#" + e.Check.String()
}
