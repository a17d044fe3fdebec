package preview

import (
	"net/url"

	"github.com/weboffice-go/weboffice/signing"
)

// Request says which document a callback is about, and who asks.
type Request struct {
	_              [0]func()
	FileID         string         // It has passed Config.CheckID. Empty in the users callback.
	AppID          string         // The app that signed. If Config.Auth does not say, X-App-Id, which proves nothing.
	UserID         string         // What Config.Identify found.
	WebOfficeToken signing.Secret // X-WebOffice-Token, from your front end, not signed: verify it.
	RequestID      string         // X-Request-Id, for the service's support.
	UserQuery      string         // X-User-Query, from your front end, not signed.
}

// Query reads UserQuery. It leaves out what it cannot read.
func (r Request) Query() url.Values {
	values, _ := url.ParseQuery(r.UserQuery) // it returns what it could read
	return values
}
