package preview

import (
	"net/url"

	"github.com/weboffice-go/weboffice/signing"
)

// Request says which document a callback is about, and who asks. Printed or
// logged, it shows neither UserQuery nor the token.
type Request struct {
	_ [0]func()

	// The document. It has passed Config.CheckID. Empty in the users callback.
	FileID string

	// The app that signed the request. Where Config.Auth names nobody it is
	// X-App-Id as sent, which proves nothing.
	AppID string

	// The user, as Config.Identify found out. Empty without Identify.
	UserID string

	// X-WebOffice-Token: what your front end handed to the viewer. It is for you
	// to verify, since the signature does not cover it.
	WebOfficeToken signing.Secret

	// X-Request-Id, which the service's support asks for. Cut, and empty where it
	// holds anything but visible ASCII.
	RequestID string

	// X-User-Query as sent: the query that your front end gave to the viewer,
	// among other parameters. The signature does not cover it.
	UserQuery string
}

// Query reads UserQuery. Parts that cannot be read are left out.
func (r Request) Query() url.Values {
	values, _ := url.ParseQuery(r.UserQuery) // it gives what it could read
	return values
}
