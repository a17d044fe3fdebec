package callback

import (
	"fmt"
	"net/http"
	"runtime/debug"

	"github.com/weboffice-go/weboffice/internal/redact"
)

// PanicError is a panic in code of an integrator.
type PanicError struct {
	What  string // Its message, or the type of a value that has none. URLs in it have lost their queries; [Scrub] it before it is logged.
	Stack []byte // For the log: function names and lines, no values of strings.
}

// Error returns What.
func (e *PanicError) Error() string { return "panic: " + e.What }

// Catch is deferred around code of an integrator and makes a panic in it the
// function's error. It passes http.ErrAbortHandler on, as net/http asks, so it must
// run in the goroutine of the request.
func Catch(err *error) {
	switch v := recover(); v {
	case nil:
	case http.ErrAbortHandler:
		panic(v) //nolint:forbidigo // See above.
	default:
		*err = Recovered(v)
	}
}

// Recovered makes an error of what recover returned, which is not nil.
func Recovered(value any) *PanicError {
	return &PanicError{What: message(value), Stack: debug.Stack()}
}

// message is the text of a panic. Values that are not made to be printed may hold
// anything: of those it is the type.
func message(value any) (text string) {
	defer func() {
		if recover() != nil { // the value's own method
			text = fmt.Sprintf("a value of type %T", value)
		}
	}()
	switch v := value.(type) {
	case error:
		return scrubURLs(redact.Error(v).Error())
	case fmt.Stringer:
		return scrubURLs(v.String())
	case string:
		return scrubURLs(v)
	default:
		return fmt.Sprintf("a value of type %T", value)
	}
}

// Settle calls answer with err, whose methods are code of an integrator. If answer
// panics, Settle calls it once more, with an error that says so and has none of
// those methods: not the message of the panic either, since an error that cannot be
// printed may hold what it was made to hide. It reports whether one of the calls
// returned.
func Settle(err error, answer func(error)) bool {
	panicked := attempt(err, answer)
	return panicked == nil || attempt(panicked, answer) == nil
}

func attempt(err error, answer func(error)) (panicked *PanicError) {
	defer func() {
		if v := recover(); v != nil {
			what := fmt.Sprintf("a value of type %T, while an error of type %T was answered", v, err)
			panicked = &PanicError{What: what, Stack: debug.Stack()}
		}
	}()
	answer(err)
	return nil
}
