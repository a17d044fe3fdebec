package preview

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/weboffice-go/weboffice/internal/callback"
)

// refused is a request that no store has seen, with the answer to it.
type refused struct {
	reply Reply
	cause error // for the log; may be nil
}

func (e *refused) Error() string {
	if e.cause == nil {
		return "preview: " + e.reply.Message
	}
	return "preview: " + e.reply.Message + ": " + e.cause.Error()
}

// Unwrap shows Config.MapError both.
func (e *refused) Unwrap() []error { return []error{e.reply, e.cause} }

func refuse(status, code int, message string, cause error) error {
	return &refused{reply: Reply{Status: status, Code: code, Message: message}, cause: cause}
}

// invalid refuses an argument, for a reason that the log gets.
func invalid(reason string) error { return fmt.Errorf("preview: %s: %w", reason, ErrInvalid) }

// unread refuses a body that could not be had. It gives nil for other errors.
func unread(err error) error {
	switch err = callback.BodyError(err); {
	case errors.Is(err, callback.ErrTooLarge):
		return refuse(http.StatusRequestEntityTooLarge, callback.CodeInvalid, "request body too large", err)
	case errors.Is(err, callback.ErrTooSlow):
		return refuse(http.StatusRequestTimeout, callback.CodeInvalid, "request body too slow", err)
	default:
		return nil
	}
}

// notRead refuses a body that could not be read, for whatever reason.
func notRead(err error) error {
	if tooMuch := unread(err); tooMuch != nil {
		return tooMuch
	}
	return invalid("the body could not be read")
}

// unauthenticated is what Config.Auth refused.
type unauthenticated struct{ error }

func (e *unauthenticated) Unwrap() error { return e.error }

func notAuthenticated(err error) error {
	if tooMuch := unread(err); tooMuch != nil {
		return tooMuch
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return err // nobody was refused
	}
	return &unauthenticated{orElse(err, ErrUnauthorized)}
}

// refusedID is a file id that no store sees, for what Config.CheckID says or
// because it is no id at all.
type refusedID struct {
	error
	id string
}

func (e *refusedID) Unwrap() error { return e.error }

// orElse gives err the meaning of sentinel, unless it has one already.
func orElse(err, sentinel error) error {
	if DefaultReply(err) == opaque() {
		return fmt.Errorf("%w: %w", sentinel, err)
	}
	return err
}

// opaque is the answer to all that the caller has no business with.
func opaque() Reply { return DefaultReply(nil) }
