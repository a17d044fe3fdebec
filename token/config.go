package token

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/weboffice-go/weboffice/signing"
)

const (
	// DefaultTimeout bounds the work on one callback: reading it, Authorize, Source.
	DefaultTimeout = 10 * time.Second
	// DefaultMaxBody bounds the body of a request, in bytes; a longer one is refused.
	DefaultMaxBody = 64 << 10
)

// Config says who may have which token. [NewHandler] takes a copy of it.
type Config struct {
	// Required. Who calls: the VerifyRequest of a [signing.Verifier], or
	// [signing.Unsigned] where the deployment does not sign; the protocol does not
	// show whether it does (protocol 5.3). Its error is answered with code 40002.
	Auth func(*http.Request) (signing.Caller, error)

	// Required. May the user of r.WebOfficeToken open r.FileID? It is asked for
	// every request, before any token is looked at, and must obey ctx. nil allows;
	// otherwise see the errors of this package.
	Authorize func(ctx context.Context, r Request) error

	// Required. Where tokens come from, usually a [Cache].
	Source Source

	// May this caller ask for this app? If nil, an app may ask for itself, and
	// nobody, which is who calls under signing.Unsigned, for every app.
	AppMatch func(caller signing.Caller, appID string) bool

	// The answer to an error, those of the Handler itself included: a request that
	// is not verified wraps ErrUnauthorized, one that cannot be read ErrInvalid,
	// one that AppMatch refuses ErrForbidden. If nil, DefaultReply.
	MapError func(error) Reply

	Timeout time.Duration    // Of one callback. If zero, DefaultTimeout.
	MaxBody int64            // Bytes of a request. If zero, DefaultMaxBody.
	Logger  *slog.Logger     // Internal errors at Error, unverified requests at Warn, other refusals at Debug. If nil, slog.Default(), as it is at that moment.
	Now     func() time.Time // The clock that tokens end by. If nil, time.Now.
}

func (cfg *Config) fillDefaults() {
	if cfg.AppMatch == nil {
		cfg.AppMatch = ownApp
	}
	if cfg.MapError == nil {
		cfg.MapError = DefaultReply
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = DefaultTimeout
	}
	if cfg.MaxBody == 0 {
		cfg.MaxBody = DefaultMaxBody
	}
}

func (cfg *Config) problems() error {
	var errs []error
	add := func(bad bool, problem string) {
		if bad {
			errs = append(errs, errors.New("token: config: "+problem))
		}
	}
	add(cfg.Auth == nil, "Auth is required: a Verifier's VerifyRequest, or signing.Unsigned")
	add(cfg.Authorize == nil, "Authorize is required: without it everybody would get a token")
	add(cfg.Source == nil, "Source is required")
	add(cfg.Timeout < 0, "Timeout must not be negative")
	add(cfg.MaxBody < 0, "MaxBody must not be negative")
	return errors.Join(errs...)
}

// ownApp is the default of Config.AppMatch.
func ownApp(caller signing.Caller, appID string) bool {
	if caller.AppID == "" && caller.RobotKey.IsZero() {
		return true
	}
	return caller.AppID == appID
}
