package callback

import (
	"log/slog"
	"reflect"
)

// WarnUnsigned logs text if auth is unsigned, which is signing.Unsigned. Two funcs
// cannot be compared with ==; the code of a declared function has one address.
func WarnUnsigned(logger *slog.Logger, text string, auth, unsigned any) {
	defer func() { _ = recover() }() // a Logger that panics must not end a constructor
	if reflect.ValueOf(auth).Pointer() == reflect.ValueOf(unsigned).Pointer() {
		logger.Warn(text)
	}
}
