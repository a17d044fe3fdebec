package token

import (
	"errors"
	"strconv"
	"time"

	"github.com/weboffice-go/weboffice/internal/callback"
)

// check says why t cannot be handed out at now, where its end is known. Its error
// blames the Source, and is an internal error to the caller.
func (t Token) check(now time.Time) error {
	switch {
	case t.AccessToken.IsZero():
		return errors.New("token: the source gave an empty access token")
	case t.ExpiresAt.IsZero():
		return nil
	case t.left(now) <= 0:
		return errors.New("token: the source gave a token that has ended")
	default:
		return nil
	}
}

// seconds is expires_in: the whole seconds of t that are left at now, at least one.
func (t Token) seconds(now time.Time) (int64, error) {
	if err := t.check(now); err != nil {
		return 0, err
	}
	if t.ExpiresAt.IsZero() {
		return 0, errors.New("token: the source gave a token without ExpiresAt, so that expires_in cannot be told")
	}
	n := int64(t.left(now) / time.Second)
	if n < 1 {
		return 0, errors.New("token: the source gave a token that ends within a second")
	}
	return n, nil
}

// successBody is the answer of protocol 2.11.
func successBody(accessToken string, seconds int64) []byte {
	const before, between, after = `{"code":0,"message":"ok","data":{"access_token":`, `,"token_type":"bearer","expires_in":`, `}}`
	b := make([]byte, 0, len(before)+len(accessToken)+2+len(between)+20+len(after))
	b = append(b, before...)
	b = callback.AppendString(b, accessToken)
	b = append(b, between...)
	b = strconv.AppendInt(b, seconds, 10)
	return append(b, after...)
}
