package preview

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/weboffice-go/weboffice/internal/callback"
)

// Errors that choose the answer, alone or wrapped, with their code and HTTP status (public
// reference 3.3).
var (
	ErrUnauthorized    = callback.ErrUnauthorized                  // 40002, 401: the user's token is not valid.
	ErrForbidden       = callback.ErrForbidden                     // 40003, 403: the user may not do this.
	ErrNotFound        = callback.ErrNotFound                      // 40004, 404: there is no such document.
	ErrInvalid         = callback.ErrInvalid                       // 40005, 400: an argument is not valid.
	ErrStorageFull     = errors.New("preview: storage full")       // 40006, 403
	ErrNameConflict    = errors.New("preview: name exists")        // 40008, 409
	ErrVersionNotFound = errors.New("preview: no such version")    // 40009, 404
	ErrUserNotFound    = errors.New("preview: no such user")       // 40010, 404
	ErrNotUploaded     = errors.New("preview: not fully uploaded") // 41001, 400
)

// CodeMessage makes the viewer show the Message of a [Reply].
const CodeMessage = 40007

// Reply is the answer to a callback that fails. A store returns one as an error:
//
//	return preview.File{}, preview.Reply{Code: preview.CodeMessage, Message: "The document is being scanned."}
type Reply struct {
	Status  int    // HTTP status, 200 to 599. If zero, 200.
	Code    int    // Required (public reference 3.3).
	Message string // For the caller.
}

func (r Reply) Error() string { return "preview: reply " + strconv.Itoa(r.Code) + ": " + r.Message }

// DefaultReply makes the answer to an error: a [Reply] is itself, the errors of this
// package have their codes, and all else is code 50001, status 500.
func DefaultReply(err error) Reply {
	var reply Reply
	if errors.As(err, &reply) {
		return reply
	}
	var pointer *Reply
	if errors.As(err, &pointer) && pointer != nil {
		return *pointer
	}
	for _, known := range replies {
		if errors.Is(err, known.err) {
			return known.reply
		}
	}
	status, code, message, _ := callback.Known(err)
	return Reply{Status: status, Code: code, Message: message}
}

// replies are the answers to the errors that only this package has, and
// weboffice.Outcome.Error for each code.
var replies = [...]struct {
	err   error
	reply Reply
	kind  string
}{
	{ErrStorageFull, Reply{http.StatusForbidden, 40006, "storage full"}, "refused"},
	{ErrNameConflict, Reply{http.StatusConflict, 40008, "name conflict"}, "refused"},
	{ErrVersionNotFound, Reply{http.StatusNotFound, 40009, "version not found"}, "not_found"},
	{ErrUserNotFound, Reply{http.StatusNotFound, 40010, "user not found"}, "not_found"},
	{ErrNotUploaded, Reply{http.StatusBadRequest, 41001, "not fully uploaded"}, "invalid"},
}

// RuleError says which rule of the protocol an answer of a store breaks, or a name or id.
type RuleError struct {
	Field string // As on the wire: "name", or "[2].avatar_url" within a list.
	Rule  string // With its source: "protocol 2.4: at most 240 characters".
	Value string // Cut, without secrets.
}

func (e *RuleError) Error() string { return "preview: " + e.Field + ": " + e.Rule }

// broken is a RuleError as an error.
func broken(field, rule, value string) error {
	return &RuleError{Field: field, Rule: rule, Value: cut(value)}
}

// when is broken if bad. Several are joined by errors.Join.
func when(bad bool, field, rule, value string) error {
	if bad {
		return broken(field, rule, value)
	}
	return nil
}

// each gives the rules that an answer breaks, or else err.
func each(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	all := joined.Unwrap()
	for _, one := range all {
		if _, isRule := one.(*RuleError); !isRule { //nolint:errorlint // The text of what wraps one is needed.
			return []error{err}
		}
	}
	return all
}

// within puts the place in a list before the field of each RuleError.
func within(index int, err error) error {
	for _, one := range each(err) {
		var rule *RuleError
		if errors.As(one, &rule) {
			rule.Field = "[" + strconv.Itoa(index) + "]." + rule.Field
		}
	}
	return err
}

// refusal is a request that the store has not seen.
type refusal struct {
	error
	kind  string // The first of a kind is logged as a warning.
	attrs []slog.Attr
}

func (e *refusal) Unwrap() error { return e.error }

// invalid refuses an argument for a reason that only the log gets.
func invalid(reason string) error { return fmt.Errorf("preview: %s: %w", reason, ErrInvalid) }

// invalidField refuses a field of a body.
func invalidField(field, kind, rule string) error {
	return &refusal{invalid(field + " (" + kind + "): " + rule), field + rule, []slog.Attr{slog.String("field", field), slog.String("type", kind)}}
}

// unread refuses a body that is too large or too slow. It returns nil for other errors.
func unread(err error) error {
	switch err = callback.BodyError(err); {
	case errors.Is(err, callback.ErrTooLarge):
		return fmt.Errorf("%w: %w", Reply{http.StatusRequestEntityTooLarge, callback.CodeInvalid, "request body too large"}, err)
	case errors.Is(err, callback.ErrTooSlow):
		return fmt.Errorf("%w: %w", Reply{http.StatusRequestTimeout, callback.CodeInvalid, "request body too slow"}, err)
	default:
		return nil
	}
}

// opaque is the answer to internal errors.
func opaque() Reply { return DefaultReply(nil) }
