package callback

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// PanicError is a panic in code of an integrator. It says where, and for a panic
// of the runtime also what; any other value may hold anything, and is not shown.
type PanicError struct {
	What  string
	Stack []byte // For the log: function names and lines, no values of strings.
}

// Error says what it was, and not with which value.
func (e *PanicError) Error() string { return "panic: " + e.What }

// Recovered makes an error of what recover returned, which is not nil.
func Recovered(value any) *PanicError {
	what := fmt.Sprintf("a value of type %T", value)
	if err, ok := value.(runtime.Error); ok {
		what = err.Error()
	}
	return &PanicError{What: what, Stack: debug.Stack()}
}

// Settle calls answer with err, whose methods are code of an integrator. If answer
// panics, Settle calls it once more, with an error that says so and has none of
// those methods. It reports whether one of the calls came to its end.
func Settle(err error, answer func(error)) bool {
	panicked := attempt(err, answer)
	return panicked == nil || attempt(panicked, answer) == nil
}

func attempt(err error, answer func(error)) (panicked *PanicError) {
	defer func() {
		if v := recover(); v != nil {
			panicked = Recovered(v)
			panicked.What += fmt.Sprintf(", while an error of type %T was answered", err)
		}
	}()
	answer(err)
	return nil
}
