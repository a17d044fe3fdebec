package callback

import (
	"log/slog"
	"net/http"
	"reflect"

	"github.com/weboffice-go/weboffice/signing"
)

// WarnUnsigned logs a warning if auth is [signing.Unsigned]. The constructor of a
// handler calls it; where names the field, such as "preview: Config.Auth".
func WarnUnsigned(logger *slog.Logger, where string, auth func(*http.Request) (signing.Caller, error)) {
	if reflect.ValueOf(auth).Pointer() != reflect.ValueOf(signing.Unsigned).Pointer() {
		return
	}
	defer func() { _ = recover() }() // a Logger that panics must not end a constructor
	logger.Warn(where + " is signing.Unsigned: callbacks are not verified, and anyone who reaches this handler can call it")
}
