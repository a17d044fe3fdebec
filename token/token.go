package token

import (
	"context"
	"time"

	"github.com/weboffice-go/weboffice/signing"
)

// Path is the path of the callback below the gateway address (protocol 4.3). A
// [Handler] answers at any path; this is where to mount it.
const Path = "/v3/3rd/open/access_token"

// Request is one call of the presentation plugin (protocol 2.11): which app asks,
// for which document, on whose behalf. A Handler passes no Request on in which a
// field other than RequestID is empty.
type Request struct {
	_              [0]func()
	AppID          string         // app_id of the body. Config.AppMatch has let it pass.
	FileID         string         // file_id of the body, as sent: look it up, do not build a path of it.
	WebOfficeToken signing.Secret // weboffice_token of the body: what your own user system gave your front end. Nothing else says who the user is.
	RequestID      string         // X-Request-Id, for the service's support; empty where there was none.
}

// Token is an access token together with its end.
type Token struct {
	// The text that goes out as access_token, usually a JWT.
	AccessToken signing.Secret

	// When it stops being valid. The answer's expires_in is what is left of it,
	// so a token without this time cannot be handed out. The zero time says that
	// nobody knows, and a [Cache] does not keep such a token.
	ExpiresAt time.Time
}

// Source gives the access token of an app. It is told neither the document nor
// the user, so that no Source, however it stores tokens, can give one user what
// was meant for another; who may have the token at all is Config.Authorize.
//
// Calls come from many goroutines at once, and end when ctx does. An app that it knows nothing of is
// [ErrUnknownApp], alone or wrapped. Any other error is an internal error to the
// caller: what it says is logged, and not sent. A Token that comes with an error is
// not looked at.
type Source interface {
	Token(ctx context.Context, appID string) (Token, error)
}

// SourceFunc makes a Source of a function.
type SourceFunc func(ctx context.Context, appID string) (Token, error)

// Token calls f.
func (f SourceFunc) Token(ctx context.Context, appID string) (Token, error) { return f(ctx, appID) }

// left is how long t lives on after now: the shorter of what the wall clock and
// what the monotonic clock say. The first goes on while a machine sleeps, the
// second does not follow when somebody sets the clock back.
func (t Token) left(now time.Time) time.Duration {
	return min(t.ExpiresAt.Round(0).Sub(now.Round(0)), t.ExpiresAt.Sub(now))
}
