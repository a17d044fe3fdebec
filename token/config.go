package token

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/weboffice-go/weboffice"
	"github.com/weboffice-go/weboffice/signing"
)

const (
	// DefaultTimeout bounds the work on one callback: reading it, Authorize, Source.
	DefaultTimeout = 10 * time.Second
	// DefaultMaxBody bounds the body of a request, in bytes.
	DefaultMaxBody = 64 << 10
)

// Config says who may have which token. [NewHandler] takes a copy.
type Config struct {
	// Required. Who calls: the VerifyRequest of a [signing.Verifier], or
	// [signing.Unsigned], with a warning in the log, if the deployment does not sign
	// (protocol 5.3). Its error is answered with code 40002.
	Auth func(*http.Request) (signing.Caller, error)

	// Required. May the user of r.WebOfficeToken open r.FileID? It is called for every
	// request, and must return when ctx ends. nil allows.
	Authorize func(ctx context.Context, r Request) error

	// Required. Where tokens come from, usually a [Cache].
	Source Source

	// May this caller ask for this app? If nil, an app may request only its own token,
	// and an unauthenticated caller (signing.Unsigned) any.
	AppMatch func(caller signing.Caller, appID string) bool

	// The answer to an error. Those of the Handler wrap ErrUnauthorized (of Auth),
	// ErrInvalid (a bad request) or ErrForbidden (of AppMatch). If nil, DefaultReply.
	MapError func(error) Reply

	// Of one callback. If zero, DefaultTimeout. While the body is read, it replaces the
	// ReadTimeout of the http.Server.
	Timeout time.Duration

	MaxBody int64              // Bytes of a request. If zero, DefaultMaxBody.
	Observe weboffice.Observer // Told of each callback, as "token.access_token". If nil, nothing is.
	Logger  *slog.Logger       // Internal errors at Error, requests that do not verify at Warn, other refusals at Debug. If nil, slog.Default() of that moment.
	Now     func() time.Time   // The clock for expiry. If nil, time.Now.
}

func (cfg *Config) problems() error {
	var errs []error
	add := func(bad bool, problem string) {
		if bad {
			errs = append(errs, errors.New("token: config: "+problem))
		}
	}
	add(cfg.Auth == nil, "Auth is required: a Verifier's VerifyRequest, or signing.Unsigned")
	add(cfg.Authorize == nil, "Authorize is required: without it every user would get a token")
	add(cfg.Source == nil, "Source is required")
	add(cfg.Timeout < 0, "Timeout must not be negative")
	add(cfg.MaxBody < 0, "MaxBody must not be negative")
	return errors.Join(errs...)
}

// ownApp is the default of Config.AppMatch.
func ownApp(caller signing.Caller, appID string) bool {
	return caller.AppID == appID || caller.AppID == "" && caller.RobotKey.IsZero()
}
