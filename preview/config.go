package preview

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"reflect"
	"time"

	"github.com/weboffice-go/weboffice"
	"github.com/weboffice-go/weboffice/signing"
)

const (
	// PathPrefix is what the path of every callback begins with, below the gateway
	// address. The gateway address is what you enter in the console, and does not
	// contain PathPrefix (public reference 3.1).
	PathPrefix = "/v3/3rd/"
	// DefaultTimeout is how long one callback may take, at most.
	DefaultTimeout = 10 * time.Second
	// DefaultMaxBody is the largest body of a request, in bytes, that is read.
	DefaultMaxBody = 1 << 20
)

// Config says where the documents are, who may call, and which callbacks are
// served. What is not required may stay zero.
type Config struct {
	// Required. Where the documents are.
	Store Store

	// Required. Who calls: the VerifyRequest of a [signing.Verifier], or
	// [signing.Unsigned], which lets everybody in (protocol 5.3). It comes first, and
	// what it refuses is answered with 401 and code 40002, unless its error is one of
	// this package's, or says that time was up. A body that it reads must be readable again afterwards.
	Auth func(*http.Request) (signing.Caller, error)

	// The capabilities beyond opening a document (public reference 4 and 5). The
	// callbacks of one that is nil are answered with 404, and a Permission that needs
	// them breaks a rule (protocol 2.6 rules 1 to 4). One value may be several of them.
	Users   UserStore    // For Permission.Update, Print, and export as image (rules 1, 2, 6).
	Saver   Saver        // For Permission.Update (rule 1).
	Renamer Renamer      // For Permission.Rename (rule 3).
	History HistoryStore // For Permission.History (rule 4).

	// Capabilities that another part of your system serves. A Permission may need
	// them although they are nil here. What is named here and given above as well is
	// a contradiction.
	Elsewhere Callbacks

	// Identify finds the user, usually from Request.WebOfficeToken, and runs before
	// every callback. Its result becomes Request.UserID; its error, such as
	// ErrUnauthorized, the answer. If nil, UserID stays empty.
	Identify func(ctx context.Context, r Request) (userID string, err error)

	// CheckID refuses file ids that no document of yours can have, before anything
	// else sees them. Ids that are empty, longer than MaxFileIDLength, not UTF-8, or
	// have control characters never reach it. Its error is answered as ErrInvalid,
	// unless it is one of this package's. If nil, DefaultCheckID.
	CheckID func(fileID string) error

	// MapError makes the answer to every error: of a Store, of Auth, of a request
	// that is refused here (a Reply is in its tree), of a panic. It must not repeat
	// the text of an error that it does not know. If nil, DefaultReply.
	MapError func(error) Reply

	// How long one callback may take, Auth and the reading of its body included, for
	// which it takes the place of the ReadTimeout of an http.Server. If zero,
	// DefaultTimeout.
	Timeout time.Duration

	// How long CompleteUpload may take, for a store that copies or hashes a large
	// object in it. If zero, Timeout.
	SaveTimeout time.Duration

	// Largest body of a request, in bytes. If zero, DefaultMaxBody. The
	// [signing.Verifier] has a limit of its own.
	MaxBody int64

	// Gets internal errors, broken rules and refused signatures, each kind of
	// advice once at level info, and everything else at debug level. Callers are
	// told nothing of an internal error: look here for its cause. If nil,
	// slog.Default().
	Logger *slog.Logger

	// Is told of each callback; nil costs nothing. The package comment names the
	// operations.
	Observe weboffice.Observer

	// The clock by which the times of a File are judged. If nil, time.Now.
	Now func() time.Time
}

// Callbacks is a set of callbacks, joined by |.
type Callbacks uint8

// The callbacks that protocol 2.6 demands in its rules, and does not show.
const (
	UsersCallback   Callbacks = 1 << iota // Lookup of users (rules 1, 2 and 6).
	SaveCallback                          // Saving (rule 1).
	RenameCallback                        // Renaming (rule 3).
	HistoryCallback                       // Earlier versions (rule 4).
)

const allCallbacks = UsersCallback | SaveCallback | RenameCallback | HistoryCallback

func (cfg *Config) problems() []error {
	var errs []error
	add := func(text string) { errs = append(errs, errors.New("preview: config: "+text)) }
	if cfg.Store == nil {
		add("Store is required")
	}
	if cfg.Auth == nil {
		add("Auth is required: the VerifyRequest of a signing.Verifier, or signing.Unsigned")
	}
	if cfg.Timeout < 0 {
		add("Timeout must not be negative")
	}
	if cfg.SaveTimeout < 0 {
		add("SaveTimeout must not be negative")
	}
	if cfg.MaxBody < 0 {
		add("MaxBody must not be negative")
	}
	if cfg.Elsewhere&^allCallbacks != 0 {
		add("Elsewhere holds an unknown callback")
	}
	both := cfg.given() & cfg.Elsewhere
	for _, c := range []struct {
		field    string
		value    any
		callback Callbacks
	}{
		{"Store", cfg.Store, 0},
		{"Users", cfg.Users, UsersCallback},
		{"Saver", cfg.Saver, SaveCallback},
		{"Renamer", cfg.Renamer, RenameCallback},
		{"History", cfg.History, HistoryCallback},
	} {
		if v := reflect.ValueOf(c.value); v.Kind() == reflect.Pointer && v.IsNil() {
			add(c.field + " is a nil pointer, which is not the same as nil")
		}
		if both&c.callback != 0 {
			add(c.field + " is given, and Elsewhere says that it is served elsewhere")
		}
	}
	return errs
}

// given is what is served here.
func (cfg *Config) given() (set Callbacks) {
	if cfg.Users != nil {
		set |= UsersCallback
	}
	if cfg.Saver != nil {
		set |= SaveCallback
	}
	if cfg.Renamer != nil {
		set |= RenameCallback
	}
	if cfg.History != nil {
		set |= HistoryCallback
	}
	return set
}

func (cfg *Config) fillDefaults() {
	if cfg.CheckID == nil {
		cfg.CheckID = DefaultCheckID
	}
	if cfg.MapError == nil {
		cfg.MapError = DefaultReply
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = DefaultTimeout
	}
	if cfg.SaveTimeout == 0 {
		cfg.SaveTimeout = cfg.Timeout
	}
	if cfg.MaxBody == 0 {
		cfg.MaxBody = DefaultMaxBody
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
}
