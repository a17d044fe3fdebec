package token

import (
	"context"
	"errors"
	"time"

	"github.com/weboffice-go/weboffice/signing"
)

// Path is the path of the callback below the gateway address (protocol 4.3).
const Path = "/v3/3rd/open/access_token"

// Request is one call of the presentation plugin (protocol 2.11).
type Request struct {
	_              [0]func()
	AppID          string         // Config.AppMatch has accepted it.
	FileID         string         // As sent: do not build a path from it.
	WebOfficeToken signing.Secret // What your user system gave to your front end.
	RequestID      string         // X-Request-Id, for the service's support, or empty.
}

// Token is an access token and its expiry.
type Token struct {
	AccessToken signing.Secret // Usually a JWT.

	// When the token expires, usually 7199 seconds after it was issued (protocol 8). Zero means
	// unknown: a [Handler] refuses the token, and a [Cache] does not keep it.
	ExpiresAt time.Time
}

// Source returns the access token of an app, whoever the user is.
//
// Token is called concurrently, and must return when ctx ends. For an unknown app its error
// is [ErrUnknownApp], alone or wrapped.
type Source interface {
	Token(ctx context.Context, appID string) (Token, error)
}

// SourceFunc makes a Source of a function.
type SourceFunc func(ctx context.Context, appID string) (Token, error)

// Token calls f.
func (f SourceFunc) Token(ctx context.Context, appID string) (Token, error) { return f(ctx, appID) }

// left is the time until t expires: by the wall clock or by the monotonic clock,
// whichever is shorter. The wall clock keeps running during suspend; the monotonic
// clock ignores that somebody sets the clock.
func (t Token) left(now time.Time) time.Duration {
	return min(t.ExpiresAt.Round(0).Sub(now.Round(0)), t.ExpiresAt.Sub(now))
}

// check says why t is not valid at now. An unknown expiry is allowed.
func (t Token) check(now time.Time) error {
	switch {
	case t.AccessToken.IsZero():
		return errors.New("token: the source gave an empty access token")
	case !t.ExpiresAt.IsZero() && t.left(now) <= 0:
		return errors.New("token: the source gave a token that has expired")
	default:
		return nil
	}
}

// seconds is expires_in: the whole seconds that are left, at least one (protocol 2.11).
func (t Token) seconds(now time.Time) (int64, error) {
	n := int64(t.left(now) / time.Second)
	switch err := t.check(now); {
	case err != nil:
		return 0, err
	case t.ExpiresAt.IsZero():
		return 0, errors.New("token: the source gave a token without ExpiresAt, so expires_in is unknown")
	case n < 1:
		return 0, errors.New("token: the source gave a token that expires within a second")
	default:
		return n, nil
	}
}
