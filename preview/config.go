package preview

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"reflect"
	"time"

	"github.com/weboffice-go/weboffice"
	"github.com/weboffice-go/weboffice/signing"
)

// Where the callbacks are, and the defaults of a [Config].
const (
	PathPrefix     = "/v3/3rd/" // Follows the gateway URL (public reference 3.1).
	DefaultTimeout = 10 * time.Second
	DefaultMaxBody = 1 << 20
)

// Config is for [NewHandler].
type Config struct {
	// Required. Where the documents are.
	Store Store

	// Required. Who calls: the VerifyRequest of a [signing.Verifier], or
	// [signing.Unsigned], which lets every caller in (protocol 5.3). Other errors than those
	// of this package and a passed deadline are ErrUnauthorized. It leaves the body readable.
	Auth func(*http.Request) (signing.Caller, error)

	// Capabilities (public reference 4, 5), called as Store is. Without one its callbacks
	// are answered with 404, and a Permission that needs them breaks a rule.
	Users   UserStore
	Saver   Saver        // For Permission.Update.
	Renamer Renamer      // For Permission.Rename.
	History HistoryStore // For Permission.History.

	// Capabilities that another part of your system serves.
	Elsewhere Callbacks

	// Finds Request.UserID for every callback, usually from its WebOfficeToken. An error is
	// the answer. If nil, UserID stays empty.
	Identify func(ctx context.Context, r Request) (userID string, err error)

	// Refuses file ids that no document of yours can have. An error that is not of this
	// package is ErrInvalid. If nil, DefaultCheckID. Ids that are empty, longer than
	// MaxFileIDLength or not text are always refused.
	CheckID func(fileID string) error

	// Makes the answer to every error, also of Auth, a refused request (a Reply is in its
	// tree) or a panic. It must not repeat the text of an unknown error. If nil, DefaultReply.
	MapError func(error) Reply

	// For one callback. If zero, DefaultTimeout.
	Timeout time.Duration

	// For CompleteUpload, which may copy a large object. If zero, Timeout.
	SaveTimeout time.Duration

	// Largest body of a request, in bytes. If zero, DefaultMaxBody.
	MaxBody int64

	// Gets errors, broken rules and refused signatures; each advice and kind of refusal once;
	// the rest at debug level. If nil, slog.Default().
	Logger *slog.Logger

	// Is told of each callback. May be nil.
	Observe weboffice.Observer

	// Judges the times of a File. If nil, time.Now.
	Now func() time.Time
}

// Callbacks is a set of callbacks, joined by |.
type Callbacks uint8

// The callbacks that the rules of protocol 2.6 demand.
const (
	UsersCallback Callbacks = 1 << iota
	SaveCallback
	RenameCallback
	HistoryCallback
)

const allCallbacks = UsersCallback | SaveCallback | RenameCallback | HistoryCallback

// check returns the callbacks that cfg serves.
func (cfg *Config) check() (served Callbacks, err error) {
	var errs []error
	add := func(bad bool, text string) {
		if bad {
			errs = append(errs, errors.New("preview: config: "+text))
		}
	}
	add(cfg.Store == nil, "Store is required")
	add(cfg.Auth == nil, "Auth is required: the VerifyRequest of a signing.Verifier, or signing.Unsigned")
	add(cfg.Timeout < 0, "Timeout must not be negative")
	add(cfg.SaveTimeout < 0, "SaveTimeout must not be negative")
	add(cfg.MaxBody < 0, "MaxBody must not be negative")
	add(cfg.Elsewhere&^allCallbacks != 0, "Elsewhere holds an unknown callback")
	for _, part := range []struct {
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
		if part.value == nil {
			continue
		}
		served |= part.callback
		v := reflect.ValueOf(part.value)
		add(v.Kind() == reflect.Pointer && v.IsNil(), part.field+" is a nil pointer, which is not the same as nil")
		add(cfg.Elsewhere&part.callback != 0, part.field+" is given, and Elsewhere says that it is served elsewhere")
	}
	return served, errors.Join(errs...)
}

func (cfg *Config) fillDefaults() {
	if cfg.CheckID == nil {
		cfg.CheckID = DefaultCheckID
	}
	if cfg.MapError == nil {
		cfg.MapError = DefaultReply
	}
	cfg.Timeout = cmp.Or(cfg.Timeout, DefaultTimeout)
	cfg.SaveTimeout = cmp.Or(cfg.SaveTimeout, cfg.Timeout)
	cfg.MaxBody = cmp.Or(cfg.MaxBody, DefaultMaxBody)
	cfg.Logger = cmp.Or(cfg.Logger, slog.Default())
}
