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

// Check is one of the checks that a signature has to pass.
type Check int

// The checks, from the first to the last. The one that fails is reported, and
// those after it are not made.
const (
	CheckDate      Check = iota + 1 // Date against the clock (protocol 5.2 rule 1).
	CheckDigest                     // Content-Md5 against the bytes that arrived (rule 2).
	CheckShape                      // The parts of Authorization (rule 3).
	CheckCaller                     // Credentials for the app id or robot key.
	CheckSignature                  // The signature itself (rule 4).
)

// String returns "date", "digest", "shape", "caller" or "signature".
func (c Check) String() string {
	switch c {
	case CheckDate:
		return "date"
	case CheckDigest:
		return "digest"
	case CheckShape:
		return "shape"
	case CheckCaller:
		return "caller"
	case CheckSignature:
		return "signature"
	default:
		return fmt.Sprintf("Check(%d)", int(c))
	}
}

// Error is a refused signature: which check failed, and what about the request
// an integrator has to look at. It never holds what would have been right, nor
// any secret, so that it may be logged; its fields repeat what the sender
// wrote, which is why a caller is better told no more than that it failed.
type Error struct {
	Check       Check
	AppID       string        // As sent; empty of a robot, and where Authorization could not be read.
	Skew        time.Duration // CheckDate: how far Date lies behind this clock; negative is ahead; zero where Date could not be read.
	Target      string        // CheckDigest of a request without a body: the path that this side digested, without its query.
	ContentType string        // CheckSignature: as received; it is part of what is signed.
	Reason      string        // What is wrong and what to look at, without secrets.

	cause error // CheckDigest: why the body could not be read
}

// Error returns one line. It reads the same for an unknown caller, for another
// scheme and for a wrong signature, so that it does not tell which ids exist; Check
// does.
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
		text += fmt.Sprintf(" (digested here: %q, with and without its query)", cut(e.Target))
	case e.AppID != "":
		text += fmt.Sprintf(" (app id %q, Content-Type %q)", cut(e.AppID), cut(e.ContentType))
	}
	return text
}

// Unwrap returns [ErrTimestamp] for CheckDate and [ErrSignature] for the rest.
func (e *Error) Unwrap() error {
	if e.Check == CheckDate {
		return ErrTimestamp
	}
	return ErrSignature
}

// Is also finds why a body could not be read, such as context.Canceled.
func (e *Error) Is(target error) bool { return e.cause != nil && errors.Is(e.cause, target) }

// As also finds why a body could not be read, such as an *http.MaxBytesError.
func (e *Error) As(target any) bool { return e.cause != nil && errors.As(e.cause, target) }

// cut keeps what a stranger sent from filling a log.
func cut(s string) string {
	const most = 100
	if len(s) > most {
		return s[:most] + "..."
	}
	return s
}
