package webhook

import (
	"errors"
	"net/url"
	"strings"

	"github.com/weboffice-go/weboffice/signing"
)

// parseAddress reads a webhook address as the chat client shows it, and returns
// the address to post to, which has the robot key as its whole query, and the key
// (protocol 4.4). The errors say nothing of what they found: it is a secret.
func parseAddress(s string) (address string, key signing.Secret, err error) {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil {
		return "", key, errors.New("is not a URL")
	}
	if u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.Opaque != "" {
		return "", key, errors.New(`must begin with "https://" and a host, or "http://" and a host`)
	}
	if u.User != nil {
		return "", key, errors.New("must not hold a user or a password: they are not sent")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return "", key, errors.New("has a query that cannot be read")
	}
	keys := query["key"]
	if len(keys) != 1 || strings.TrimSpace(keys[0]) == "" {
		return "", key, errors.New("must hold the robot key, once: give the whole address that the chat client shows, ?key= included (protocol 4.4)")
	}
	u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = url.Values{"key": keys}.Encode(), false, "", ""
	return u.String(), signing.NewSecret(keys[0]), nil
}
